// The chart with the real helm and without a cluster: it gives the installation's objects, and each value does what it says or is refused.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { readSettings, SETTINGS, type Written } from "../../src/cli/settings/run-settings.ts";
import { flagOf } from "../../src/cli/settings/setting-names.ts";
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { KIND_NAMES } from "../../src/kinds/all-kinds.ts";
import { CHART, KEEP } from "../../tools/gen/deploy/helm/chart.ts";
import { NAMESPACE } from "../../tools/gen/deploy/names.ts";
import { repositoryRoot } from "../../tools/repository.ts";
import { byName, describeWithHelm, type Helm, objectsIn, runHelm, templated } from "./helm.ts";

const SHA = `sha256:${"0123456789abcdef".repeat(4)}`;
const PEM = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
const builderTemplate = { spec: { containers: [{ name: "build", image: "builder:1" }] } };
const tolerations = [{ key: "a", operator: "Exists" }];
const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } };
const DEPLOYMENT = "Deployment/farrier";
const POD = `${DEPLOYMENT} spec.template.spec`;
const CONTAINER = `${POD}.containers.0`;

/** The installation in a namespace, as the chart should give it: Helm makes the namespace, and is told to keep definitions. */
function installedIn(namespace: string): ReadonlyMap<string, JsonObject> {
  const manifest = readFileSync(join(repositoryRoot, "deploy", "farrier.yaml"), "utf8");
  const objects = objectsIn(manifest.replaceAll(NAMESPACE, JSON.stringify(namespace)));
  const isDefinition = ({ kind }: JsonObject) => kind === "CustomResourceDefinition";
  return byName(
    objects
      .filter(({ kind }) => kind !== "Namespace")
      .map((object) =>
        isDefinition(object) ? { ...object, metadata: { ...Object(object.metadata), annotations: KEEP } } : object,
      ),
  );
}

/** What lies at a place, such as `Deployment/farrier spec.replicas`. */
function at(objects: ReadonlyMap<string, JsonObject>, place: string): unknown {
  const [name = "", path = ""] = place.split(" ");
  return path.split(".").reduce<unknown>((value, step) => Object(value)[step], objects.get(name));
}

type Row = readonly [value: string, values: object, place: string, expected: Json];

/** Values that become flags; the program is asked about them, too. */
const flags: readonly Row[] = [
  flag({ kinds: ["VariantSet", "DaemonSet"] }, "--kinds=VariantSet,DaemonSet"),
  flag({ namespaces: ["gpu", "storage"] }, "--namespaces=gpu,storage"),
  flag({ takeOver: ["Module"] }, "--take-over=Module"),
  flag(
    { featureGates: { AdvancedDaemonSetNodeLabelPatches: false } },
    "--feature-gates=AdvancedDaemonSetNodeLabelPatches=false",
  ),
  flag(
    { featureGates: { InPlaceWorkloadVerticalScaling: true, AllBeta: false } },
    "--feature-gates=AllBeta=false,InPlaceWorkloadVerticalScaling=true",
  ),
  flag({ bindPods: "nodeName" }, "--bind-pods=nodeName"),
  flag({ builder: "buildah" }, "--builder=buildah"),
  flag({ builderImage: "builder:2" }, "--builder-image=builder:2"),
  flag(
    { builder: "template", builderTemplate },
    ...["--builder=template", "--builder-template=/etc/farrier/builder-template.yaml"],
  ),
  flag({ signerImage: "signer:2" }, "--signer-image=signer:2"),
  flag({ buildsMax: 1000 }, "--builds-max=1000"),
  flag({ registryProbe: false }, "--registry-probe=false"),
  flag({ registryNetworks: ["10.0.0.0/8", "fd00::/8"] }, "--registry-networks=10.0.0.0/8,fd00::/8"),
  flag({ registryTokenHosts: ["a.example=b.example"] }, "--registry-token-hosts=a.example=b.example"),
  flag({ registryAuthorities: PEM }, "--registry-authorities=/etc/farrier/registry-authorities.pem"),
  flag({ logLevel: "debug" }, "--log-level=debug"),
];

function flag(values: object, ...args: readonly string[]): Row {
  return [Object.keys(values).at(-1) ?? "", values, `${CONTAINER}.args`, ["run", "--webhook=service", ...args]];
}

const shown: readonly Row[] = [
  ...flags,
  ["extraArgs", { extraArgs: ["--log-level=warn"] }, `${CONTAINER}.args.2`, "--log-level=warn"],
  ["image", { image: { repository: "a.example/b" } }, `${CONTAINER}.image`, "a.example/b:0.1.0"],
  ["image", { image: { tag: "2" } }, `${CONTAINER}.image`, "farrier:2"],
  ["image", { image: { tag: "2", digest: SHA } }, `${CONTAINER}.image`, `farrier@${SHA}`],
  ["image", { image: { pullPolicy: "Always" } }, `${CONTAINER}.imagePullPolicy`, "Always"],
  ["image", { image: { pullSecrets: ["a", "b"] } }, `${POD}.imagePullSecrets`, [{ name: "a" }, { name: "b" }]],
  ["replicas", { replicas: 3 }, `${DEPLOYMENT} spec.replicas`, 3],
  ["resources", { resources: { limits: { memory: "1Gi" } } }, `${CONTAINER}.resources.limits.memory`, "1Gi"],
  ["priorityClassName", { priorityClassName: "high" }, `${POD}.priorityClassName`, "high"],
  ["nodeSelector", { nodeSelector: { "a/b": "true" } }, `${POD}.nodeSelector`, { "a/b": "true" }],
  ["tolerations", { tolerations }, `${POD}.tolerations`, tolerations],
  ["affinity", { affinity }, `${POD}.affinity`, affinity],
  ["podAnnotations", { podAnnotations: { a: "1" } }, `${DEPLOYMENT} spec.template.metadata.annotations`, { a: "1" }],
  ["podLabels", { podLabels: { a: "1" } }, `${DEPLOYMENT} spec.template.metadata.labels.a`, "1"],
  [
    "serviceAccount",
    { serviceAccount: { annotations: { a: "1" } } },
    "ServiceAccount/farrier metadata.annotations.a",
    "1",
  ],
  [
    ...(["registryAuthorities", { registryAuthorities: PEM }] as const),
    ...(["ConfigMap/farrier-files data", { "registry-authorities.pem": PEM }] as const),
  ],
  [
    ...(["registryAuthorities", { registryAuthorities: PEM }] as const),
    ...([`${CONTAINER}.volumeMounts`, [{ name: "files", mountPath: "/etc/farrier", readOnly: true }]] as const),
  ],
  [
    ...(["registryAuthorities", { registryAuthorities: PEM }] as const),
    ...([`${POD}.volumes`, [{ name: "files", configMap: { name: "farrier-files" } }]] as const),
  ],
];

describeWithHelm("the chart", (build) => {
  const home = mkdtempSync(join(tmpdir(), "farrier-helm-"));
  let helm: Helm;
  beforeAll(async () => {
    helm = { program: await build(), home };
  });
  afterAll(() => rmSync(home, { recursive: true }));

  const given = new Map<string, ReturnType<typeof templated>>();
  /** The objects with these values; several tests look at the same. */
  const objectsWith = (values: object) => {
    const key = JSON.stringify(values);
    const objects = given.get(key) ?? templated(helm, values, NAMESPACE);
    given.set(key, objects);
    return objects;
  };

  test("pleases helm lint --strict", async () => {
    expect(await runHelm(helm, ["lint", "--strict", CHART])).toMatchObject({ code: 0 });
  });

  test.each([NAMESPACE, "elsewhere", "1234"])(
    "gives the objects of the installation in namespace %s",
    async (namespace) => {
      const objects = await templated(helm, {}, namespace);
      const installed = installedIn(namespace);
      expect([...objects.keys()].toSorted()).toEqual([...installed.keys()].toSorted());
      for (const [name, object] of objects) expect([name, object]).toEqual([name, installed.get(name)]);
    },
  );

  test.each(shown)("%s: %j stands at %s", async (_, values, place, expected) => {
    const objects = await objectsWith(values);
    expect(at(objects, place)).toEqual(expected);
  });

  test("every value is tried above", () => {
    const values = parse(readFileSync(join(repositoryRoot, CHART, "values.yaml"), "utf8"));
    expect([...new Set(shown.map(([value]) => value))].toSorted()).toEqual(Object.keys(values).toSorted());
  });

  test.each(flags)("the program starts with %s: %j", async (_, values) => {
    const objects = await objectsWith(values);
    const args: readonly string[] = JSON.parse(JSON.stringify(at(objects, `${CONTAINER}.args`)));
    const written = args.slice(1).map((arg): readonly [string, Written] => {
      const [name = "", text = ""] = [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)];
      const key = SETTINGS.find((setting) => flagOf(setting.key) === name)?.key ?? name;
      const file = Object(objects.get("ConfigMap/farrier-files")?.data)[text.replace("/etc/farrier/", "")];
      return [key, { text: file ?? text, place: name }];
    });
    expect(readSettings(new Map(written), KIND_NAMES)).toMatchObject({ ok: true });
  });

  test("what is set to nothing is not written", async () => {
    const objects = await templated(helm, { priorityClassName: "", resources: { requests: null, limits: null } }, "a");
    expect(at(objects, `${POD}.priorityClassName`)).toBeUndefined();
    expect(at(objects, `${CONTAINER}.resources`)).toBeUndefined();
  });

  test("other files are for other pods", async () => {
    const place = `${DEPLOYMENT} spec.template.metadata.annotations`;
    const marks = await Promise.all(
      [PEM, PEM, `${PEM}${PEM}`].map(async (registryAuthorities) =>
        at(await templated(helm, { registryAuthorities, podAnnotations: { a: "1" } }, "a"), place),
      ),
    );
    expect(marks[0]).toEqual({ a: "1", "farrier.dev/files": expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(marks[1]).toEqual(marks[0]);
    expect(marks[2]).not.toEqual(marks[0]);
  });

  test("nobody is asked about a kind that is not served, and its definition is left to others", async () => {
    const objects = await templated(helm, { kinds: ["VariantSet"] }, "a");
    expect([...objects.keys()].filter((name) => /Webhook|Definition/.test(name)).toSorted()).toEqual([
      ...["CustomResourceDefinition/variantsets.farrier.dev", "ValidatingWebhookConfiguration/farrier-validator"],
    ]);
    const { webhooks } = Object(objects.get("ValidatingWebhookConfiguration/farrier-validator"));
    expect(webhooks).toMatchObject([{ name: "validate.variantsets.farrier.dev" }]);
  });

  test.each<readonly [values: object, path: string]>([
    [{ replicas: "two" }, "/replicas"],
    [{ replicas: -1 }, "/replicas"],
    [{ replicas: null }, "replicas"],
    [{ image: { tag: 1.5 } }, "/image/tag"],
    [{ image: { digest: "sha256:short" } }, "/image/digest"],
    [{ image: { pullSecrets: [{ name: "a" }] } }, "/image/pullSecrets/0"],
    [{ image: { name: "a" } }, "/image"],
    [{ featureGates: { AdvancedDaemonSetNodeLabelPatches: "off" } }, "/featureGates/AdvancedDaemonSetNodeLabelPatches"],
    [{ featureGates: { AdvancedDaemonSetNodeLabelPatch: false } }, "/featureGates"],
    [{ featureGates: "AllBeta=false" }, "/featureGates"],
    [{ kinds: [] }, "/kinds"],
    [{ kinds: ["Pod"] }, "/kinds/0"],
    [{ namespaces: ["a,b"] }, "/namespaces/0"],
    [{ bindPods: "nobody" }, "/bindPods"],
    [{ builder: "template" }, "/builderTemplate"],
    [{ builder: "template", builderTemplate, builderImage: "a" }, "/builderImage"],
    [{ builderTemplate }, "/builderTemplate"],
    [{ buildsMax: 0 }, "/buildsMax"],
    [{ registryNetworks: ["10.0.0.1"] }, "/registryNetworks/0"],
    [{ registryAuthorities: "/a/file.pem" }, "/registryAuthorities"],
    [{ logLevel: "loud" }, "/logLevel"],
    [{ podLabels: { "app.kubernetes.io/name": "other" } }, "/podLabels/app.kubernetes.io~1name"],
    [{ extraArgs: ["run"] }, "/extraArgs/0"],
    [{ resources: { memory: "1Gi" } }, "/resources"],
    [{ replica: 3 }, "replica"],
  ])("%j is refused at %s", async (values, path) => {
    const refused = await templated(helm, values, NAMESPACE).then(String, (error: Error) => error.message);
    expect(refused).toContain("values don't meet the specifications of the schema");
    expect(refused).toContain(`'${path}'`);
  });
});

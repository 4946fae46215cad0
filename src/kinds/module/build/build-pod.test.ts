import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import { podTemplateProblems } from "../../pod-template/pod-template-problems.ts";
import { BuildWorld } from "../testing/build-world.ts";
import { EL9, loaderModule, parsedModule } from "../testing/module-builders.ts";
import { createJob } from "./build-job.ts";
import { type BuildOrder, buildOrder, orderIdentity } from "./build-order.ts";
import { buildPod } from "./build-pod.ts";
import { BUILD_SITE, BUILDER_IMAGES, type Builder, type BuildSite } from "./build-site.ts";

const safe = { isPlainHttp: false, isAnyCertificateFine: false };
const plain = { isPlainHttp: true, isAnyCertificateFine: false };
const unchecked = { isPlainHttp: false, isAnyCertificateFine: true };
const NASTY = '$(reboot) `x` "; --destination=evil $HOME\n--x';

/** An order with everything that a Module can ask for. */
function anOrder(more: Partial<BuildOrder> = {}): BuildOrder {
  const written = {
    ...{ dockerfileConfigMap: { name: "dockerfile" }, secrets: [{ name: "token" }], selector: { disk: "ssd" } },
    ...{
      buildArgs: [
        { name: "DRIVER", value: NASTY },
        { name: "MOD_NAME", value: "mine" },
      ],
      timeout: "90s",
      backoffLimit: 1,
    },
  };
  const spec = { imageRepoSecret: { name: "push" }, tolerations: [{ key: "gpu", operator: "Exists" }] };
  const module = parsedModule(loaderModule({ build: written }, spec));
  const build = module.driver?.mappings[0]?.build;
  if (build === undefined) throw new Error("the Module has no build");
  const subject = { module, kernel: EL9, arch: "arm64" };
  return {
    ...buildOrder(subject, build, {
      ...{ image: "r.example.dev:5000/kmod:1", tls: safe, dockerfile: { configMap: "dockerfile" } },
    }),
    ...more,
  };
}

const siteOf = (builder: Builder): BuildSite => ({ ...BUILD_SITE, builder });
const known = (is: "buildkit" | "buildah" | "kaniko") => siteOf({ is, image: BUILDER_IMAGES[is] });
const template = {
  metadata: { annotations: { site: "yes" }, labels: { a: "b" } },
  spec: {
    ...{ nodeSelector: { pool: "build", disk: "hdd" }, tolerations: [{ key: "build" }], restartPolicy: "Always" },
    ...{ automountServiceAccountToken: true, volumes: [{ name: "cache", emptyDir: {} }] },
    containers: [{ name: "make", image: "builder:1", args: ["$(TARGET_IMAGE)"], env: [{ name: "A", value: "1" }] }],
  },
};
const sites: readonly (readonly [string, BuildSite])[] = [
  ["buildkit", known("buildkit")],
  ["buildah", known("buildah")],
  ["kaniko", known("kaniko")],
  ["template", siteOf({ is: "template", template })],
];

type Container = { readonly name: string; readonly args: readonly string[]; readonly image: string } & JsonObject;
const containersOf = (order: BuildOrder, site: BuildSite): readonly Container[] => {
  const { spec } = buildPod(order, site);
  const lists = [spec.initContainers ?? [], spec.containers ?? []];
  return JSON.parse(JSON.stringify(lists.flat()));
};
const argsOf = (order: BuildOrder, site: BuildSite) => containersOf(order, site).flatMap(({ args }) => args);

describe.each(sites)("the pod of %s", (_, site) => {
  test("is a valid pod without a token, tried once, on a machine of the right architecture that the author wants", () => {
    const { spec, annotations } = buildPod(anOrder(), site);
    expect(podTemplateProblems({ metadata: { annotations }, spec: { ...spec, restartPolicy: "Always" } }, "")).toEqual(
      [],
    );
    expect(spec).toMatchObject({
      ...{ restartPolicy: "Never", automountServiceAccountToken: false, enableServiceLinks: false },
      nodeSelector: { "kubernetes.io/arch": "arm64", disk: "ssd" },
    });
    expect(JSON.stringify(spec.tolerations)).toContain('{"key":"gpu","operator":"Exists"}');
    expect(JSON.stringify(spec)).not.toMatch(/hostPath|"privileged":true|docker\.sock/);
  });

  test("names secrets for the kubelet to mount, and the end of a log is its last message", () => {
    const { spec } = buildPod(anOrder(), site);
    expect(JSON.parse(JSON.stringify(spec.volumes))).toEqual(
      expect.arrayContaining([
        { name: "dockerfile", configMap: { name: "dockerfile", items: [{ key: "dockerfile", path: "Dockerfile" }] } },
        { name: "secret-0", secret: { secretName: "token" } },
        {
          name: "registry",
          secret: { secretName: "push", items: [{ key: ".dockerconfigjson", path: "config.json" }] },
        },
      ]),
    );
    for (const container of containersOf(anOrder(), site)) {
      expect(container).toMatchObject({
        terminationMessagePolicy: "FallbackToLogsOnError",
        resources: BUILD_SITE.resources,
      });
    }
  });

  test("has no credentials where there is no push secret", () => {
    expect(JSON.stringify(buildPod(anOrder({ pushSecret: undefined }), site).spec.volumes)).not.toContain("registry");
  });

  test("takes a Dockerfile as a text, too", () => {
    const { annotations, spec } = buildPod(anOrder({ dockerfile: { text: "FROM a" } }), site);
    expect(annotations["module.farrier.dev/dockerfile"]).toBe("FROM a");
    expect(JSON.stringify(spec.volumes)).toContain("metadata.annotations['module.farrier.dev/dockerfile']");
  });
});

describe("values of users", () => {
  test.each(sites.slice(0, 3))("are arguments of their own for %s, and the kubelet fills nothing in", (_, site) => {
    const args = argsOf(anOrder(), site).filter((arg) => arg.includes("reboot"));
    expect(args).toHaveLength(1);
    expect(args[0]).toMatch(/^--(opt=build-arg:|build-arg=)DRIVER=\$\$\(reboot\)/);
    expect(args[0]?.replaceAll("$$", "$").endsWith(`DRIVER=${NASTY}`)).toBe(true);
  });

  test("are JSON in a variable for a template", () => {
    const [container] = containersOf(anOrder(), siteOf({ is: "template", template }));
    const env = Array.isArray(container?.env) ? container.env : [];
    const value = env.find(({ name }) => name === "BUILD_ARGS")?.value ?? "";
    expect(JSON.parse(String(value).replaceAll("$$", "$"))).toMatchObject({ DRIVER: NASTY, KERNEL_FULL_VERSION: EL9 });
    expect([env.at(-1), container?.args]).toEqual([{ name: "A", value: "1" }, ["$(TARGET_IMAGE)"]]);
  });

  test("the automatic arguments take the place of those of the same name", () => {
    expect(Object.fromEntries(anOrder().args)).toEqual({
      ...{
        DRIVER: NASTY,
        KERNEL_VERSION: EL9,
        KERNEL_FULL_VERSION: EL9,
        MOD_NAME: "my-kmod",
        MOD_NAMESPACE: "default",
      },
    });
  });
});

describe("registries that are less safe", () => {
  test.each([
    ["buildkit", { imageTls: plain }, ["registry.insecure=true"]],
    ["buildah", { imageTls: unchecked }, ["push", "--tls-verify=false"]],
    ["buildah", { sourceTls: plain }, ["build", "--tls-verify=false"]],
    ["kaniko", { imageTls: plain }, ["--insecure"]],
    ["kaniko", { imageTls: unchecked }, ["--skip-tls-verify"]],
    ["kaniko", { sourceTls: plain }, ["--insecure-pull"]],
    ["kaniko", { sourceTls: unchecked }, ["--skip-tls-verify-pull"]],
  ] as const)("%s is told of %j", (is, more, flags) => {
    const isTold = (order: BuildOrder) =>
      containersOf(order, known(is)).some(({ args }) =>
        flags.every((flag) => args.some((arg) => arg === flag || arg.endsWith(`,${flag}`))),
      );
    expect([isTold(anOrder()), isTold(anOrder(more))]).toEqual([false, true]);
  });

  test("BuildKit's daemon is told of the host", () => {
    const config = (more: Partial<BuildOrder>) =>
      buildPod(anOrder(more), known("buildkit")).annotations["module.farrier.dev/buildkitd"];
    expect([config({}), config({ sourceTls: plain }), config({ imageTls: unchecked })]).toEqual([
      undefined,
      '[registry."r.example.dev:5000"]\nhttp = true\ninsecure = true\n',
      '[registry."r.example.dev:5000"]\ninsecure = true\n',
    ]);
  });
});

test("a tag for kaniko takes the place of the one of the site", () => {
  const site = siteOf({ is: "kaniko", image: "r.example.dev:5000/kaniko:v1@sha256:ab" });
  expect(containersOf(anOrder({ kanikoTag: "debug" }), site)[0]?.image).toBe("r.example.dev:5000/kaniko:debug");
});

test("keys for signing are secrets of the builder, never a part of the build's files", () => {
  const keys = [
    { name: "k", place: "key" },
    { name: "c", place: "cert" },
  ];
  const order = anOrder({ stage: "sign", secrets: keys, dockerfile: { text: "FROM a" } });
  expect(argsOf(order, known("buildkit")).filter((arg) => arg.includes("/run/secrets"))).toEqual([
    "--secret=id=key,src=/run/secrets/key/key",
    "--secret=id=cert,src=/run/secrets/cert/cert",
  ]);
});

describe("the Job of an order", () => {
  const stored = new BuildWorld().stored(loaderModule());
  const jobOf = (order: BuildOrder, site = BUILD_SITE) =>
    createJob(stored, order, site, { attempt: 0, insists: false, why: "" }).object;

  test("is owned by its Module, waits, and has limits", () => {
    expect(jobOf(anOrder())).toMatchObject({
      metadata: {
        namespace: "default",
        ownerReferences: [{ kind: "Module", name: "my-kmod", uid: "uid-of-my-kmod", controller: true }],
        labels: { "farrier.dev/task": "build", "kmm.node.kubernetes.io/module.name": "my-kmod" },
      },
      spec: { suspend: true, backoffLimit: 1, activeDeadlineSeconds: 90, podReplacementPolicy: "Failed" },
    });
  });

  test("has a name that fits into a label, whatever the Module is called", () => {
    const long = new BuildWorld().stored(loaderModule(), `${"a".repeat(60)}.${"b".repeat(60)}`);
    const { metadata } = createJob(long, anOrder(), BUILD_SITE, { attempt: 0, insists: false, why: "" }).object;
    expect(metadata.name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
    for (const value of Object.values(JSON.parse(JSON.stringify(metadata.labels))))
      expect(String(value).length).toBeLessThanOrEqual(63);
  });

  test.each<[string, Partial<BuildOrder>]>([
    ["kernel", { kernel: "6.0.0" }],
    ["architecture", { arch: "amd64" }],
    ["image", { image: "r.example.dev/other:1" }],
    ["Dockerfile", { dockerfile: { configMap: "other" } }],
    ["arguments", { args: new Map([["DRIVER", "2"]]) }],
    ["secrets", { secrets: [] }],
    ["push secret", { pushSecret: undefined }],
    ["trigger", { rebuildTrigger: 2 }],
    ["TLS settings", { imageTls: plain }],
    ["time limit", { timeoutMs: 1 }],
    ["stage", { stage: "sign" }],
  ])("has another name for another %s", (_, more) => {
    expect(jobOf(anOrder(more)).metadata.name).not.toBe(jobOf(anOrder()).metadata.name);
  });

  test("has another name for another builder, and the same for the same", () => {
    const names = [...sites.map(([, site]) => site), BUILD_SITE].map((site) => jobOf(anOrder(), site).metadata.name);
    expect(new Set(names).size).toBe(4);
    expect(orderIdentity(anOrder(), BUILD_SITE)).toBe(orderIdentity(anOrder(), BUILD_SITE));
  });
});

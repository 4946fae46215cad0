// Bad templates and rollout fields, by the numbers of the list of bad inputs (81–112 and 143–160): one row or more for each number, with
// the verdict that it gets. Where the list leaves a verdict to policy, the API server's admission of the pods is that policy.
import type { Json, JsonObject } from "../../../core/json/json.ts";
import {
  aContainer,
  accepted,
  acceptedWith,
  aTemplate,
  type KindCase,
  many,
  refused,
} from "../../testing/kind-case.ts";

type Build = (spec: JsonObject, version?: string) => JsonObject;
type Verdict = KindCase["verdict"];

/** The rows. */
export function badTemplateCases(build: Build): readonly KindCase[] {
  const template = (name: string, spec: JsonObject, verdict: Verdict): KindCase => ({
    ...{ name, object: build({ template: aTemplate(spec) }), verdict },
  });
  const container = (name: string, more: JsonObject, verdict: Verdict): KindCase =>
    template(name, { containers: [aContainer("agent", more)] }, verdict);
  return [
    ...shapes(template),
    ...privileges(template, container),
    ...contents(template, container),
    ...amounts(template, container),
    ...labels(build),
    ...rollouts(build),
    ...strategies(build),
  ];
}

type TemplateRow = (name: string, spec: JsonObject, verdict: Verdict) => KindCase;
type ContainerRow = TemplateRow;

const at = (path: string) => `spec.template.spec.${path}`;

function shapes(template: TemplateRow): readonly KindCase[] {
  const deadline = refused("admission", at("activeDeadlineSeconds"));
  return [
    template("81 no containers", { containers: [] }, refused("schema", at("containers"))),
    template(
      "82 two containers of a name",
      { containers: [aContainer("a"), aContainer("a")] },
      refused("schema", at("containers[1]")),
    ),
    template(
      "84 containers for the start alone",
      { containers: null, initContainers: [aContainer("a")] },
      refused("schema", at("containers")),
    ),
    template(
      "85 ephemeral containers",
      { ephemeralContainers: [aContainer("debug")] },
      refused("admission", at("ephemeralContainers")),
    ),
    // As in Kubernetes: nodes with other names are simply not eligible.
    template("86 the name of a node", { nodeName: "node-1" }, accepted),
    template("87 restarts never", { restartPolicy: "Never" }, refused("admission", at("restartPolicy"))),
    template("88 a deadline", { activeDeadlineSeconds: 60 }, deadline),
    // The scheduler finds no place for the second pod, and says so on the pod; nothing is taken for it.
    template(
      "89 a host port on the host's network",
      { hostNetwork: true, containers: [aContainer("agent", { ports: [{ containerPort: 80, hostPort: 80 }] })] },
      accepted,
    ),
    template(
      "110 spread of pods that have one node each",
      { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }] },
      accepted,
    ),
  ];
}

/** Drivers need them. Whoever may not have them in a namespace is refused the pod by its pod security level, and reads so in Stalled. */
function privileges(template: TemplateRow, container: ContainerRow): readonly KindCase[] {
  const token = { projected: { sources: [{ serviceAccountToken: { audience: "vault", path: "token" } }] } };
  return [
    container("90 privileged", { securityContext: { privileged: true } }, accepted),
    container("91 all capabilities", { securityContext: { capabilities: { add: ["ALL"] } } }, accepted),
    ...["/", "/etc", "/dev/../etc", "//etc", "/var/run/containerd/containerd.sock", "/proc"].map((path) =>
      template(`92 the host's ${path}`, { volumes: [{ name: "host", hostPath: { path } }] }, accepted),
    ),
    template("93 the host's processes", { hostPID: true, hostIPC: true }, accepted),
    template("94 somebody else's account", { serviceAccountName: "cluster-admin" }, accepted),
    template("95 a token", { automountServiceAccountToken: true }, accepted),
    template("96 a token for others", { volumes: [{ name: "token", ...token }] }, accepted),
  ];
}

function contents(template: TemplateRow, container: ContainerRow): readonly KindCase[] {
  const variables = (count: number) => many(count, (index): Json => ({ name: `V${index}`, value: "x" }));
  const volumes = many(1_000, (index): Json => ({ name: `v${index}`, emptyDir: {} }));
  const secret = { name: "KEY", valueFrom: { secretKeyRef: { name: "nobody", key: "none" } } };
  const image = refused("admission", at("containers[0].image"));
  const badImages = [
    "",
    ":",
    "@",
    "a@sha256:12",
    `a:${"t".repeat(129)}`,
    "Registry.Example.com/Agent:1",
    "a.b:99999/c:1",
    "docker://a:1",
  ];
  return [
    template("97 a thousand volumes", { volumes }, refused("admission", at("volumes"))),
    container(
      "98 a mount of nothing",
      { volumeMounts: [{ name: "v", mountPath: "/v" }] },
      refused("admission", at("containers[0].volumeMounts[0]")),
    ),
    container("99 ten thousand variables", { env: variables(10_000) }, refused("admission", at("containers[0].env"))),
    container("100 a secret that is missing", { env: [secret] }, accepted),
    container(
      "100 a value without quotes",
      { env: [{ name: "KEY", value: 5 }] },
      refused("admission", at("containers[0].env[0].value"), "quotes"),
    ),
    container("101 a reference to a variable", { args: ["$(V)", "$$(V)"] }, accepted),
    ...badImages.map((text, index) => container(`102 no image, the ${index + 1}.`, { image: text }, image)),
    ...["a:1;reboot", "$(id)", "a b:1", "a|b"].map((text) =>
      container(`103 an image for a shell: ${text}`, { image: text }, image),
    ),
    container(
      "104 an odd pull policy",
      { imagePullPolicy: "Sometimes" },
      refused("admission", at("containers[0].imagePullPolicy")),
    ),
  ];
}

function amounts(template: TemplateRow, container: ContainerRow): readonly KindCase[] {
  const terms = many(10_000, (index): Json => ({ matchExpressions: [{ key: `k${index}`, operator: "Exists" }] }));
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
  return [
    ...["-1", "1e1000x", "10 GiE", ""].map((cpu, index) =>
      container(
        `105 an odd amount, the ${index + 1}.`,
        { resources: { requests: { cpu } } },
        refused("admission", at("containers[0].resources.requests")),
      ),
    ),
    container(
      "105 a request above its limit",
      { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } },
      refused("admission", at("containers[0].resources.requests")),
    ),
    container(
      "105 an extended resource whose limit is its request in other words",
      { resources: { requests: { "example.com/gpu": 2_000 }, limits: { "example.com/gpu": "2k" } } },
      accepted,
    ),
    container(
      "105 huge pages without a limit",
      { resources: { requests: { "hugepages-2Mi": "4Mi", memory: "1Gi" } } },
      refused("admission", at("containers[0].resources.requests"), "equal limit"),
    ),
    container("105 half a thousandth", { resources: { requests: { cpu: "0.5m" } } }, accepted),
    ...[-1, 3_000_000_000].map((periodSeconds) =>
      container(
        `106 a probe every ${periodSeconds} s`,
        { livenessProbe: { periodSeconds } },
        refused("admission", at("containers[0].livenessProbe.periodSeconds")),
      ),
    ),
    template(
      "107 a grace before now",
      { terminationGracePeriodSeconds: -1 },
      refused("admission", at("terminationGracePeriodSeconds")),
    ),
    template("107 a grace of thirty years", { terminationGracePeriodSeconds: 1_000_000_000 }, accepted),
    template(
      "108 a thousand tolerations",
      { tolerations: many(1_000, () => ({ operator: "Exists" })) },
      refused("admission", at("tolerations")),
    ),
    template(
      "108 an odd toleration",
      { tolerations: [{ key: "a", operator: "Like" }] },
      refused("admission", at("tolerations[0].operator")),
    ),
    template(
      "109 ten thousand terms of affinity",
      { affinity: { nodeAffinity } },
      refused("admission", at("affinity")),
    ),
  ];
}

function labels(build: Build): readonly KindCase[] {
  const ours = (key: string, value: string) => build({ template: aTemplate({}, { app: "agent", [key]: value }) });
  const path = "spec.template.metadata.labels";
  return [
    {
      ...{ name: "111 labels that are not selected", object: build({ template: aTemplate({}, { app: "other" }) }) },
      verdict: refused("admission", path),
    },
    {
      ...{ name: "112 a label of the operator", object: ours("controller-revision-hash", "x") },
      verdict: refused("admission", `${path}["controller-revision-hash"]`, "controller's own"),
    },
    {
      ...{ name: "112 a word to simulated kubelets", object: ours("kubelet.farrier.dev/ready-ms", "500") },
      verdict: accepted,
    },
    // As Kruise does, the operator writes its own over what is stored.
    {
      ...{ name: "112 a label of the operator that was there before", old: ours("controller-revision-hash", "x") },
      ...{ object: ours("controller-revision-hash", "y"), verdict: accepted },
    },
    {
      ...{
        name: "112a the mark of pods that are to go",
        old: ours("lifecycle.apps.kruise.io/state", "PreparingDelete"),
      },
      object: ours("lifecycle.apps.kruise.io/state", "PreparingDelete"),
      verdict: refused("admission", `${path}["lifecycle.apps.kruise.io/state"]`, "end of every pod"),
    },
  ];
}

function plainRow(build: Build) {
  return (name: string, fields: JsonObject, verdict: Verdict): KindCase => ({ name, object: build(fields), verdict });
}

function rollouts(build: Build): readonly KindCase[] {
  const path = "spec.updateStrategy.rollingUpdate";
  const rolling = (name: string, fields: JsonObject, verdict: Verdict): KindCase => ({
    ...{ name, object: build({ updateStrategy: { rollingUpdate: fields } }), verdict },
  });
  const plain = plainRow(build);
  const badShares: readonly Json[] = ["101%", "5", "abc", -1, 1.5, "1.5%", 2 ** 31];
  return [
    rolling("143 two budgets of nothing", { maxUnavailable: 0, maxSurge: 0 }, refused("cel", `${path}.maxUnavailable`)),
    rolling('144 a budget of "0%"', { maxUnavailable: "0%" }, refused("cel", `${path}.maxUnavailable`)),
    ...badShares.map((share) =>
      rolling(
        `144 a budget of ${JSON.stringify(share)}`,
        { maxUnavailable: share },
        refused("schema", `${path}.maxUnavailable`),
      ),
    ),
    rolling("145 a partition of more than there is", { partition: 5_000 }, accepted),
    rolling("146 a partition below zero", { partition: -1 }, refused("schema", `${path}.partition`)),
    // There is no progressDeadline in Kruise's API, so nothing for it to exceed.
    plain("147 seconds to be ready for, beyond all patience", { minReadySeconds: 2 ** 31 - 1 }, accepted),
    plain("148 a history below zero", { revisionHistoryLimit: -1 }, refused("schema", "spec.revisionHistoryLimit")),
    ...[0, 1_000_000].map((revisionHistoryLimit) =>
      plain(`148 a history of ${revisionHistoryLimit}`, { revisionHistoryLimit }, accepted),
    ),
  ];
}

function strategies(build: Build): readonly KindCase[] {
  const plain = plainRow(build);
  const ports = [aContainer("agent", { ports: [{ containerPort: 80, hostPort: 80 }] })];
  const selector = { matchLabels: { app: "agent", tier: "node" } };
  return [
    {
      name: "149 a pause",
      object: build({ updateStrategy: { rollingUpdate: { paused: true } } }),
      old: build({}),
      verdict: accepted,
    },
    plain(
      "150 an unknown strategy",
      { updateStrategy: { type: "Recreate" } },
      refused("schema", "spec.updateStrategy.type"),
    ),
    {
      name: "151 a change that no pod survives",
      old: build({ updateStrategy: { rollingUpdate: { rollingUpdateType: "InPlaceIfPossible" } } }),
      object: build({
        template: aTemplate({ hostNetwork: true }),
        updateStrategy: { rollingUpdate: { rollingUpdateType: "InPlaceIfPossible" } },
      }),
      verdict: accepted,
    },
    plain("152 an empty selection of canaries", { updateStrategy: { rollingUpdate: { selector: {} } } }, accepted),
    // There is no schedule in Kruise's API: unknown fields are left out, as the API server does.
    plain("153 a window of no length", { window: { start: "25:00", minutes: 0 } }, accepted),
    plain(
      "156 a hook with a label that no pod can have",
      { lifecycle: { preDelete: { labelsHandler: { "a b": "c" } } } },
      refused("admission", "spec.lifecycle.preDelete.labelsHandler"),
    ),
    plain("157 a burst of nothing", { burstReplicas: 0 }, refused("cel", "spec.burstReplicas")),
    plain("157 a burst below zero", { burstReplicas: -5 }, refused("schema", "spec.burstReplicas")),
    plain(
      "158 a partition that nobody looks at",
      { updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } },
      acceptedWith("partition: has no effect"),
    ),
    {
      name: "159 a surge over a host port",
      object: build({ template: aTemplate({ containers: ports }), updateStrategy: { rollingUpdate: { maxSurge: 1 } } }),
      verdict: acceptedWith("host port"),
    },
    {
      name: "160 another selector",
      old: build({}),
      object: build({ selector, template: aTemplate({}, selector.matchLabels) }),
      verdict: refused("cel", "spec.selector"),
    },
  ];
}

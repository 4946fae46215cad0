// All objects of the comparison of tables: nodes, workloads and the plain kinds here, pods and custom resources beside.
import type { JsonObject } from "../../src/core/json/json.ts";
import { customTableCases } from "./custom-table-cases.ts";
import { podTableCases } from "./pod-table-cases.ts";
import { ago, core, NAMESPACE, named, space, type TableCase } from "./table-case.ts";

const one = { name: "one", image: "example.dev/a:1" };
const two = { name: "two", image: "example.dev/a:1" };

function nodeCases(): readonly TableCase[] {
  const node = (name: string, labels: JsonObject, spec: JsonObject, status: JsonObject): TableCase => ({
    ...{ path: "/api/v1/nodes", object: { metadata: { name, labels }, spec }, status },
  });
  const roles = { "node-role.kubernetes.io/b": "", "node-role.kubernetes.io/a": "", "kubernetes.io/role": "c" };
  const addresses = [
    { type: "InternalIP", address: "10.1.0.9" },
    { type: "InternalIP", address: "10.1.0.10" },
    { type: "ExternalIP", address: "192.0.2.9" },
  ];
  const nodeInfo = {
    ...{ machineID: "", systemUUID: "", bootID: "", kernelVersion: "6.1.0", osImage: "Some OS", architecture: "amd64" },
    ...{
      containerRuntimeVersion: "containerd://2.0.0",
      kubeletVersion: "v1.35.4",
      kubeProxyVersion: "",
      operatingSystem: "linux",
    },
  };
  const ready = (status: string) => ({ conditions: [{ type: "Ready", status }] });
  return [
    node("unknown", {}, {}, {}),
    node("ready", roles, {}, { ...ready("True"), addresses, nodeInfo }),
    node("not-ready", { "node-role.kubernetes.io/worker": "" }, { unschedulable: true }, ready("False")),
    node("lost-touch", { "kubernetes.io/role": "" }, {}, ready("Unknown")),
  ];
}

const template = (labels: JsonObject, spec: JsonObject = {}) => ({
  metadata: { labels },
  spec: { containers: [one, { ...two, image: "example.dev/b:2" }], ...spec },
});

const labels = { app: "a" };

function setCases(): readonly TableCase[] {
  const apps = `/apis/apps/v1${space}`;
  const selector = {
    matchLabels: labels,
    matchExpressions: [
      { key: "tier", operator: "In", values: ["z", "b"] },
      { key: "app", operator: "Exists" },
      { key: "none", operator: "DoesNotExist" },
      { key: "zone", operator: "NotIn", values: ["x"] },
    ],
  };
  const all = { app: "a", tier: "b", zone: "y" };
  const nodeSelector = { "example.dev/b": "2", a: "1" };
  const counts = {
    ...{
      desiredNumberScheduled: 7,
      currentNumberScheduled: 6,
      updatedNumberScheduled: 5,
      numberReady: 4,
      numberAvailable: 3,
    },
    numberMisscheduled: 0,
  };
  const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "a", uid: "1", controller: true };
  return [
    named(`${apps}/daemonsets`, "plain", { spec: { selector: { matchLabels: labels }, template: template(labels) } }),
    named(`${apps}/daemonsets`, "busy", { spec: { selector, template: template(all, { nodeSelector }) } }, counts),
    named(
      `${apps}/deployments`,
      "web",
      { spec: { replicas: 3, selector: { matchLabels: labels }, template: template(labels) } },
      { replicas: 3, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 1 },
    ),
    named(
      `${apps}/replicasets`,
      "web-1",
      { spec: { replicas: 3, selector: { matchLabels: labels }, template: template(labels) } },
      { replicas: 2, readyReplicas: 1 },
    ),
    {
      path: `${apps}/controllerrevisions`,
      object: { metadata: { name: "owned", ownerReferences: [owner] }, revision: 4, data: {} },
    },
    named(`${apps}/controllerrevisions`, "free", { revision: 1, data: {} }),
  ];
}

function jobCases(nowMs: number): readonly TableCase[] {
  const jobs = `/apis/batch/v1${space}/jobs`;
  const once = (spec: JsonObject) => ({ spec: { template: template({}, { restartPolicy: "Never" }), ...spec } });
  const condition = (type: string) => ({ type, status: "True" });
  const begun = { startTime: ago(nowMs, 65) };
  const over = {
    conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
    ...{ ...begun, completionTime: ago(nowMs, 20), succeeded: 1 },
  };
  const failed = { conditions: [condition("FailureTarget"), condition("Failed")], ...begun };
  return [
    named(jobs, "fresh", once({})),
    named(jobs, "running", once({}), { ...begun, active: 1 }),
    named(jobs, "many", once({ parallelism: 3 })),
    named(jobs, "counted", once({ completions: 5, parallelism: 2 }), { ...begun, succeeded: 2 }),
    named(jobs, "over", once({}), over),
    named(jobs, "failed", once({ backoffLimit: 0 }), failed),
    named(jobs, "suspended", once({ suspend: true }), { conditions: [condition("Suspended")] }),
  ];
}

function plainCases(nowMs: number): readonly TableCase[] {
  const port = (more: JsonObject) => ({ port: 80, ...more });
  const serves = (name: string, spec: JsonObject) => named(`${core}/services`, name, { spec });
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const subjects = [
    { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" },
    { kind: "Group", name: "g", apiGroup: "rbac.authorization.k8s.io" },
    { kind: "ServiceAccount", name: "s", namespace: "n" },
  ];
  const roleRef = { kind: "ClusterRole", name: "r", apiGroup: "rbac.authorization.k8s.io" };
  const limits = { pods: "5", "limits.cpu": "2", "count/jobs.batch": "3" };
  const hook = {
    ...{ name: "a.example.dev", clientConfig: { url: "https://127.0.0.1:1/" }, admissionReviewVersions: ["v1"] },
    ...{ sideEffects: "None", rules: [] },
  };
  const hooks = "/apis/admissionregistration.k8s.io/v1";
  return [
    named(`${core}/configmaps`, "some", { data: { a: "1", b: "2" }, binaryData: { c: "eA==" } }),
    named(`${core}/configmaps`, "none"),
    named(`${core}/secrets`, "some", { type: "example.dev/mine", data: { a: "eA==" } }),
    named(`${core}/serviceaccounts`, "some"),
    named(
      `${core}/resourcequotas`,
      "some",
      { spec: { hard: limits } },
      { hard: limits, used: { pods: "2", "limits.cpu": "500m" } },
    ),
    serves("plain", {
      clusterIP: "None",
      ports: [port({ name: "a" }), port({ name: "b", protocol: "UDP" })],
      selector: { b: "2", a: "1" },
    }),
    serves("external", { type: "ExternalName", externalName: "example.dev" }),
    serves("reached", { clusterIP: "None", ports: [port({})], externalIPs: ["192.0.2.1", "192.0.2.2"] }),
    named(`/apis/coordination.k8s.io/v1${space}/leases`, "held", { spec: { holderIdentity: "me" } }),
    named(`/apis/coordination.k8s.io/v1${space}/leases`, "free", { spec: {} }),
    named(`/apis/policy/v1${space}/poddisruptionbudgets`, "share", { spec: { minAvailable: "50%" } }),
    named(`/apis/policy/v1${space}/poddisruptionbudgets`, "number", { spec: { maxUnavailable: 1 } }),
    named(`${rbac}${space}/roles`, "r", { rules: [] }),
    named(`${rbac}${space}/rolebindings`, "b", { roleRef, subjects: [...subjects, { ...subjects[0], name: "v" }] }),
    named(`${rbac}/clusterrolebindings`, "b", { roleRef, subjects }),
    named(`${hooks}/validatingwebhookconfigurations`, "v", { webhooks: [hook, { ...hook, name: "b.example.dev" }] }),
    named(`${hooks}/mutatingwebhookconfigurations`, "m"),
    ...eventCases(nowMs),
    { path: "/api/v1/namespaces", object: { metadata: { name: "going" } }, isDeleted: true },
  ];
}

function eventCases(nowMs: number): readonly TableCase[] {
  const about = { kind: "Pod", name: "a", namespace: NAMESPACE, fieldPath: "spec.containers{a}" };
  const event = (name: string, more: JsonObject) =>
    named(`${core}/events`, name, {
      involvedObject: about,
      type: "Normal",
      reason: "Seen",
      message: " spoke \n",
      ...more,
    });
  const micro = (minutes: number) => ago(nowMs, minutes).replace("Z", ".000000Z");
  const reported = { reportingComponent: "example.dev/r", reportingInstance: "r-1", action: "Look" };
  return [
    event("old", {
      firstTimestamp: ago(nowMs, 300),
      lastTimestamp: ago(nowMs, 200),
      count: 4,
      source: { component: "k", host: "h" },
    }),
    event("new", { eventTime: micro(250), ...reported }),
    event("series", { eventTime: micro(250), series: { count: 9, lastObservedTime: micro(190) }, ...reported }),
    event("bare", { source: { component: "k" } }),
  ];
}

/** All cases as of a time. */
export function tableCases(nowMs: number): readonly TableCase[] {
  return [
    ...podTableCases(nowMs),
    ...nodeCases(),
    ...setCases(),
    ...jobCases(nowMs),
    ...plainCases(nowMs),
    ...customTableCases(nowMs),
  ];
}

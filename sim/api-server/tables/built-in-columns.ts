// The columns of the kinds of the server itself, in the real server's order and words. Their descriptions are left out: no
// client shows them. A kind without columns of its own has a name and the time of its creation.

import type { Json, JsonObject } from "../../../src/core/json.ts";
import { compileLabelSelector, labelSelectorText } from "../../../src/core/label-selector.ts";
import { listAt, metaOf, nameOf, numberAt, objectAt, textAt, valueAtPath } from "../api-object.ts";
import { printAge, printSpan } from "./age.ts";
import { type Cell, type Column, column, wideColumn } from "./column.ts";
import { conditionOf, objectsAt, podCells } from "./pod-cells.ts";

const NONE = "<none>";
const UNKNOWN = "<unknown>";

const name = column("Name", nameOf);
const age = column("Age", (object, nowMs) => printAge(textAt(metaOf(object), "creationTimestamp"), nowMs));
const createdAt = column("Created At", (object) => textAt(metaOf(object), "creationTimestamp"), "date");
const webhooks = column("Webhooks", (object) => listAt(object, "webhooks").length, "integer");

/** The text at a path, or what stands for none. */
const text =
  (path: string, none = ""): Cell =>
  (object) => {
    const value = valueAtPath(object, path);
    return typeof value === "string" && value !== "" ? value : none;
  };
const count =
  (path: string): Cell =>
  (object) =>
    valueAtPath(object, path) ?? 0;
const counted = (title: string, path: string) => column(title, count(path), "integer");

/** The container names, images and selector of a workload. */
const workload: readonly Column[] = [
  wideColumn("Containers", (object) =>
    containersOf(object)
      .map((each) => textAt(each, "name"))
      .join(","),
  ),
  wideColumn("Images", (object) =>
    containersOf(object)
      .map((each) => textAt(each, "image"))
      .join(","),
  ),
  wideColumn("Selector", (object) => selectorText(objectAt(object, "spec").selector)),
];

function containersOf(object: JsonObject): readonly JsonObject[] {
  const template = objectAt(objectAt(object, "spec"), "template");
  return objectsAt(objectAt(template, "spec"), "containers");
}

function selectorText(selector: Json | undefined): string {
  const compiled = compileLabelSelector(selector ?? {});
  return compiled.ok ? labelSelectorText(compiled.value) || NONE : "<error>";
}

function labelsText(labels: JsonObject): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  return pairs.sort().join(",") || NONE;
}

const pod: readonly Column[] = [
  name,
  column("Ready", (object, nowMs) => podCells(object, nowMs).ready),
  column("Status", (object, nowMs) => podCells(object, nowMs).status),
  column("Restarts", (object, nowMs) => podCells(object, nowMs).restarts),
  age,
  wideColumn("IP", (object) => textAt(objectsAt(objectAt(object, "status"), "podIPs")[0] ?? {}, "ip") || NONE),
  wideColumn("Node", text(".spec.nodeName", NONE)),
  wideColumn("Nominated Node", text(".status.nominatedNodeName", NONE)),
  wideColumn("Readiness Gates", readinessGates),
];

function readinessGates(object: JsonObject): string {
  const gates = objectsAt(objectAt(object, "spec"), "readinessGates");
  const status = objectAt(object, "status");
  const open = gates.filter((gate) => conditionOf(status, textAt(gate, "conditionType")) === "True");
  return gates.length === 0 ? NONE : `${open.length}/${gates.length}`;
}

const node: readonly Column[] = [
  name,
  column("Status", nodeStatus),
  column("Roles", (object) => nodeRoles(objectAt(metaOf(object), "labels")).join(",") || NONE),
  age,
  column("Version", text(".status.nodeInfo.kubeletVersion")),
  wideColumn("Internal-IP", (object) => nodeAddress(object, "InternalIP")),
  wideColumn("External-IP", (object) => nodeAddress(object, "ExternalIP")),
  wideColumn("OS-Image", text(".status.nodeInfo.osImage", UNKNOWN)),
  wideColumn("Kernel-Version", text(".status.nodeInfo.kernelVersion", UNKNOWN)),
  wideColumn("Container-Runtime", text(".status.nodeInfo.containerRuntimeVersion", UNKNOWN)),
];

function nodeStatus(object: JsonObject): string {
  const ready = conditionOf(objectAt(object, "status"), "Ready");
  const state = ready === "" ? "Unknown" : ready === "True" ? "Ready" : "NotReady";
  return objectAt(object, "spec").unschedulable === true ? `${state},SchedulingDisabled` : state;
}

const ROLE_PREFIX = "node-role.kubernetes.io/";

function nodeRoles(labels: JsonObject): readonly string[] {
  const named = Object.keys(labels).flatMap((key) =>
    key.startsWith(ROLE_PREFIX) ? key.slice(ROLE_PREFIX.length) : [],
  );
  return [...new Set([...named, textAt(labels, "kubernetes.io/role")])].filter((role) => role !== "").sort();
}

function nodeAddress(object: JsonObject, type: string): string {
  const found = objectsAt(objectAt(object, "status"), "addresses").find((address) => address.type === type);
  return found === undefined ? NONE : textAt(found, "address");
}

const service: readonly Column[] = [
  name,
  column("Type", text(".spec.type")),
  column("Cluster-IP", (object) => listAt(objectAt(object, "spec"), "clusterIPs")[0] ?? NONE),
  column("External-IP", externalAddress),
  column("Port(s)", servicePorts),
  age,
  wideColumn("Selector", (object) => labelsText(objectAt(objectAt(object, "spec"), "selector"))),
];

/** Load balancers are somebody else's business; without one, a service of that type stays pending. */
function externalAddress(object: JsonObject): string {
  const spec = objectAt(object, "spec");
  const own = listAt(spec, "externalIPs").join(",");
  if (spec.type === "ExternalName") return textAt(spec, "externalName");
  return own || (spec.type === "LoadBalancer" ? "<pending>" : NONE);
}

function servicePorts(object: JsonObject): string {
  const ports = objectsAt(objectAt(object, "spec"), "ports").map((port) => {
    const nodePort = numberAt(port, "nodePort") ?? 0;
    return `${port.port}${nodePort > 0 ? `:${nodePort}` : ""}/${textAt(port, "protocol")}`;
  });
  return ports.join(",") || NONE;
}

const event: readonly Column[] = [
  column("Last Seen", (object, nowMs) => printAge(lastSeen(object), nowMs)),
  column("Type", text(".type")),
  column("Reason", text(".reason")),
  column("Object", (object) => involved(objectAt(object, "involvedObject"))),
  wideColumn("Subobject", text(".involvedObject.fieldPath")),
  wideColumn("Source", eventSource),
  column("Message", (object) => textAt(object, "message").trim()),
  wideColumn("First Seen", (object, nowMs) => printAge(firstSeen(object), nowMs)),
  wideColumn("Count", (object) => numberAt(objectAt(object, "series"), "count") ?? (numberAt(object, "count") || 1)),
  { ...name, priority: 1 },
];

function firstSeen(object: JsonObject): string {
  return textAt(object, "firstTimestamp") || textAt(object, "eventTime");
}

function lastSeen(object: JsonObject): string {
  const observed = textAt(objectAt(object, "series"), "lastObservedTime");
  return observed || textAt(object, "lastTimestamp") || firstSeen(object);
}

function involved(about: JsonObject): string {
  const kind = textAt(about, "kind").toLowerCase();
  const named = textAt(about, "name");
  return named === "" ? kind : `${kind}/${named}`;
}

function eventSource(object: JsonObject): string {
  const source = objectAt(object, "source");
  const component = textAt(source, "component") || textAt(object, "reportingComponent");
  const instance = textAt(source, "host") || textAt(object, "reportingInstance");
  return instance === "" ? component : `${component}, ${instance}`;
}

const job: readonly Column[] = [
  name,
  column("Status", jobStatus),
  column("Completions", completions),
  column("Duration", jobDuration),
  age,
  ...workload,
];

/** The word of a job's first true condition in this order; a deletion comes before those that are still on their way. */
function jobStatus(object: JsonObject): string {
  const is = (type: string) => conditionOf(objectAt(object, "status"), type) === "True";
  const over = ["Complete", "Failed"].find(is);
  if (over !== undefined) return over;
  if (metaOf(object).deletionTimestamp !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(is) ?? "Running";
}

function completions(object: JsonObject): string {
  const spec = objectAt(object, "spec");
  const succeeded = numberAt(objectAt(object, "status"), "succeeded") ?? 0;
  const wanted = numberAt(spec, "completions");
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallelism = numberAt(spec, "parallelism") ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(object: JsonObject, nowMs: number): string {
  const status = objectAt(object, "status");
  const begin = textAt(status, "startTime");
  const end = textAt(status, "completionTime");
  return begin === "" ? "" : printSpan((end === "" ? nowMs : Date.parse(end)) - Date.parse(begin));
}

function controllerOf(object: JsonObject): string {
  const owner = objectsAt(metaOf(object), "ownerReferences").find(({ controller }) => controller === true);
  if (owner === undefined) return NONE;
  const [group = ""] = textAt(owner, "apiVersion").split("/").slice(0, -1);
  const kind = group === "" ? textAt(owner, "kind") : `${textAt(owner, "kind")}.${group}`;
  return `${kind.toLowerCase()}/${textAt(owner, "name")}`;
}

/** What is used of each resource and how much there may be; limits have a column of their own. */
function quotaUse(object: JsonObject, ofLimits: boolean): string {
  const status = objectAt(object, "status");
  const [hard, used] = [objectAt(status, "hard"), objectAt(status, "used")];
  const names = Object.keys(hard).filter((resource) => resource.startsWith("limits.") === ofLimits);
  return names
    .sort()
    .map((resource) => `${resource}: ${textAt(used, resource) || "0"}/${textAt(hard, resource)}`)
    .join(", ");
}

const binding: readonly Column[] = [
  name,
  column("Role", (object) => {
    const role = objectAt(object, "roleRef");
    return `${textAt(role, "kind")}/${textAt(role, "name")}`;
  }),
  age,
  wideColumn("Users", (object) => subjects(object, "User")),
  wideColumn("Groups", (object) => subjects(object, "Group")),
  wideColumn("ServiceAccounts", (object) => subjects(object, "ServiceAccount")),
];

function subjects(object: JsonObject, kind: string): string {
  const named = objectsAt(object, "subjects").filter((subject) => subject.kind === kind);
  const place = (subject: JsonObject) => (kind === "ServiceAccount" ? `${textAt(subject, "namespace")}/` : "");
  return named.map((subject) => `${place(subject)}${textAt(subject, "name")}`).join(", ");
}

function intOrText(path: string): Cell {
  return (object) => String(valueAtPath(object, path) ?? "N/A");
}

const configurations = [name, webhooks, age];

/** Columns by the store's names of resources. */
const columns: Readonly<Record<string, readonly Column[]>> = {
  pods: pod,
  nodes: node,
  services: service,
  events: event,
  configmaps: [name, column("Data", (object) => sizeOf(object, "data") + sizeOf(object, "binaryData")), age],
  secrets: [name, column("Type", text(".type")), column("Data", (object) => sizeOf(object, "data")), age],
  namespaces: [name, column("Status", text(".status.phase")), age],
  serviceaccounts: [name, age],
  resourcequotas: [
    name,
    column("Request", (object) => quotaUse(object, false)),
    column("Limit", (object) => quotaUse(object, true)),
    age,
  ],
  "daemonsets.apps": [
    name,
    counted("Desired", ".status.desiredNumberScheduled"),
    counted("Current", ".status.currentNumberScheduled"),
    counted("Ready", ".status.numberReady"),
    counted("Up-to-date", ".status.updatedNumberScheduled"),
    counted("Available", ".status.numberAvailable"),
    column("Node Selector", (object) => {
      const template = objectAt(objectAt(object, "spec"), "template");
      return labelsText(objectAt(objectAt(template, "spec"), "nodeSelector"));
    }),
    age,
    ...workload,
  ],
  "deployments.apps": [
    name,
    column("Ready", (object) => `${count(".status.readyReplicas")(object, 0)}/${count(".spec.replicas")(object, 0)}`),
    column("Up-to-date", count(".status.updatedReplicas")),
    column("Available", count(".status.availableReplicas")),
    age,
    ...workload,
  ],
  "replicasets.apps": [
    name,
    counted("Desired", ".spec.replicas"),
    counted("Current", ".status.replicas"),
    counted("Ready", ".status.readyReplicas"),
    age,
    ...workload,
  ],
  "controllerrevisions.apps": [name, column("Controller", controllerOf), column("Revision", count(".revision")), age],
  "jobs.batch": job,
  "leases.coordination.k8s.io": [name, column("Holder", text(".spec.holderIdentity")), age],
  "poddisruptionbudgets.policy": [
    name,
    column("Min Available", intOrText(".spec.minAvailable")),
    column("Max Unavailable", intOrText(".spec.maxUnavailable")),
    counted("Allowed Disruptions", ".status.disruptionsAllowed"),
    age,
  ],
  "rolebindings.rbac.authorization.k8s.io": binding,
  "clusterrolebindings.rbac.authorization.k8s.io": binding,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": configurations,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": configurations,
};

function sizeOf(object: JsonObject, key: string): number {
  return Object.keys(objectAt(object, key)).length;
}

/** The columns of a built-in resource, by the store's name for it: "daemonsets.apps". */
export function builtInColumns(table: string): readonly Column[] {
  return columns[table] ?? [name, createdAt];
}

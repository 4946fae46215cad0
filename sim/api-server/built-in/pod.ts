// Pods: the defaults that depend on other fields, what admission adds, and the status that a new pod begins with.
// Pod templates of other kinds get the same defaults, but nothing that belongs to a running pod.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, metaOf, numberAt, objectAt, textAt, withMeta } from "../api-object.ts";
import { changeItems, setFields } from "../patch/change-json.ts";

/** What the quality of a pod is told from. */
const counted = ["cpu", "memory"];
/** The seconds that a pod stays on a node that is not ready or not reachable. */
const TOLERATION_SECONDS = 300;
const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  "system-node-critical": 2_000_001_000,
  "system-cluster-critical": 2_000_000_000,
};

/** The spec of a pod or template with all defaults. */
function completePodSpec(spec: JsonObject): JsonObject {
  const account = textAt(spec, "serviceAccountName") || textAt(spec, "serviceAccount") || undefined;
  return setFields(spec, {
    ...changedList(spec, "containers", completeContainer),
    ...changedList(spec, "initContainers", completeContainer),
    ...changedList(spec, "volumes", completeVolume),
    // One field under two names.
    ...{ serviceAccountName: account, serviceAccount: account },
  });
}

/** An object whose pod template has all defaults. */
export function completeTemplate(object: JsonObject): JsonObject {
  const spec = objectAt(object, "spec");
  const template = objectAt(spec, "template");
  const completed = setFields(template, { spec: completePodSpec(objectAt(template, "spec")) });
  return setFields(object, { spec: setFields(spec, { template: completed }) });
}

/** A pod with all defaults. */
export function completePod(pod: JsonObject): JsonObject {
  const spec = completePodSpec(objectAt(pod, "spec"));
  const isOnHostNetwork = spec.hostNetwork === true;
  const complete = (container: JsonObject) => ownRequests(isOnHostNetwork ? hostPorts(container) : container);
  const { enableServiceLinks = true } = spec;
  const lists = { ...changedList(spec, "containers", complete), ...changedList(spec, "initContainers", complete) };
  const { status } = pod;
  return setFields(pod, {
    spec: setFields(spec, { ...lists, enableServiceLinks }),
    ...(isJsonObject(status) ? { status: withAddresses(status) } : {}),
  });
}

function changedList(holder: JsonObject, key: string, change: (item: JsonObject) => JsonObject): Record<string, Json> {
  if (holder[key] === undefined || holder[key] === null) return {};
  return { [key]: changeItems(listAt(holder, key), (item) => (isJsonObject(item) ? change(item) : item)) };
}

function completeContainer(container: JsonObject): JsonObject {
  if (container.imagePullPolicy !== undefined) return container;
  return setFields(container, { imagePullPolicy: isLatest(textAt(container, "image")) ? "Always" : "IfNotPresent" });
}

/** Without tag and digest an image is the latest. */
function isLatest(image: string): boolean {
  if (image.includes("@")) return false;
  const name = image.slice(image.lastIndexOf("/") + 1);
  return image === "" ? false : !name.includes(":") || name.endsWith(":latest");
}

function completeVolume(volume: JsonObject): JsonObject {
  return Object.keys(volume).some((key) => key !== "name") ? volume : setFields(volume, { emptyDir: {} });
}

/** What a container may use at most is what it asks for, unless it says so itself. */
function ownRequests(container: JsonObject): JsonObject {
  const resources = objectAt(container, "resources");
  if (resources.limits === undefined) return container;
  const own = objectAt(resources, "requests");
  const requests = setFields(own, { ...objectAt(resources, "limits"), ...own });
  return setFields(container, { resources: setFields(resources, { requests }) });
}

function hostPorts(container: JsonObject): JsonObject {
  const withHostPort = (port: JsonObject) => setFields(port, { hostPort: port.hostPort ?? port.containerPort });
  return setFields(container, changedList(container, "ports", withHostPort));
}

/** A pod names a priority class that is there: this server has those of every cluster and no others. */
export function podForbidden(pod: JsonObject): string | undefined {
  const name = textAt(objectAt(pod, "spec"), "priorityClassName");
  return name === "" || SYSTEM_PRIORITIES[name] !== undefined
    ? undefined
    : `no PriorityClass with name ${name} was found`;
}

/** What the server's own admission plug-ins add to a new pod: account, priority, tolerations. */
export function admitPod(pod: JsonObject): JsonObject {
  const spec = objectAt(pod, "spec");
  const account = textAt(spec, "serviceAccountName") || "default";
  const priority = SYSTEM_PRIORITIES[textAt(spec, "priorityClassName")] ?? 0;
  const { preemptionPolicy = "PreemptLowerPriority" } = spec;
  const added = { serviceAccountName: account, serviceAccount: account, priority, preemptionPolicy };
  return tolerateOutages(setFields(pod, { spec: setFields(spec, added) }));
}

/** What admission does to a changed pod: it keeps its priority, and its patience with nodes. */
export function admitPodChange(next: JsonObject, old: JsonObject): JsonObject {
  const [spec, was] = [objectAt(next, "spec"), objectAt(old, "spec")];
  const { priority = was.priority, preemptionPolicy = was.preemptionPolicy } = spec;
  return tolerateOutages(setFields(next, { spec: setFields(spec, { priority, preemptionPolicy }) }));
}

/** The pod with tolerations for nodes that are not ready or not reachable. */
function tolerateOutages(pod: JsonObject): JsonObject {
  const spec = objectAt(pod, "spec");
  const tolerations = listAt(spec, "tolerations");
  const missing = ["not-ready", "unreachable"]
    .map((state) => `node.kubernetes.io/${state}`)
    .filter((key) => !tolerations.some((each) => isJsonObject(each) && isTolerated(each, key)))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: TOLERATION_SECONDS }));
  if (missing.length === 0) return pod;
  return setFields(pod, { spec: setFields(spec, { tolerations: [...tolerations, ...missing] }) });
}

function isTolerated(toleration: JsonObject, taintKey: string): boolean {
  const [key, effect] = [textAt(toleration, "key"), textAt(toleration, "effect")];
  return (key === taintKey || key === "") && (effect === "NoExecute" || effect === "");
}

/** A pod as it begins: it waits, and it ends in no less than no time. */
export function newPod(pod: JsonObject): JsonObject {
  const spec = objectAt(pod, "spec");
  const grace = numberAt(spec, "terminationGracePeriodSeconds") ?? 0;
  return setFields(pod, {
    spec: grace < 0 ? setFields(spec, { terminationGracePeriodSeconds: 1 }) : spec,
    status: { phase: "Pending", qosClass: qosClass(spec) },
  });
}

/** What a write of a pod's status leaves as it was. */
export function preparePodStatus(next: JsonObject, old: JsonObject): JsonObject {
  const { qosClass: quality } = objectAt(old, "status");
  const status = setFields(objectAt(next, "status"), { qosClass: quality });
  return withMeta(setFields(next, { status }), { ownerReferences: metaOf(old).ownerReferences });
}

/** One address stands in two places: the plain one decides, and is the first of the list where there is no other. */
function withAddresses(status: JsonObject): JsonObject {
  const address = textAt(status, "podIP");
  const [first] = listAt(status, "podIPs");
  const listed = isJsonObject(first) ? textAt(first, "ip") : "";
  if (address === listed) return status;
  return setFields(status, address === "" ? { podIP: listed } : { podIPs: [{ ip: address }] });
}

/** How well a pod's resources are known: all, some, none. */
function qosClass(spec: JsonObject): string {
  const containers = [...listAt(spec, "containers"), ...listAt(spec, "initContainers")].filter(isJsonObject);
  const resources = containers.map((container) => objectAt(container, "resources"));
  const isNamed = (amounts: JsonObject) => counted.some((name) => isPositive(amounts[name]));
  if (!resources.some((each) => isNamed(objectAt(each, "limits")) || isNamed(objectAt(each, "requests"))))
    return "BestEffort";
  const isGuaranteed = resources.every((each) => {
    const [limits, requests] = [objectAt(each, "limits"), objectAt(each, "requests")];
    return counted.every((name) => isPositive(limits[name]) && limits[name] === requests[name]);
  });
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

/** Quantities have been read, and are written in their one way: without zeros in front. */
function isPositive(amount: Json | undefined): boolean {
  return typeof amount === "string" && /^[1-9]/.test(amount);
}

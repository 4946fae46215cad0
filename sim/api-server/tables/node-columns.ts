// The columns of nodes, of the pods on them and of the events about both, as the real server prints them.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, numberAt, objectAt, textAt } from "../api-object.ts";
import { printAge } from "./age.ts";
import { ageColumn, type Column, column, NONE, nameColumn, text, UNKNOWN, wideColumn } from "./column.ts";
import { conditionOf, objectsAt, podCells } from "./pod-cells.ts";

export const podColumns: readonly Column[] = [
  nameColumn,
  column("Ready", (object, nowMs) => podCells(object, nowMs).ready),
  column("Status", (object, nowMs) => podCells(object, nowMs).status),
  column("Restarts", (object, nowMs) => podCells(object, nowMs).restarts),
  ageColumn,
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

export const nodeColumns: readonly Column[] = [
  nameColumn,
  column("Status", nodeStatus),
  column("Roles", (object) => nodeRoles(objectAt(metaOf(object), "labels")).join(",") || NONE),
  ageColumn,
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

export const eventColumns: readonly Column[] = [
  column("Last Seen", (object, nowMs) => printAge(lastSeen(object), nowMs)),
  column("Type", text(".type")),
  column("Reason", text(".reason")),
  column("Object", (object) => involved(objectAt(object, "involvedObject"))),
  wideColumn("Subobject", text(".involvedObject.fieldPath")),
  wideColumn("Source", eventSource),
  column("Message", (object) => textAt(object, "message").trim()),
  wideColumn("First Seen", (object, nowMs) => printAge(firstSeen(object), nowMs)),
  wideColumn("Count", (object) => numberAt(objectAt(object, "series"), "count") ?? (numberAt(object, "count") || 1)),
  { ...nameColumn, priority: 1 },
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

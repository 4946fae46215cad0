// The columns of the kinds of the server itself, in the real server's order and words. Their descriptions are left out: no
// client shows them. A kind without columns of its own has a name and the time of its creation.

import type { JsonObject } from "../../../src/core/json/json.ts";
import { listAt, metaOf, numberAt, objectAt, textAt, valueAtPath } from "../api-object.ts";
import {
  ageColumn,
  type Cell,
  type Column,
  column,
  counted,
  labelsText,
  NONE,
  nameColumn,
  text,
  wideColumn,
} from "./column.ts";
import { eventColumns, nodeColumns, podColumns } from "./node-columns.ts";
import { objectsAt } from "./pod-cells.ts";
import { workloadColumns } from "./workload-columns.ts";

const createdAt = column("Created At", (object) => textAt(metaOf(object), "creationTimestamp"), "date");
const webhooks = column("Webhooks", (object) => listAt(object, "webhooks").length, "integer");

const published: readonly Column[] = [
  nameColumn,
  column("Type", text(".spec.type")),
  column("Cluster-IP", (object) => listAt(objectAt(object, "spec"), "clusterIPs")[0] ?? NONE),
  column("External-IP", externalAddress),
  column("Port(s)", servicePorts),
  ageColumn,
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
  nameColumn,
  column("Role", (object) => {
    const role = objectAt(object, "roleRef");
    return `${textAt(role, "kind")}/${textAt(role, "name")}`;
  }),
  ageColumn,
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

const configurations = [nameColumn, webhooks, ageColumn];

/** Columns by the store's names of resources. */
const columns: Readonly<Record<string, readonly Column[]>> = {
  pods: podColumns,
  nodes: nodeColumns,
  services: published,
  events: eventColumns,
  configmaps: [
    nameColumn,
    column("Data", (object) => sizeOf(object, "data") + sizeOf(object, "binaryData")),
    ageColumn,
  ],
  secrets: [nameColumn, column("Type", text(".type")), column("Data", (object) => sizeOf(object, "data")), ageColumn],
  namespaces: [nameColumn, column("Status", text(".status.phase")), ageColumn],
  serviceaccounts: [nameColumn, ageColumn],
  resourcequotas: [
    nameColumn,
    column("Request", (object) => quotaUse(object, false)),
    column("Limit", (object) => quotaUse(object, true)),
    ageColumn,
  ],
  ...workloadColumns,
  "leases.coordination.k8s.io": [nameColumn, column("Holder", text(".spec.holderIdentity")), ageColumn],
  "poddisruptionbudgets.policy": [
    nameColumn,
    column("Min Available", intOrText(".spec.minAvailable")),
    column("Max Unavailable", intOrText(".spec.maxUnavailable")),
    counted("Allowed Disruptions", ".status.disruptionsAllowed"),
    ageColumn,
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
  return columns[table] ?? [nameColumn, createdAt];
}

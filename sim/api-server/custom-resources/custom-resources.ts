// Custom resource definitions at work: storing one makes its resources served, deleting it takes away first its objects and
// then itself. The real server does this with controllers; here it happens before the write that asked for it is answered.
//
// Beside this file:
//   custom-resource-type.ts, version-order.ts  resource types of a definition
//   definition-faults.ts                       why a definition is refused
//   conversion-webhook.ts                      conversion between versions
import type { JsonObject } from "../../../src/core/json/json.ts";
import { isJsonObject } from "../../../src/core/json/json.ts";
import type { CallWebhook } from "../admission/call-webhook.ts";
import { listAt, metaOf, nameOf, objectAt, textAt, withFields } from "../api-object.ts";
import { type Endpoint, renameVersion, tableOf } from "../resource-table.ts";
import { isSameJson } from "../same-json.ts";
import type { ServerParts, Target } from "../server-parts.ts";
import type { Change } from "../store/store.ts";
import { commitObject, commitRemoval } from "../verbs/commit-object.ts";
import { DEFINITIONS, endObject, plainDelete } from "../verbs/delete-object.ts";
import { convertByWebhook } from "./conversion-webhook.ts";
import { isServedVersion, isStoredVersion } from "./custom-resource-type.ts";

/** Serves what definitions say, from now on. */
export function serveCustomResources(parts: ServerParts, callWebhook: CallWebhook): void {
  /** Tables that are being emptied, with the key of the definition that goes when they are. */
  const ending = new Map<string, string>();
  parts.store.onCommit((change) => {
    if (change.table === DEFINITIONS) follow(parts, change, callWebhook, ending);
    const definition = change.type === "DELETED" ? ending.get(change.table) : undefined;
    if (definition !== undefined) endWhenEmpty(parts, change.table, definition);
  });
}

function follow(parts: ServerParts, change: Change, callWebhook: CallWebhook, ending: Map<string, string>): void {
  const { object, previous } = change;
  const table = tableNamed(object);
  if (change.type === "DELETED") {
    ending.delete(table);
    parts.resources.withdraw(table);
    return;
  }
  const before = previous?.type === "DELETED" ? undefined : previous?.object.spec;
  if (!isSameJson(object.spec, before)) serve(parts, object, callWebhook);
  if (metaOf(object).deletionTimestamp !== undefined) {
    if (ending.has(table)) return;
    ending.set(table, change.key);
    empty(parts, table);
    endWhenEmpty(parts, table, change.key);
    return;
  }
  const status = establishedStatus(object, parts.now());
  const target = definitionTarget(parts, object);
  if (target !== undefined && !isSameJson(status, object.status))
    commitObject(parts, target, withFields(object, { status }));
}

function serve(parts: ServerParts, definition: JsonObject, callWebhook: CallWebhook): void {
  const types = parts.memory.typesOf(definition);
  const stored = types.find(({ version }) => isStoredVersion(definition, version));
  if (stored === undefined) return;
  const conversion = objectAt(objectAt(definition, "spec"), "conversion");
  const convert = conversion.strategy === "Webhook" ? convertByWebhook(parts, conversion, callWebhook) : renameVersion;
  const served = types.filter(({ version }) => isServedVersion(definition, version));
  parts.resources.serve(served, stored, convert);
}

function tableNamed(definition: JsonObject): string {
  const spec = objectAt(definition, "spec");
  return tableOf({ group: textAt(spec, "group"), plural: textAt(objectAt(spec, "names"), "plural") });
}

function definitionTarget({ resources }: ServerParts, definition: JsonObject): Target | undefined {
  const endpoint = resources.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  return endpoint && { endpoint, namespace: "", name: nameOf(definition), subresource: "" };
}

/** What the real server's controllers say of a definition whose names are free. */
function establishedStatus(definition: JsonObject, now: string): JsonObject {
  const spec = objectAt(definition, "spec");
  const status = objectAt(definition, "status");
  const stored = listAt(spec, "versions").flatMap((version) =>
    isJsonObject(version) && version.storage === true ? [textAt(version, "name")] : [],
  );
  const known = listAt(status, "storedVersions");
  const conditions = listAt(status, "conditions");
  const condition = (type: string, reason: string, message: string) => ({
    ...{ type, status: "True", lastTransitionTime: now, reason, message },
  });
  return {
    conditions:
      conditions.length > 0
        ? conditions
        : [
            condition("NamesAccepted", "NoConflicts", "no conflicts found"),
            condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
          ],
    acceptedNames: objectAt(spec, "names"),
    storedVersions: [...known, ...stored.filter((version) => !known.includes(version))],
  };
}

/** Deletes all objects of a resource; those with finalizers stay until these are gone. */
function empty(parts: ServerParts, table: string): void {
  const [endpoint] = parts.resources.versionsOf(table);
  if (endpoint === undefined) return;
  const { store } = parts;
  const changes = [...store.list(table, { revision: store.revision, prefix: "" })];
  for (const change of changes) endObject(parts, targetOf(endpoint, change.object), change, plainDelete);
}

function targetOf(endpoint: Endpoint, object: JsonObject): Target {
  return { endpoint, namespace: textAt(metaOf(object), "namespace"), name: nameOf(object), subresource: "" };
}

function endWhenEmpty(parts: ServerParts, table: string, definitionKey: string): void {
  const { store } = parts;
  const definition = store.get(DEFINITIONS, definitionKey)?.object;
  const isEmpty = store.list(table, { revision: store.revision, prefix: "" }).next().done === true;
  if (definition === undefined || !isEmpty) return;
  const target = definitionTarget(parts, definition);
  if (target !== undefined) commitRemoval(parts, target, definition);
}

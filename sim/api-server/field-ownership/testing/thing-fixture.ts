// An object to try ownership on, with one field for each way of owning, and the two ways of writing it.
import type { Json, JsonObject } from "../../../../src/core/json/json.ts";
import { metaOf, objectAt, withFields, withMeta } from "../../api-object.ts";
import { changeValues } from "../../patch/change-json.ts";
import type { Schema } from "../../schema.ts";
import { type Applied, applyConfiguration } from "../apply-configuration.ts";
import type { FieldSet } from "../field-set.ts";
import { ownedKindOf } from "../owned-kind.ts";
import { storedOwners } from "../owners.ts";
import { trackUpdate } from "../track-update.ts";

const text: Schema = { type: "string" };
const texts: Schema = { type: "object", additionalProperties: text };
const tags: Schema = { type: "array", items: text, "x-kubernetes-list-type": "set" };
const spec: Schema = {
  type: "object",
  properties: {
    word: text,
    labels: texts,
    whole: { ...texts, "x-kubernetes-map-type": "atomic" },
    plain: { type: "array", items: text },
    set: tags,
    parts: {
      ...{ type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "side"] },
      items: { type: "object", properties: { name: text, side: { ...text, default: "L" }, value: text, tags } },
    },
    open: {
      ...{ type: "object", "x-kubernetes-preserve-unknown-fields": true },
      properties: { known: { type: "object", properties: { word: text } } },
    },
  },
};
const schema: Schema = { type: "object", properties: { spec, status: texts } };
const named = { group: "example.dev", kind: "Thing", plural: "things" };
const custom = { ...named, schema, definitions: {}, isCustom: true, subresources: ["status"] };
/** The kind as a server knows it that has seen no object of it. */
export const freshKind = () => ownedKindOf({ ...custom, version: "v1" });
export const kind = freshKind();
export const later = ownedKindOf({ ...custom, version: "v2" });

export const now = "2026-01-01T00:00:00Z";
export const afterwards = "2026-01-01T00:00:09Z";
export const thing = (content: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  ...{ apiVersion: "example.dev/v1", kind: "Thing", metadata: { name: "a", ...metadata }, spec: content },
});

type By = { readonly manager?: string; readonly force?: boolean; readonly now?: string; readonly subresource?: string };

/** An apply by `one`, unless said otherwise. */
export function apply(live: JsonObject | undefined, applied: JsonObject, by: By = {}): Applied {
  return applyConfiguration(kind, { live, applied, manager: "one", force: false, subresource: "", now, ...by });
}

/** The object after an apply that must succeed, as it would be stored. */
export function applied(live: JsonObject | undefined, content: JsonObject, by: By = {}): JsonObject {
  const answer = apply(live, thing(content), by);
  if (answer.outcome !== "applied") throw new Error(JSON.stringify(answer));
  return stored(answer.object, answer.managedFields);
}

/** The object after an update by `editor`, unless said otherwise. */
export function updated(live: JsonObject | undefined, next: JsonObject, by: By = {}): JsonObject {
  const update = { live, next, manager: "editor", subresource: "", now, ...by };
  return stored(next, trackUpdate(kind, update));
}

/** The object as the server keeps it: reading it as its kind has dropped what became null. */
export function stored(object: JsonObject, managedFields: readonly Json[] | undefined): JsonObject {
  return withMeta(withFields(object, { spec: withoutNulls(objectAt(object, "spec")) }), { uid: "u", managedFields });
}

function withoutNulls(content: JsonObject): JsonObject {
  return changeValues(content, (value) => value ?? undefined);
}

/** What everybody owns, by manager and operation. */
export function ownersOf(object: JsonObject): Readonly<Record<string, FieldSet>> {
  const owners = storedOwners(metaOf(object).managedFields, "example.dev");
  return Object.fromEntries(
    [...owners.values()].map(({ manager, operation, fields }) => [`${manager} ${operation}`, fields]),
  );
}

/** The times of all owners, by manager. */
export function timesOf(object: JsonObject): Readonly<Record<string, string | undefined>> {
  const owners = storedOwners(metaOf(object).managedFields, "example.dev");
  return Object.fromEntries([...owners.values()].map(({ manager: who, time }) => [who, time]));
}

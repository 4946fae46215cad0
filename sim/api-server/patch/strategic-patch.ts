// Strategic merge patches on built-in kinds. The merge is the operator's own (core/); the kind's schema tells it which lists
// meet by key. Pod templates use the table that core generates from the Go types, which knows more than OpenAPI says.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { StrategicMergeError } from "../../../src/core/strategic-merge/error.ts";
import { mergeObjects } from "../../../src/core/strategic-merge/object.ts";
import { podTemplateSchema } from "../../../src/core/strategic-merge/pod-template-schema.generated.ts";
import type { FieldSchema, ListSchema, StructSchema } from "../../../src/core/strategic-merge/schema.ts";
import { failure } from "../faults/status.ts";
import { type Definitions, resolveRef, type Schema } from "../schema.ts";

const whole: ListSchema = { element: undefined, isMerged: false, mergeKey: "" };
const generated: Readonly<Record<string, StructSchema | undefined>> = {
  PodTemplateSpec: podTemplateSchema,
  PodSpec: podTemplateSchema.fields.get("spec")?.object,
  ObjectMeta: podTemplateSchema.fields.get("metadata")?.object,
};

/** Merges patches by the schemas of built-in kinds, each translated once. */
export class StrategicPatches {
  readonly #structs = new Map<Schema, StructSchema>();

  /** The object with the patch applied; throws a Refusal in the real server's words. */
  merge(original: JsonObject, patch: JsonObject, schema: Schema, definitions: Definitions): JsonObject {
    try {
      const struct = this.#structOf("", schema, definitions);
      return mergeObjects(original, patch, { schema: struct, path: undefined, trace: undefined, plain: undefined });
    } catch (error) {
      throw error instanceof StrategicMergeError ? failure(goWords(error, patch)) : error;
    }
  }

  #structOf(name: string, schema: Schema, definitions: Definitions): StructSchema | undefined {
    const resolved = resolveRef(schema, definitions);
    const title = schema.$ref?.split(".").at(-1) ?? name;
    if (Object.hasOwn(generated, title)) return generated[title];
    if (resolved.properties === undefined) return undefined;
    const known = this.#structs.get(resolved);
    if (known !== undefined) return known;
    const fields = new Map<string, FieldSchema>();
    const struct: StructSchema = { name: title, fields };
    // Known before its fields are, because a type may hold itself.
    this.#structs.set(resolved, struct);
    for (const [key, field] of Object.entries(resolved.properties))
      fields.set(key, this.#fieldOf(key, field, definitions));
    return struct;
  }

  #fieldOf(key: string, schema: Schema, definitions: Definitions): FieldSchema {
    const { type, items } = resolveRef(schema, definitions);
    const object = this.#structOf(key, schema, definitions);
    if (type !== "array" || items === undefined) return { object, list: object === undefined ? undefined : whole };
    const mergeKey = schema["x-kubernetes-patch-merge-key"] ?? "";
    const isMerged = schema["x-kubernetes-patch-strategy"]?.includes("merge") === true;
    return { object: undefined, list: { element: this.#structOf(key, items, definitions), isMerged, mergeKey } };
  }
}

/** The two failures that people meet; others keep our own words. */
function goWords({ kind, path, message }: StrategicMergeError, patch: JsonObject): string {
  const part = partAt(patch, path);
  if (kind === "badPatchType" && isJsonObject(part))
    return `unknown patch type: ${String(part.$patch)} in map: ${goText(part)}`;
  const [, mergeKey] = /merge key "([^"]*)"/.exec(message) ?? [];
  const keyless = (item: Json) => isJsonObject(item) && mergeKey !== undefined && !Object.hasOwn(item, mergeKey);
  const culprit = kind === "noMergeKey" && isJsonList(part) ? part.find(keyless) : undefined;
  if (culprit === undefined) return message;
  return `map: ${goText(culprit)} does not contain declared merge key: ${mergeKey}`;
}

/** The part of a patch at the path of an error: fields by name, elements of lists by `[key=value]`. */
function partAt(patch: JsonObject, path: string): Json | undefined {
  let part: Json | undefined = patch;
  for (const step of path.split(/\.|(?=\[)/)) {
    const [, key = "", value] = /^\[([^=]*)=(.*)\]$/.exec(step) ?? [];
    if (isJsonList(part)) part = part.find((item: Json) => isJsonObject(item) && String(item[key]) === value);
    else part = isJsonObject(part) ? part[step] : undefined;
  }
  return part;
}

/** A value as Go prints it with %v: maps with their keys in order. */
function goText(value: Json): string {
  if (isJsonList(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isJsonObject(value)) return value === null ? "<nil>" : String(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${fields.map(([key, item]) => `${key}:${goText(item)}`).join(" ")}]`;
}

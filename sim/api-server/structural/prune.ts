// Pruning: fields that the schema does not know are dropped before anything else looks at an object, and so are nulls
// where neither null nor a default is allowed. The metadata of objects is left alone: it has rules of its own.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { pathText } from "../faults/path-text.ts";
import { changeItems, changeValues } from "../patch/change-json.ts";
import type { SchemaNode } from "./schema-node.ts";

export type Pruned = {
  /** The same value when nothing was dropped. */
  readonly value: Json;
  /** Paths of unknown fields, sorted: `spec.extra`, `spec.parts[0].extra`. Dropped nulls are not named. */
  readonly unknown: readonly string[];
};

export type PruneOptions = {
  /** Nulls stay wherever they stand: what an apply has merged is read by nobody before it is validated. */
  readonly keepsNulls?: boolean;
};

const typeAndMetadata = new Set(["apiVersion", "kind", "metadata"]);

/** The value without the fields that the schema does not know. */
export function prune(schema: SchemaNode, value: Json, { keepsNulls = false }: PruneOptions = {}): Pruned {
  const unknown: string[] = [];
  const pruned = pruneValue({ steps: [], unknown, keepsNulls }, schema, value, schema.keepsUnknown);
  return { value: pruned, unknown: unknown.sort() };
}

/** Where the walk is, and what it has found. */
type Walk = { readonly steps: (string | number)[]; readonly unknown: string[]; readonly keepsNulls: boolean };

function pruneValue(walk: Walk, node: SchemaNode | undefined, value: Json, keepsUnknown: boolean): Json {
  if (isJsonObject(value)) return pruneObject(walk, node, value, keepsUnknown);
  if (!isJsonList(value)) return value;
  const items = node?.items;
  return changeItems(value, (item, index) => {
    walk.steps.push(index);
    // Items of an open list are open at their first level, whatever their own schema says.
    const pruned = pruneValue(walk, items, item, keepsUnknown || items?.keepsUnknown === true);
    walk.steps.pop();
    return pruned;
  });
}

function pruneObject(walk: Walk, node: SchemaNode | undefined, object: JsonObject, keepsUnknown: boolean): JsonObject {
  return changeValues(object, (value, key) => {
    if (node?.isResource === true && typeAndMetadata.has(key)) return value;
    const child = node?.properties.get(key) ?? node?.additional;
    if (child === undefined && keepsUnknown) return value;
    walk.steps.push(key);
    const pruned = child === undefined ? void walk.unknown.push(pathText(walk.steps)) : pruneField(walk, child, value);
    walk.steps.pop();
    return pruned;
  });
}

function pruneField(walk: Walk, node: SchemaNode, value: Json): Json | undefined {
  // A null with a default is left for the default to replace.
  if (value === null && !walk.keepsNulls && !node.isNullable && node.fallback === undefined) return undefined;
  return pruneValue(walk, node, value, node.keepsUnknown);
}

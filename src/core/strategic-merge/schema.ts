// What a strategic merge has to know of the Go types behind a document: which fields a struct has, and how two lists
// meet. The table for pod templates is generated; the look-ups here decide when a merge may go deeper.
import { StrategicMergeError } from "./error.ts";
import type { FieldPath } from "./path.ts";

/** A Go struct. Where a type is no struct (map, list, scalar), the schema is undefined and nothing nested can meet. */
export type StructSchema = { readonly name: string; readonly fields: ReadonlyMap<string, FieldSchema> };

export type FieldSchema = {
  /** The struct that two objects meet in, if the field's type is a struct or a pointer to one. */
  readonly object: StructSchema | undefined;
  /** How two lists meet; undefined where the Go type can hold no list. */
  readonly list: ListSchema | undefined;
};

export type ListSchema = {
  readonly element: StructSchema | undefined;
  /** False: the patch's list takes the place of the original's. */
  readonly isMerged: boolean;
  /** The field that identifies an element; empty where elements are scalars or the list is not merged. */
  readonly mergeKey: string;
};

/** The field in which two objects meet; an error where Go would find none. */
export function lookUpField(schema: StructSchema | undefined, key: string, path: FieldPath): FieldSchema {
  if (schema === undefined) {
    throw new StrategicMergeError("notStruct", path, {
      problem: "the template and the patch both hold an object or list here, inside a field that has no nested fields",
      remedy: "replace the field as a whole, or remove it first",
    });
  }
  const field = schema.fields.get(key) ?? findIgnoringCase(schema, key);
  if (field !== undefined) return field;
  throw new StrategicMergeError("unknownField", path, {
    problem: `${schema.name} has no field of this name, so two objects or lists cannot be merged in it`,
    remedy: "correct the name, or replace the field as a whole",
  });
}

/** The way in which two lists meet; an error where the field cannot hold a list. */
export function lookUpList(schema: StructSchema | undefined, key: string, path: FieldPath): ListSchema {
  const { list } = lookUpField(schema, key, path);
  if (list !== undefined) return list;
  throw new StrategicMergeError("expectedSlice", path, {
    problem: "the field takes no list",
    remedy: "give a value of the field's own type",
  });
}

/** Go's JSON package accepts a name in any case, and two letters outside ASCII that fold to k and s. */
function findIgnoringCase(schema: StructSchema, key: string): FieldSchema | undefined {
  const wanted = foldCase(key);
  for (const [name, field] of schema.fields) if (foldCase(name) === wanted) return field;
  return undefined;
}

function foldCase(name: string): string {
  return name.replaceAll("\u017f", "s").replaceAll("\u212a", "k").toLowerCase();
}

// The types of CEL values, as a structural schema declares them. They are checked when a rule is installed, so that a rule
// that names a field wrongly is refused at once and not when the first object meets it.
import type { Schema } from "../schema.ts";

export type CelType =
  | { readonly is: "int" | "double" | "string" | "bool" | "null" | "dyn" | "type" }
  | { readonly is: "list"; readonly item: CelType }
  | { readonly is: "map"; readonly value: CelType }
  /** `fields` are those of the schema, and of every resource if it is one. */
  | { readonly is: "object"; readonly schema: Schema; readonly fields: Readonly<Record<string, Schema>> };

export const int: CelType = { is: "int" };
export const string: CelType = { is: "string" };
export const bool: CelType = { is: "bool" };
export const dyn: CelType = { is: "dyn" };

/** What rules see of every resource, whatever its schema says. */
const resourceFields: Readonly<Record<string, Schema>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { type: "object", properties: { name: { type: "string" }, generateName: { type: "string" } } },
};

/** The type of a schema's values; undefined where rules may not look: untyped values, times, bytes. */
export function celTypeOf(schema: Schema): CelType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return dyn;
  const { type, format = "", items, additionalProperties, properties } = schema;
  if (type === "string") return ["byte", "duration", "date", "date-time"].includes(format) ? undefined : string;
  if (type === "array") {
    const item = items && celTypeOf(items);
    return item && { is: "list", item };
  }
  if (type === "object") {
    const isResource = schema["x-kubernetes-embedded-resource"] === true;
    const fields = isResource ? { ...properties, ...resourceFields } : (properties ?? {});
    if (typeof additionalProperties !== "object") return { is: "object", schema, fields };
    const value = celTypeOf(additionalProperties);
    return value && { is: "map", value };
  }
  return type && { is: type === "integer" ? "int" : type === "number" ? "double" : "bool" };
}

/** The type of a field of a value; undefined when the schema has none of that name. */
export function fieldType(type: CelType, field: string): CelType | undefined {
  if (type.is === "dyn") return dyn;
  if (type.is === "map") return type.value;
  const schema = type.is === "object" && Object.hasOwn(type.fields, field) ? type.fields[field] : undefined;
  return schema && celTypeOf(schema);
}

/** The type of what a macro or `in` meets in a collection: elements of a list, keys of a map. */
export function memberType(type: CelType): CelType | undefined {
  return type.is === "list" ? type.item : type.is === "map" ? string : type.is === "dyn" ? dyn : undefined;
}

/** True where a value of one type may stand for the other: the same type, or one that is known only when it runs. */
export function agree(left: CelType, right: CelType): boolean {
  if (left.is === "dyn" || right.is === "dyn") return true;
  if (left.is === "list" && right.is === "list") return agree(left.item, right.item);
  if (left.is === "map" && right.is === "map") return agree(left.value, right.value);
  if (left.is === "object" && right.is === "object") return left.schema === right.schema;
  return left.is === right.is || [left.is, right.is].sort().join() === "null,object";
}

/** How a type is called in messages. */
export function typeName(type: CelType): string {
  if (type.is === "list") return `list(${typeName(type.item)})`;
  return type.is === "map" ? `map(string, ${typeName(type.value)})` : type.is;
}

// What ownership has to know of a kind's schema: which maps and lists are owned piece by piece, and how the elements of a list
// are told apart. Made once per kind; mirrors how the real server turns OpenAPI into the types of structured-merge-diff.
import type { Json } from "../../../src/core/json/json.ts";
import { type Definitions, resolveRef, type Schema } from "../schema.ts";

export type ScalarType = "numeric" | "string" | "boolean" | "untyped";

/** What a value may be; several where the schema leaves it open. */
export type FieldType = {
  readonly scalar: ScalarType | undefined;
  /** `noMap` where it may be none. */
  readonly map: MapType;
  /** `noList` where it may be none. */
  readonly list: ListType;
};

export type MapType = {
  /** An atomic map is one field, whatever is in it. */
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, NamedField>;
  /** The type of keys that are no named fields; undefined where there may be none. */
  readonly others: FieldType | undefined;
};

export type NamedField = { readonly element: string; readonly type: FieldType };

export type ListType = {
  readonly isAtomic: boolean;
  readonly items: FieldType;
  /** What tells elements apart, in the order of their names; empty for a set, whose members are their own keys. */
  readonly keys: readonly ListKey[];
  /** The names of the keys in the order of the schema. */
  readonly keyNames: readonly string[];
};

export type ListKey = { readonly name: string; readonly text: string; readonly fallback: Json | undefined };

type Building = { scalar: ScalarType | undefined; map: MapType; list: ListType };
type Table = { readonly definitions: Definitions; readonly named: Map<string, FieldType> };

export const noMap: MapType = { isAtomic: true, fields: new Map(), others: undefined };
export const noList: ListType = {
  isAtomic: true,
  get items() {
    return untyped;
  },
  ...{ keys: [], keyNames: [] },
};
/** Values of any kind, owned as one. */
const untyped = openType(true);
/** Values of any kind where there is no schema at all: maps are owned key by key. */
export const deduced = openType(false);

function openType(isAtomic: boolean): FieldType {
  const type: Building = { scalar: "untyped", map: noMap, list: noList };
  type.map = { isAtomic, fields: new Map(), others: type };
  type.list = { isAtomic: true, items: type, keys: [], keyNames: [] };
  return type;
}

const text: Schema = { type: "string" };
const texts: Schema = { type: "object", additionalProperties: text };
const ownerReference: Schema = { type: "object", "x-kubernetes-map-type": "atomic" };

/** Metadata as every kind has it; custom resources do not say it themselves. */
const objectMeta: Schema = {
  type: "object",
  properties: {
    ...{ name: text, generateName: text, namespace: text, selfLink: text, uid: text, resourceVersion: text },
    generation: { type: "integer" },
    creationTimestamp: { type: "string", format: "date-time" },
    deletionTimestamp: { type: "string", format: "date-time" },
    deletionGracePeriodSeconds: { type: "integer" },
    labels: texts,
    annotations: texts,
    ownerReferences: {
      ...{ type: "array", items: ownerReference },
      ...{ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"] },
    },
    finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    managedFields: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "atomic" },
  },
};

/** Types that the real server does not take from OpenAPI. */
const fixedTypes: Readonly<Record<string, FieldType>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { scalar: "untyped", map: noMap, list: noList },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": untyped,
};

/** The types of a whole object; the schema of a custom resource is completed with what every object has. */
export function fieldTypeOf(schema: Schema, definitions: Definitions, isCustom: boolean): FieldType {
  const table = { definitions, named: new Map<string, FieldType>() };
  return isCustom
    ? inlineType({ ...schema, "x-kubernetes-embedded-resource": true }, table, false)
    : typeOf(schema, table, false);
}

function typeOf(schema: Schema, table: Table, keepsUnknown: boolean): FieldType {
  const [only, ...more] = schema.allOf ?? [];
  const $ref = schema.$ref ?? (more.length === 0 ? only?.$ref : undefined);
  return $ref === undefined ? inlineType(schema, table, keepsUnknown) : namedType($ref, schema, table);
}

function namedType($ref: string, { "x-kubernetes-map-type": mapType }: Schema, table: Table): FieldType {
  const fixed = fixedTypes[$ref.slice($ref.lastIndexOf("/") + 1)];
  if (fixed !== undefined) return fixed;
  const key = `${$ref} ${mapType}`;
  const known = table.named.get(key);
  if (known !== undefined) return known;
  // Types may contain themselves, so the table has to know this one before its parts are made.
  const type: Building = { scalar: undefined, map: noMap, list: noList };
  table.named.set(key, type);
  const schema = resolveRef({ $ref }, table.definitions);
  // The place that refers to a map may say how it is owned there.
  const said = mapType === undefined ? schema : { ...schema, "x-kubernetes-map-type": mapType };
  return Object.assign(type, inlineType(said, table, false));
}

function inlineType(schema: Schema, table: Table, inherited: boolean): FieldType {
  const keepsUnknown = inherited || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const { type } = schema;
  return {
    scalar: type === "object" || type === "array" ? undefined : scalarTypeOf(schema),
    map: type === undefined || type === "object" ? mapTypeOf(schema, table, keepsUnknown) : noMap,
    list: type === undefined || type === "array" ? listTypeOf(schema, table, keepsUnknown) : noList,
  };
}

function scalarTypeOf({ type, format = "" }: Schema): ScalarType {
  if (type === "integer" || type === "number") return "numeric";
  if (type === "boolean" || (type === "string" && (format === "" || format === "byte"))) return type;
  return "untyped";
}

function mapTypeOf(schema: Schema, table: Table, keepsUnknown: boolean): MapType {
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const properties = isResource
    ? { ...schema.properties, apiVersion: text, kind: text, metadata: objectMeta }
    : (schema.properties ?? {});
  const fields = Object.entries(properties).map(([name, property]) => {
    return [name, { element: `f:${name}`, type: typeOf(property, table, keepsUnknown) }] as const;
  });
  const { additionalProperties: others } = schema;
  const isOpen = others === true || (others === undefined && (keepsUnknown || fields.length === 0));
  return {
    isAtomic: schema["x-kubernetes-map-type"] === "atomic",
    fields: new Map(fields),
    others: typeof others === "object" ? typeOf(others, table, keepsUnknown) : isOpen ? deduced : undefined,
  };
}

function listTypeOf(schema: Schema, table: Table, keepsUnknown: boolean): ListType {
  const { items } = schema;
  const keyNames = listKeysOf(schema);
  const itemSchema = items === undefined ? {} : resolveRef(items, table.definitions);
  const keys = (keyNames ?? []).toSorted().map((name): ListKey => {
    const fallback = Object.hasOwn(itemSchema.properties ?? {}, name)
      ? itemSchema.properties?.[name]?.default
      : undefined;
    return { name, text: JSON.stringify(name), fallback };
  });
  return {
    isAtomic: keyNames === undefined,
    items: items === undefined ? untyped : typeOf(items, table, keepsUnknown),
    ...{ keys, keyNames: keyNames ?? [] },
  };
}

/** The keys of a list's elements: none for a set, undefined for an atomic list. */
function listKeysOf(schema: Schema): readonly string[] | undefined {
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return schema["x-kubernetes-list-map-keys"] ?? [];
    case "set":
      return [];
    case "atomic":
      return undefined;
    default: {
      const strategy = schema["x-kubernetes-patch-strategy"] ?? "";
      const key = schema["x-kubernetes-patch-merge-key"];
      if (!strategy.split(",").includes("merge")) return undefined;
      return key === undefined ? [] : [key];
    }
  }
}

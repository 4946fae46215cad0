// The Go types behind the built-in kinds, derived from their published schemas: what decoding and encoding an object with
// them does to its fields. Built once; types that mention each other are made when they are first met.
import { isJsonObject, type Json } from "../../../src/core/json/json.ts";
import { type Definitions, resolveRef, type Schema } from "../schema.ts";

export type GoType =
  | GoStruct
  | { readonly is: "list"; readonly item: GoType }
  | { readonly is: "map"; readonly value: GoType }
  /** Kept as it is. */
  | { readonly is: "any" }
  | { readonly is: "scalar"; readonly of: Scalar };

export type GoStruct = {
  readonly is: "struct";
  readonly name: string;
  readonly fields: ReadonlyMap<string, GoField>;
  /** The fields that are there in every object. */
  readonly written: readonly string[];
};

export type Scalar =
  | "string"
  | "bytes"
  | "bool"
  | "int32"
  | "int64"
  | "float64"
  | "time"
  | "micro-time"
  | "quantity"
  | "int-or-string";

export type GoField = {
  readonly type: GoType;
  /** What stands there when nothing was sent, or a zero value that is left out; undefined for nothing. */
  readonly absent: Json | undefined;
  /** A pointer keeps a zero value that was sent; a plain field that is left out when it is zero does not. */
  readonly keepsZero: boolean;
  /** True for a field that Go cannot leave out: told so, or a struct that no pointer leads to. */
  readonly isWritten: boolean;
};

/** The type of most fields. */
export const text: GoType = { is: "scalar", of: "string" };

/** How a type is called in the messages of Go's decoder. */
export function goName(type: GoType): string {
  switch (type.is) {
    case "struct":
      return type.name;
    case "list":
      return `[]${goName(type.item)}`;
    case "map":
      return `map[string]${goName(type.value)}`;
    case "any":
      return "interface {}";
    case "scalar":
      return type.of;
  }
}

const zeros: Readonly<Record<Scalar, Json>> = {
  string: "",
  bytes: "",
  bool: false,
  int32: 0,
  int64: 0,
  float64: 0,
  time: null,
  "micro-time": null,
  quantity: "0",
  "int-or-string": 0,
};
/** Structs to Go although JSON shows scalars: never left out unless behind a pointer. */
const alwaysWritten = new Set<Scalar>(["time", "micro-time", "quantity", "int-or-string"]);

/** The types of the definitions, by the definitions' names. */
export class GoTypes {
  readonly #definitions: Definitions;
  readonly #known = new Map<string, GoType>();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  /** The struct of a definition; our mistake when it is none. */
  struct(name: string): GoStruct {
    const type = this.#of({ $ref: `#/definitions/${name}` });
    if (type.is !== "struct") throw new Error(`${name} is no struct`);
    return type;
  }

  #of(schema: Schema): GoType {
    const { $ref } = schema;
    if ($ref === undefined) return this.#plain(schema);
    const known = this.#known.get($ref);
    if (known !== undefined) return known;
    const definition = resolveRef(schema, this.#definitions);
    if (definition.properties === undefined) return this.#plain(definition);
    const fields = new Map<string, GoField>();
    const written: string[] = [];
    const struct: GoType = { is: "struct", name: structName($ref), fields, written };
    // Known before its fields are: a type may mention itself.
    this.#known.set($ref, struct);
    for (const [key, schema] of Object.entries(definition.properties)) {
      const field = this.#field(schema);
      fields.set(key, field);
      if (field.absent !== undefined) written.push(key);
    }
    return struct;
  }

  #field(schema: Schema): GoField {
    const type = this.#of(schema);
    const go = schema["x-go"];
    const isStruct = type.is === "struct" || (type.is === "scalar" && alwaysWritten.has(type.of));
    const isWritten = go === "always" || (go === undefined && isStruct);
    if (schema.default !== undefined)
      return { type, absent: completed(type, schema.default), keepsZero: go === "pointer", isWritten };
    if (go === "pointer" || type.is === "any") return { type, absent: undefined, keepsZero: true, isWritten: false };
    const absent = type.is === "struct" ? completed(type, {}) : zeroOf(type);
    return { type, absent: isWritten ? absent : undefined, keepsZero: isWritten, isWritten };
  }

  #plain(schema: Schema): GoType {
    const { type, format, items, additionalProperties } = schema;
    if (type === "array") return { is: "list", item: this.#of(items ?? {}) };
    if (type === "object" && typeof additionalProperties === "object")
      return { is: "map", value: this.#of(additionalProperties) };
    if (type === "integer") return { is: "scalar", of: format === "int32" ? "int32" : "int64" };
    if (type === "number") return { is: "scalar", of: "float64" };
    if (type === "boolean") return { is: "scalar", of: "bool" };
    if (type !== "string") return { is: "any" };
    if (format === "date-time") return { is: "scalar", of: "time" };
    if (format === "byte") return { is: "scalar", of: "bytes" };
    const isSpecial = format === "quantity" || format === "micro-time" || format === "int-or-string";
    return isSpecial ? { is: "scalar", of: format } : text;
  }
}

/** `#/definitions/io.k8s.api.core.v1.PodSpec` is v1.PodSpec to Go. */
function structName(ref: string): string {
  return ref.split(".").slice(-2).join(".");
}

/** The zero value of a type as Go writes it, before any defaults: structs with what cannot be left out, null for the rest. */
export function zeroOf(type: GoType): Json {
  if (type.is === "scalar") return zeros[type.of];
  if (type.is !== "struct") return null;
  const written = [...type.fields].filter(([, { isWritten }]) => isWritten);
  return Object.fromEntries(written.map(([key, field]) => [key, zeroOf(field.type)]));
}

/** A value with the fields that its type adds; only structs add any. */
function completed(type: GoType, value: Json): Json {
  if (type.is !== "struct" || !isJsonObject(value)) return value;
  const added: Record<string, Json> = {};
  for (const [key, { absent }] of type.fields) if (absent !== undefined) added[key] = absent;
  return { ...added, ...value };
}

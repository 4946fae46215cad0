// The schema of a resource as JSON: the structural schema of a custom resource, or one of the definitions that the real
// server publishes for its own kinds. Pruning, defaulting, validation, field ownership and OpenAPI all read this one type.
import type { Json } from "../../src/core/json/json.ts";

export type SchemaType = "object" | "array" | "string" | "integer" | "number" | "boolean";

export type Schema = {
  readonly $ref?: string;
  readonly type?: SchemaType;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly default?: Json;
  readonly nullable?: boolean;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
  /** How the Go type of a built-in field treats its zero value; absent: it is left out (see built-in/go-object.ts). */
  readonly "x-go"?: "pointer" | "always";
};

export type GroupVersionKind = { readonly group: string; readonly version: string; readonly kind: string };

/** One rule of `x-kubernetes-validations`. */
export type ValidationRule = {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
};

/** Schemas by name, for `$ref: "#/definitions/<name>"`. */
export type Definitions = Readonly<Record<string, Schema>>;

const refPrefix = "#/definitions/";

/** The schema that a reference names, or the schema itself when it is none; a dangling reference is our mistake. */
export function resolveRef(schema: Schema, definitions: Definitions): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.slice(refPrefix.length);
  const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (target === undefined) throw new Error(`the schema refers to ${schema.$ref}, which is not among the definitions`);
  return target;
}

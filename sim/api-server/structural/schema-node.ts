// A structural schema made ready for use, once per version of a definition: patterns and rules are compiled, and each part
// knows whether anything below it has defaults or rules, so that a write visits only what can matter.

import type { Json } from "../../../src/core/json/json.ts";
import { compileGoRegexp, type GoRegexp } from "../../../src/core/values/go-regexp.ts";
import { type Compiled, compileCel } from "../cel/compile.ts";
import { CelSyntaxError } from "../cel/tokens.ts";
import { celTypeOf } from "../cel/types.ts";
import { type FieldError, invalidValue } from "../faults/field-error.ts";
import type { Schema, ValidationRule } from "../schema.ts";
import { applyDefaults } from "./apply-defaults.ts";

export type SchemaNode = {
  readonly schema: Schema;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** The schema of keys that are no properties. */
  readonly additional: SchemaNode | undefined;
  readonly items: SchemaNode | undefined;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
  /** The types that a value may have; empty for any. */
  readonly types: readonly string[];
  readonly isNullable: boolean;
  readonly keepsUnknown: boolean;
  /** An object with apiVersion, kind and metadata of its own: the root, or an embedded resource. */
  readonly isResource: boolean;
  readonly pattern: GoRegexp | undefined;
  /** The default, with the defaults inside it. */
  readonly fallback: Json | undefined;
  /** Properties with their defaults. */
  readonly defaults: readonly (readonly [key: string, value: Json])[];
  readonly rules: readonly CompiledRule[];
  readonly hasDefaults: boolean;
  readonly hasRules: boolean;
  /** Rules about a value and the one before it. */
  readonly hasTransitionRules: boolean;
  /** Lists with keys or sets, here or below. */
  readonly hasKeyedLists: boolean;
};

export type CompiledRule = ValidationRule & { readonly judge: Compiled; readonly tell: Compiled | undefined };

/** Formats that the real server checks and this one does not; others mean nothing to either, date-time apart. */
const unchecked = new Set(
  "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte date duration k8s-short-name k8s-long-name".split(
    " ",
  ),
);

export type CompiledSchema =
  | { readonly ok: true; readonly value: SchemaNode }
  /** Why the definition cannot be installed: patterns and rules that cannot be read or evaluated. */
  | { readonly ok: false; readonly faults: readonly FieldError[] };

/** Makes the schema of a resource ready; `path` is where it stands in its definition. */
export function compileSchema(schema: Schema, path = "openAPIV3Schema"): CompiledSchema {
  const faults: FieldError[] = [];
  const root = { ...schema, "x-kubernetes-embedded-resource": true };
  const value = compileNode(root, path, faults);
  return faults.length === 0 ? { ok: true, value } : { ok: false, faults };
}

function compileNode(schema: Schema, path: string, faults: FieldError[]): SchemaNode {
  const below = (child: Schema | undefined, step: string) => child && compileNode(child, `${path}.${step}`, faults);
  const several = (step: "allOf" | "anyOf" | "oneOf") =>
    (schema[step] ?? []).map((child, index) => compileNode(child, `${path}.${step}[${index}]`, faults));
  const { additionalProperties: more, default: fallback } = schema;
  const properties = new Map(
    Object.entries(schema.properties ?? {}).map(([name, child]) => [
      name,
      compileNode(child, `${path}.properties[${name}]`, faults),
    ]),
  );
  const additional = below(more === true ? {} : more || undefined, "additionalProperties");
  const items = below(schema.items, "items");
  const children = [...properties.values(), ...[additional, items].filter((child) => child !== undefined)];
  const defaults = [...properties].flatMap(([key, child]) =>
    child.fallback === undefined ? [] : [[key, child.fallback] as const],
  );
  const rules = compileRules(schema, path, faults);
  const listType = schema["x-kubernetes-list-type"];
  const node = {
    schema,
    properties,
    additional,
    items,
    allOf: several("allOf"),
    anyOf: several("anyOf"),
    oneOf: several("oneOf"),
    not: below(schema.not, "not"),
    types: schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : schema.type ? [schema.type] : [],
    isNullable: schema.nullable === true,
    keepsUnknown: schema["x-kubernetes-preserve-unknown-fields"] === true,
    isResource: schema["x-kubernetes-embedded-resource"] === true,
    pattern: compilePattern(schema, path, faults),
    fallback,
    defaults,
    rules,
    hasDefaults: defaults.length > 0 || children.some((child) => child.hasDefaults || child.fallback !== undefined),
    hasRules: rules.length > 0 || children.some((child) => child.hasRules),
    hasTransitionRules:
      rules.some(({ judge }) => judge.usesOldSelf) || children.some((child) => child.hasTransitionRules),
    hasKeyedLists: listType === "map" || listType === "set" || children.some((child) => child.hasKeyedLists),
  };
  return fallback === undefined ? node : { ...node, fallback: applyDefaults(node, fallback) };
}

function compilePattern({ pattern, format }: Schema, path: string, faults: FieldError[]): GoRegexp | undefined {
  if (format !== undefined && unchecked.has(format))
    faults.push(invalidValue(`${path}.format`, format, "this server checks no texts of this format; use a pattern"));
  if (pattern === undefined) return undefined;
  const compiled = compileGoRegexp(pattern);
  if (compiled.ok) return compiled.value;
  const because = compiled.problems.map(({ message }) => message).join("; ");
  faults.push(invalidValue(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${because}`));
  return undefined;
}

function compileRules(schema: Schema, path: string, faults: FieldError[]): readonly CompiledRule[] {
  return (schema["x-kubernetes-validations"] ?? []).flatMap((rule, index) => {
    try {
      const type = celTypeOf(schema);
      if (type === undefined) throw new CelSyntaxError("rules need a typed value, and cannot read times or bytes here");
      if (rule.optionalOldSelf === true) throw new CelSyntaxError("optionalOldSelf is not supported by this server");
      if (!/^(\.[\w-]+)*$/.test(rule.fieldPath ?? "")) throw new CelSyntaxError("fieldPath may hold only .names here");
      const { messageExpression: words } = rule;
      const tell = words === undefined ? undefined : compileCel(words, type, "string");
      return [{ ...rule, judge: compileCel(rule.rule, type, "bool"), tell }];
    } catch (error) {
      if (!(error instanceof CelSyntaxError)) throw error;
      const field = `${path}.x-kubernetes-validations[${index}].rule`;
      faults.push(invalidValue(field, rule.rule, `compilation failed: ${error.message}`));
      return [];
    }
  });
}

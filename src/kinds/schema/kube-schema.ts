// Builders of zod schemas for fields of custom resources. Each says twice the same: what TypeScript accepts, and in its
// metadata what a structural schema has to say beyond zod's own words (structural-schema.ts reads both).
//
// This folder turns schemas into definitions, and objects into specs or problems. Beside this file:
//   structural-schema, crd: from zod to the definition that the cluster stores
//   definition-gaps: what an installed definition lacks
//   read-spec, schema-problems, collected: an object read, with all its problems
//   json-parts, json-depth: reading parts that no schema has checked
//   label-selector-schema, duration-schema, image-field, number-rule: fields that kinds share
//   update-strategy-schema, status-schema: update strategy and status
//   admission, explain-invalid: what an author hears of an invalid object
import * as z from "zod";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { hundredPercentFault, nonNegativeFault } from "../../core/values/int-or-percent.ts";
import { quoted } from "../../core/values/shown.ts";

export const INT32_MAX = 2 ** 31 - 1;

export type TextLimits = {
  readonly max: number;
  readonly min?: number;
  readonly pattern?: RegExp;
  /** What the pattern means, to follow "must be". */
  readonly form?: string;
};

export type ListLimits = { readonly max: number; readonly min?: number } & (
  | { readonly type: "atomic" }
  | { readonly type: "set" }
  | { readonly type: "map"; readonly keys: readonly string[] }
);

export type MapLimits = { readonly max: number; readonly keyMax: number; readonly valueMax: number };

/** A rule about several fields of one object: as CEL for the API server, as a function for us, with one message. */
export type CrossFieldRule<Value> = {
  readonly cel: string;
  readonly holds: (value: Value) => boolean;
  readonly message: string;
  /** The field to blame, with dots where it stands deeper; the object itself if none is. */
  readonly at?: string;
};

/** Keywords of a structural schema for a value that TypeScript code checks by itself. */
export type Keywords = { readonly [keyword: string]: unknown };

/** The builders: constants of the files that describe a kind are made with these and with `z` alone. */
export const kubeSchema = {
  text,
  wholeNumber,
  flag: (description: string) => z.boolean().describe(description),
  choice: <const Words extends readonly [string, ...string[]]>(description: string, words: Words) =>
    z.enum(words).describe(description),
  list,
  textMap,
  shape: <Fields extends z.ZodRawShape>(description: string, fields: Fields) => z.object(fields).describe(description),
  opaque,
  checkedByCode,
  intOrPercent,
  ruled,
} as const;

function text(description: string, { max, min = 0, pattern, form }: TextLimits) {
  const bounded = z.string().min(min).max(max);
  const shaped = pattern === undefined ? bounded : bounded.regex(pattern, form);
  return shaped.describe(description);
}

/** A whole number with both ends; at most 32 bits where the upper end allows. */
function wholeNumber(description: string, { min, max }: { readonly min: number; readonly max: number }) {
  const format = max <= INT32_MAX ? "int32" : "int64";
  return z.int().min(min).max(max).meta({ description, format });
}

function list<Item extends z.ZodType>(description: string, item: Item, limits: ListLimits) {
  const { min = 0, max, type } = limits;
  const keywords: Keywords = { "x-kubernetes-list-type": type };
  const keys = type === "map" ? { "x-kubernetes-list-map-keys": limits.keys } : {};
  return z
    .array(item)
    .min(min)
    .max(max)
    .superRefine((items, context) => {
      if (type === "atomic") return;
      for (const index of duplicatesOf(items, type === "map" ? limits.keys : undefined))
        context.addIssue({ code: "custom", path: [index], message: "stands twice in the list; keep one of the two" });
    })
    .meta({ description, ...keywords, ...keys });
}

/** The places of the items that an earlier one equals, in the given keys or as a whole. */
function duplicatesOf(items: readonly unknown[], keys: readonly string[] | undefined): readonly number[] {
  const seen = new Set<string>();
  return [...items.entries()].flatMap(([index, item]) => {
    const identity = keys === undefined || !isJsonObject(item) ? item : keys.map((key) => item[key]);
    const written = JSON.stringify(identity);
    if (seen.has(written)) return [index];
    seen.add(written);
    return [];
  });
}

/** An object of texts. It is not a zod record, because that drops a key named `__proto__` without a word. */
function textMap(description: string, limits: MapLimits) {
  const { max, keyMax, valueMax } = limits;
  return z
    .custom<Readonly<Record<string, string>>>((value) => textMapFault(value, limits) === undefined, {
      error: (issue) => textMapFault(issue.input, limits) ?? "must be an object of texts",
    })
    .meta({
      description,
      type: "object",
      maxProperties: max,
      additionalProperties: { type: "string", maxLength: valueMax },
    })
    .superRefine((entries, context) => {
      for (const key of Object.keys(entries))
        if (key.length > keyMax)
          context.addIssue({ code: "custom", path: [key], message: `a key has at most ${keyMax} characters` });
    });
}

function textMapFault(value: unknown, { max, valueMax }: MapLimits): string | undefined {
  if (!isJsonObject(value)) return `must be an object of texts, not ${quoted(value)}`;
  const entries = Object.entries(value);
  if (entries.length > max) return `has ${entries.length} entries; at most ${max} are allowed`;
  const odd = entries.find(([, each]) => typeof each !== "string");
  if (odd !== undefined) return `entry ${quoted(odd[0])} must be a text, not ${quoted(odd[1])}; put it in quotes`;
  const long = entries.find(([, each]) => typeof each === "string" && each.length > valueMax);
  return long === undefined ? undefined : `entry ${quoted(long[0])} has more than ${valueMax} characters`;
}

/** An object whose inside is somebody else's API: kept as it is, and looked into by code, not by zod. */
function opaque(description: string, keywords: Keywords = {}) {
  return checkedByCode(description, { "x-kubernetes-preserve-unknown-fields": true, ...keywords });
}

/** An object that code checks and not zod, although its shape is known; fields outside the shape are pruned. */
function checkedByCode(description: string, keywords: Keywords) {
  return z
    .custom<JsonObject>(isJsonObject, {
      error: ({ input }) =>
        input === undefined ? "is required: give an object" : `must be an object, not ${quoted(input)}`,
    })
    .meta({ description, type: "object", ...keywords });
}

/** A count or a share of all, never below zero, and above 100% only where that is asked for. */
function intOrPercent(description: string, { isBeyondAll = false }: { readonly isBeyondAll?: boolean } = {}) {
  const faultOf = (value: unknown) => shareFault(value) ?? (isBeyondAll ? undefined : hundredPercentFault(value));
  return z
    .custom<number | string>((value) => faultOf(value) === undefined, {
      error: (issue) => `${faultOf(issue.input)}, not ${quoted(issue.input)}; write a count such as 3 or "10%"`,
    })
    .meta({
      description,
      "x-kubernetes-int-or-string": true,
      minimum: 0,
      maximum: INT32_MAX,
      maxLength: 8,
      pattern: isBeyondAll ? "^[0-9]+%$" : "^0*(100|[0-9]{1,2})%$",
    });
}

function shareFault(value: unknown): string | undefined {
  if (typeof value === "string" && value.length > 8) return "must have at most 8 characters";
  return nonNegativeFault(value);
}

function ruled<Schema extends z.ZodType>(schema: Schema, rules: readonly CrossFieldRule<z.output<Schema>>[]): Schema {
  return schema
    .superRefine((value, context) => {
      for (const { holds, message, at } of rules)
        if (!holds(value)) context.addIssue({ code: "custom", path: at?.split(".") ?? [], message });
    })
    .meta({
      "x-kubernetes-validations": rules.map(({ cel, message, at }) => ({
        rule: cel,
        message,
        ...(at === undefined ? {} : { fieldPath: `.${at}` }),
      })),
    });
}

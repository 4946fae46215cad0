// Values against a structural schema, with the messages of the real server's OpenAPI validator. A fault of a part that an
// update leaves as it was is forgiven ("ratcheting"): tightening a schema must not block every later change.
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "../../../src/core/json/json.ts";
import { type FieldError, invalidValue, requiredValue, tooLongValue, unsupportedValue } from "../faults/field-error.ts";
import { pathText } from "../faults/path-text.ts";
import { isSameJson } from "../same-json.ts";
import { oldItemsOf } from "./list-keys.ts";
import type { SchemaNode } from "./schema-node.ts";

/** The faults of a value; `prefix` is the field that the value is, while messages name paths below it. */
export function validateValues(schema: SchemaNode, value: Json, old?: Json, prefix = ""): readonly FieldError[] {
  const walk: Walk = { steps: [], faults: [], prefix };
  validateValue(walk, schema, value, old);
  return walk.faults;
}

type Walk = { readonly steps: (string | number)[]; readonly faults: FieldError[]; readonly prefix: string };

const dateTime =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[-+]\d\d:\d\d)$/;

function validateValue(walk: Walk, node: SchemaNode, value: Json, old: Json | undefined): void {
  if (value === old) return;
  const { faults } = walk;
  const before = faults.length;
  checkType(walk, node, value);
  if (value !== null) {
    checkAlternatives(walk, node, value);
    if (typeof value === "string") checkText(walk, node, value);
    else if (typeof value === "number" || typeof value === "bigint") checkNumber(walk, node, value);
    else if (isJsonList(value)) checkList(walk, node, value, old);
    else if (isJsonObject(value)) checkObject(walk, node, value, old);
  }
  checkEnum(walk, node, value);
  if (faults.length > before && old !== undefined && isSameJson(value, old)) faults.length = before;
}

function checkType(walk: Walk, { types, isNullable, schema }: SchemaNode, value: Json): void {
  if (types.length === 0 || (value === null && isNullable)) return;
  const type = typeOf(value);
  if (types.includes(type) || (type === "integer" && types.includes("number"))) return;
  // Where a time is wanted, the real validator speaks of formats, which only numbers have, and lets lists pass.
  const isOfFormat = schema.format === "date-time" && value !== null;
  if (isOfFormat && isJsonList(value)) return;
  const [wanted, found] = isOfFormat ? ["date-time", numberFormats[type] ?? ""] : [types.join(","), type];
  fault(walk, "FieldValueTypeInvalid", found, `must be of type ${wanted}: "${found}"`);
}

const numberFormats: Readonly<Record<string, string>> = { integer: "int64", number: "float64" };

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (isJsonList(value)) return "array";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function checkText(walk: Walk, { schema, pattern }: SchemaNode, text: string): void {
  const { minLength, maxLength, format } = schema;
  // Characters are counted only where units of two bytes, of which there are no fewer, exceed the limit.
  if (maxLength !== undefined && text.length > maxLength && [...text].length > maxLength) {
    walk.faults.push(tooLongValue(fieldOf(walk), maxLength));
  } else if (minLength !== undefined && [...text].length < minLength) {
    fault(walk, "FieldValueInvalid", text, `should be at least ${minLength} chars long`);
  } else if (pattern !== undefined && !pattern.program.test(text)) {
    fault(walk, "FieldValueInvalid", text, `should match '${schema.pattern}'`);
  }
  if (format === "date-time" && !dateTime.test(text))
    fault(walk, "FieldValueTypeInvalid", text, `must be of type date-time: ${JSON.stringify(text)}`);
}

function checkNumber(walk: Walk, { schema }: SchemaNode, value: number | bigint): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  // The real validator compares whole numbers with the bound cut to a whole number.
  const isWhole = typeof value === "bigint" || Number.isInteger(value);
  const bound = (limit: number) => (isWhole ? Math.trunc(limit) : limit);
  const [min, max] = [bound(minimum ?? Number.NEGATIVE_INFINITY), bound(maximum ?? Number.POSITIVE_INFINITY)];
  if (multipleOf !== undefined && Number(value) % multipleOf !== 0)
    fault(walk, "FieldValueInvalid", value, `should be a multiple of ${multipleOf}`);
  if (value < min || (exclusiveMinimum === true && value <= min))
    fault(walk, "FieldValueInvalid", value, `should be greater than ${exclusiveMinimum ? "" : "or equal to "}${min}`);
  if (value > max || (exclusiveMaximum === true && value >= max))
    fault(walk, "FieldValueInvalid", value, `should be less than ${exclusiveMaximum ? "" : "or equal to "}${max}`);
}

function checkEnum(walk: Walk, { schema }: SchemaNode, value: Json): void {
  if (schema.enum === undefined || schema.enum.some((each) => isSameJson(each, value))) return;
  const supported = schema.enum.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  walk.faults.push(unsupportedValue(fieldOf(walk), value, supported));
}

function checkList(walk: Walk, { schema, items }: SchemaNode, list: JsonList, old: Json | undefined): void {
  const { minItems, maxItems } = schema;
  const oldItems = oldItemsOf(schema, old);
  for (const [index, item] of items === undefined ? [] : list.entries()) {
    if (items === undefined) break;
    walk.steps.push(index);
    validateValue(walk, items, item, oldItems(item));
    walk.steps.pop();
  }
  if (minItems !== undefined && list.length < minItems)
    fault(walk, "FieldValueInvalid", list.length, `should have at least ${minItems} items`);
  if (maxItems !== undefined && list.length > maxItems) walk.faults.push(tooMany(fieldOf(walk), list.length, maxItems));
}

function checkObject(walk: Walk, node: SchemaNode, object: JsonObject, old: Json | undefined): void {
  const { minProperties, maxProperties, required = [] } = node.schema;
  const keys = Object.keys(object);
  if (minProperties !== undefined && keys.length < minProperties)
    fault(walk, "FieldValueInvalid", keys.length, `should have at least ${minProperties} properties`);
  if (maxProperties !== undefined && keys.length > maxProperties)
    walk.faults.push(tooMany(fieldOf(walk), keys.length, maxProperties));
  for (const key of keys) {
    const child = node.properties.get(key) ?? node.additional;
    if (child === undefined) continue;
    walk.steps.push(key);
    const oldValue = isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
    validateValue(walk, child, object[key] ?? null, oldValue);
    walk.steps.pop();
  }
  for (const key of required) {
    if (!Object.hasOwn(object, key)) walk.faults.push(requiredValue(fieldOf(walk, key)));
  }
}

/** Of the alternatives that fail, the faults of the one with the fewest are shown. */
function checkAlternatives(walk: Walk, node: SchemaNode, value: Json): void {
  const { allOf, anyOf, oneOf, not } = node;
  if (allOf.length + anyOf.length + oneOf.length === 0 && not === undefined) return;
  const faultsOf = (alternative: SchemaNode) => {
    const inner = { ...walk, steps: [...walk.steps], faults: [] };
    validateValue(inner, alternative, value, undefined);
    return inner.faults;
  };
  const path = JSON.stringify(pathText(walk.steps));
  const refuse = (words: string, faults: readonly (readonly FieldError[])[]) => {
    walk.faults.push(invalidValue(walk.prefix || "<nil>", "", `${path} must ${words}`));
    walk.faults.push(...(faults.toSorted((a, b) => a.length - b.length)[0] ?? []));
  };
  const failing = { anyOf: anyOf.map(faultsOf), oneOf: oneOf.map(faultsOf), allOf: allOf.map(faultsOf) };
  const isValid = (faults: readonly FieldError[]) => faults.length === 0;
  if (anyOf.length > 0 && !failing.anyOf.some(isValid)) refuse("validate at least one schema (anyOf)", failing.anyOf);
  const matches = failing.oneOf.filter(isValid).length;
  if (oneOf.length > 0 && matches !== 1) {
    const count = matches === 0 ? "Found none valid" : `Found ${matches} valid alternatives`;
    refuse(`validate one and only one schema (oneOf). ${count}`, matches === 0 ? failing.oneOf : []);
  }
  walk.faults.push(...failing.allOf.flat());
  if (!failing.allOf.every(isValid)) {
    const isNone = !failing.allOf.some(isValid);
    refuse(`validate all the schemas (allOf)${isNone ? ". None validated" : ""}`, []);
  }
  if (not !== undefined && isValid(faultsOf(not))) refuse("not validate the schema (not)", []);
}

function fault(walk: Walk, reason: "FieldValueInvalid" | "FieldValueTypeInvalid", value: Json, words: string): void {
  walk.faults.push({ ...invalidValue(fieldOf(walk), value, `${pathText(walk.steps)} in body ${words}`), reason });
}

function tooMany(field: string, count: number, max: number): FieldError {
  const message = `Too many: ${count}: must have at most ${max} ${max === 1 ? "item" : "items"}`;
  return { reason: "FieldValueTooMany", field, message };
}

function fieldOf({ steps, prefix }: Walk, ...more: readonly string[]): string {
  return pathText([...(prefix === "" ? [] : [prefix]), ...steps, ...more]) || "<nil>";
}

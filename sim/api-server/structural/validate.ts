// The whole validation of a custom resource by its structural schema: values, lists with keys, and then the rules, which
// are judged only on objects that are sound enough to be judged.
import { isJsonList, isJsonObject, type Json } from "../../../src/core/json/json.ts";
import type { Evaluated } from "../cel/compile.ts";
import { duplicateValue, type FieldError, forbiddenValue, invalidValue, requiredValue } from "../faults/field-error.ts";
import type { ScalePaths } from "../resource-type.ts";
import { isSameJson } from "../same-json.ts";
import { oldItemsOf, validateLists } from "./list-keys.ts";
import type { CompiledRule, SchemaNode } from "./schema-node.ts";
import { validateScale } from "./validate-scale.ts";
import { validateValues } from "./validate-values.ts";

export type ValidateOptions = {
  /** The object before an update. */
  readonly old?: Json;
  /** Where the replicas stand, if the resource can be scaled. */
  readonly scale?: ScalePaths | undefined;
  /** The faults of its metadata, which may be such that rules are not judged. */
  readonly inMeta?: readonly FieldError[] | undefined;
  /** Only the values of status are looked at, as in a write to the subresource; lists and rules of the whole. */
  readonly part?: "status";
};

const blocking = new Set<string>([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const rulesSkipped = invalidValue(
  "<nil>",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);

/** All faults of an object but those of its metadata, in the order in which the real server finds them. */
export function validate(schema: SchemaNode, value: Json, options: ValidateOptions = {}): readonly FieldError[] {
  const { old, scale, part, inMeta = [] } = options;
  const values = part === undefined ? validateValues(schema, value, old) : validatePart(schema, value, old, part);
  const faults = [...values, ...validateScale(scale, value, part), ...validateLists(schema, value, old)];
  if (!schema.hasRules) return faults;
  if ([...inMeta, ...faults].some(({ reason }) => blocking.has(reason))) return [...faults, rulesSkipped];
  const broken: FieldError[] = [];
  judge(schema, value, old, "", broken);
  return [...faults, ...broken];
}

function validatePart(schema: SchemaNode, value: Json, old: Json | undefined, part: string): readonly FieldError[] {
  const child = schema.properties.get(part);
  const of = (whole: Json | undefined) => (isJsonObject(whole) ? whole[part] : undefined);
  const inner = of(value);
  return child === undefined || inner === undefined ? [] : validateValues(child, inner, of(old), part);
}

function judge(node: SchemaNode, value: Json, old: Json | undefined, path: string, broken: FieldError[]): void {
  // A rule looks only at values that are there and not null, and forgives what it said of the same value before.
  if (value === null || (value === old && !node.hasTransitionRules)) return;
  for (const rule of node.rules) {
    const fault = faultOf(rule, node, value, old ?? undefined, path);
    // A rule about one state, broken before and by the same value, is forgiven.
    if (fault !== undefined && (rule.judge.usesOldSelf || !isSameJson(value, old))) broken.push(fault);
  }
  if (isJsonList(value)) {
    const { items } = node;
    if (items?.hasRules !== true) return;
    const oldItems = oldItemsOf(node.schema, old);
    for (const [index, item] of value.entries()) judge(items, item, oldItems(item), `${path}[${index}]`, broken);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const property = node.properties.get(key);
      const child = property ?? node.additional;
      if (child?.hasRules !== true) continue;
      const before = isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
      const where = property === undefined ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      judge(child, value[key] ?? null, before, where, broken);
    }
  }
}

function faultOf(
  rule: CompiledRule,
  { schema }: SchemaNode,
  value: Json,
  old: Json | undefined,
  path: string,
): FieldError | undefined {
  if (rule.judge.usesOldSelf && old === undefined) return undefined;
  const verdict = rule.judge.evaluate(value, old);
  if (verdict.ok && verdict.value === true) return undefined;
  const words = (rule.message ?? rule.rule).trim();
  const field = `${path}${rule.fieldPath ?? ""}`.replace(/^\./, "") || "<nil>";
  if (!verdict.ok) return invalidValue(path || "<nil>", schema.type ?? "", errorWords(verdict, words));
  const told = rule.tell?.evaluate(value, old);
  const detail = told?.ok === true && told.value !== "" ? String(told.value).trim() : brokenWords(rule);
  return brokenRule(rule, field, schema.type === "object" || schema.type === "array" ? undefined : value, detail);
}

function errorWords({ because }: Evaluated & { readonly ok: false }, words: string): string {
  if (because === "no such overload")
    return `'${because}': call arguments did not match a supported operator, function or macro signature for rule: ${words}`;
  return `${because} evaluating rule: ${words}`;
}

function brokenWords({ message, rule }: CompiledRule): string {
  return message === undefined ? `failed rule: ${rule.trim()}` : message.trim();
}

/** Objects and lists (undefined here) are not shown; scalars are. */
function brokenRule(rule: CompiledRule, field: string, value: Json | undefined, detail: string): FieldError {
  switch (rule.reason) {
    case "FieldValueForbidden":
      return forbiddenValue(field, detail);
    case "FieldValueRequired":
      return requiredValue(field, detail);
    case "FieldValueDuplicate":
      return value === undefined
        ? { reason: rule.reason, field, message: "Duplicate value" }
        : duplicateValue(field, value);
    default:
      if (value !== undefined) return invalidValue(field, value, detail);
      return { reason: "FieldValueInvalid", field, message: `Invalid value: ${detail}` };
  }
}

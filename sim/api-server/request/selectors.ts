// Label and field selectors of lists and watches: read from the query with the real server's refusals, then asked of objects.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { matchLabels } from "../../../src/core/labels/label-selector.ts";
import { parseLabelSelector } from "../../../src/core/labels/label-selector-text.ts";
import { metaOf, objectAt, valueAtPath } from "../api-object.ts";
import { badRequest } from "../faults/status.ts";
import type { ResourceType } from "../resource-type.ts";
import { labelSelectorFault } from "./label-selector-fault.ts";

/** True for the objects that a list or watch shows. */
export type Selects = (object: JsonObject) => boolean;

/** Reads both selectors of a query; undefined when there are none. */
export function readSelectors(query: URLSearchParams, type: ResourceType): Selects | undefined {
  const byLabels = readLabelSelector(query.get("labelSelector") ?? "");
  const byFields = readFieldSelector(query.get("fieldSelector") ?? "", type);
  if (byLabels === undefined || byFields === undefined) return byLabels ?? byFields;
  return (object) => byLabels(object) && byFields(object);
}

function readLabelSelector(text: string): Selects | undefined {
  if (text === "") return undefined;
  const parsed = parseLabelSelector(text);
  if (!parsed.ok) throw badRequest(labelSelectorFault(text));
  return (object) => matchLabels(parsed.value, labelsOf(object));
}

/** Labels are texts: the server lets no others in. */
export function labelsOf(object: JsonObject): Readonly<Record<string, string>> {
  return objectAt(metaOf(object), "labels") as Readonly<Record<string, string>>;
}

type Term = { readonly field: string; readonly isEqual: boolean; readonly value: string };

function readFieldSelector(text: string, type: ResourceType): Selects | undefined {
  if (text === "") return undefined;
  const known = new Set([
    "metadata.name",
    ...(type.namespaced ? ["metadata.namespace"] : []),
    ...type.selectableFields,
  ]);
  const terms = termsIn(text).map((term) => readTerm(term, text));
  const odd = terms.find(({ field }) => !known.has(field));
  if (odd !== undefined) throw badRequest(unknownField(odd.field, type));
  return (object) => terms.every(({ field, isEqual, value }) => (fieldText(object, field) === value) === isEqual);
}

/** The terms between commas, in the order in which the real server looks at them; a comma may be a part of a value. */
function termsIn(text: string): readonly string[] {
  const terms = text.match(/(?:[^\\,]|\\.)+/gs) ?? [];
  return terms.toSorted();
}

function readTerm(term: string, text: string): Term {
  const [, field, operator, value] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? [];
  if (field === undefined || value === undefined)
    throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
  return { field, isEqual: operator !== "!=", value: unescaped(value) };
}

/** A value whose marks are escaped by backslashes. */
function unescaped(value: string): string {
  const [odd] = value.match(/\\[^\\,=]/s) ?? [];
  if (odd !== undefined) throw badRequest(`invalid field selector: invalid escape sequence: ${odd}`);
  if (value.replaceAll(/\\./gs, "").includes("="))
    throw badRequest(`invalid field selector: unescaped character in value: ${"=".charCodeAt(0)}`);
  return value.replaceAll(/\\(.)/gs, "$1");
}

/** The words differ by who knows the fields: kinds with fields of their own, or the rule for all others. */
function unknownField(field: string, type: ResourceType): string {
  if (type.kind === "Job") return `field label ${JSON.stringify(field)} not supported for Job`;
  if (type.isCustom || type.selectableFields.length > 0) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function fieldText(object: JsonObject, field: string): string {
  const value = valueAtPath(object, field);
  return value === undefined || value === null ? "" : String(value);
}

// Label and field selectors of lists and watches: read from the query with the real server's refusals, then asked of objects.
import type { JsonObject } from "../../src/core/json.ts";
import { matchLabels } from "../../src/core/label-selector.ts";
import { parseLabelSelector } from "../../src/core/label-selector-text.ts";
import { metaOf, objectAt, valueAtPath } from "./api-object.ts";
import { labelKeyFaults, labelValueFaults } from "./name-syntax.ts";
import type { ResourceType } from "./resource-type.ts";
import { badRequest } from "./status.ts";

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
  if (!parsed.ok) throw badRequest(goFault(text));
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
  const terms = text.split(",").map((part) => readTerm(part, text));
  const odd = terms.find(({ field }) => !known.has(field));
  if (odd !== undefined) throw badRequest(unknownField(odd.field, type));
  return (object) => terms.every(({ field, isEqual, value }) => (fieldText(object, field) === value) === isEqual);
}

function readTerm(part: string, text: string): Term {
  const [, field, operator, value] = /^([^=!]+)(==|!=|=)(.*)$/.exec(part) ?? [];
  if (field === undefined || value === undefined)
    throw badRequest(`invalid field selector "${text}": can't understand '${part}'`);
  return { field, isEqual: operator !== "!=", value };
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

const setOperators = ["in", "notin"];
const operators = [...setOperators, "=", "==", "!=", ">", "<"];

/** Says in the real server's words where a label selector breaks that ours could not read. */
function goFault(text: string): string {
  const [first = ""] = text.trim().match(/^(==|!=|[=(),><])/) ?? [];
  if (first !== "") return `found '${first}', expected: !, identifier, or 'end of string'`;
  return `unable to parse requirement: ${requirementFault(text)}`;
}

function requirementFault(text: string): string {
  const tokens = text.match(/==|!=|[=!(),><]|[^\s=!(),><]+/g) ?? [];
  let at = 0;
  const next = () => tokens[at++] ?? "";
  const isWord = (token: string) => token !== "" && !/^[=!(),><]/.test(token);
  for (;;) {
    const isNegated = tokens[at] === "!";
    if (isNegated) at++;
    const key = next();
    if (!isWord(key)) return `found '${key}', expected: identifier`;
    const [keyFault] = labelKeyFaults(key);
    if (keyFault !== undefined) return `key: Invalid value: ${JSON.stringify(key)}: ${keyFault}`;
    const operator = tokens[at] ?? "";
    if (!isNegated && operator !== "" && operator !== ",") {
      at++;
      if (!operators.includes(operator)) return `found '${operator}', expected: in, notin, =, ==, !=, gt, lt`;
      if (setOperators.includes(operator) && next() !== "(") return `found '${tokens[at - 1] ?? ""}' expected: '('`;
      const values: string[] = [];
      while (isWord(tokens[at] ?? "") || (setOperators.includes(operator) && tokens[at] === ",")) values.push(next());
      if (setOperators.includes(operator) && next() !== ")")
        return `found '${tokens[at - 1] ?? ""}', expected: ',', or ')'`;
      const bad = values
        .filter((value) => value !== ",")
        .flatMap((value, index) =>
          labelValueFaults(value).map(
            (fault) => `values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${fault}`,
          ),
        );
      if (bad[0] !== undefined) return bad[0];
    }
    const separator = next();
    if (separator !== ",") return `found '${separator}', expected: ',' or 'end of string'`;
  }
}

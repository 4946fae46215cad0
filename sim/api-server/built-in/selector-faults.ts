// What the real server refuses in selectors: of labels, as sets carry them, and of nodes, as affinities do. Both are lists of
// requirements with almost the same rules.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, objectAt, textAt } from "../api-object.ts";
import { type FieldError, forbiddenValue, invalidValue, requiredValue } from "../faults/field-error.ts";
import { labelKeyFaults, labelValueFaults } from "../faults/name-syntax.ts";

const noOperator = "not a valid selector operator";
const NAME_FIELD = "metadata.name";

/** The faults of labels that stand at a path, which names no single one of them. */
export function labelsFaults(labels: JsonObject, path: string): readonly FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...labelKeyFaults(key).map((fault) => invalidValue(path, key, fault)),
    ...labelValueFaults(String(value)).map((fault) => invalidValue(path, value, fault)),
  ]);
}

/** The faults of a label selector that stands at a path. */
export function labelSelectorFaults(selector: JsonObject, path: string): readonly FieldError[] {
  return [
    ...labelsFaults(objectAt(selector, "matchLabels"), `${path}.matchLabels`),
    ...listAt(selector, "matchExpressions").flatMap((each, index) => {
      const at = `${path}.matchExpressions[${index}]`;
      if (!isJsonObject(each)) return [];
      const values = listAt(each, "values");
      return [
        ...operatorFaults(each, at),
        ...labelKeyFaults(textAt(each, "key")).map((fault) => invalidValue(`${at}.key`, each.key ?? "", fault)),
        ...values.flatMap((value, place) =>
          labelValueFaults(String(value)).map((fault) => invalidValue(`${at}.values[${place}]`, value, fault)),
        ),
      ];
    }),
  ];
}

/** The faults of a node selector's term that stands at a path. */
export function nodeSelectorTermFaults(term: Json, path: string): readonly FieldError[] {
  if (!isJsonObject(term)) return [];
  return [
    ...requirementsAt(term, "matchExpressions").flatMap((each, index) => {
      const at = `${path}.matchExpressions[${index}]`;
      return [
        ...(isComparison(each) ? comparisonFaults(each, at) : operatorFaults(each, at)),
        ...labelKeyFaults(textAt(each, "key")).map((fault) => invalidValue(`${at}.key`, each.key ?? "", fault)),
      ];
    }),
    ...requirementsAt(term, "matchFields").flatMap((each, index) => fieldFaults(each, `${path}.matchFields[${index}]`)),
  ];
}

function requirementsAt(term: JsonObject, key: string): readonly JsonObject[] {
  return listAt(term, key).filter(isJsonObject);
}

function operatorFaults(requirement: JsonObject, at: string): readonly FieldError[] {
  const count = listAt(requirement, "values").length;
  switch (requirement.operator) {
    case "In":
    case "NotIn":
      return count > 0 ? [] : [requiredValue(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (count === 0) return [];
      return [forbiddenValue(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalidValue(`${at}.operator`, requirement.operator ?? "", noOperator)];
  }
}

function isComparison({ operator }: JsonObject): boolean {
  return operator === "Gt" || operator === "Lt";
}

function comparisonFaults(requirement: JsonObject, at: string): readonly FieldError[] {
  if (listAt(requirement, "values").length === 1) return [];
  return [requiredValue(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
}

/** Of fields, only the name can be asked for, and only whether it is one. */
function fieldFaults(requirement: JsonObject, at: string): readonly FieldError[] {
  const { operator = "", key = "" } = requirement;
  const isOne = operator === "In" || operator === "NotIn";
  const count = listAt(requirement, "values").length;
  return [
    ...(isOne ? [] : [invalidValue(`${at}.operator`, operator, noOperator)]),
    ...(isOne && count !== 1
      ? [
          requiredValue(
            `${at}.values`,
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
          ),
        ]
      : []),
    ...(key === NAME_FIELD ? [] : [invalidValue(`${at}.key`, key, "not a valid field selector key")]),
  ];
}

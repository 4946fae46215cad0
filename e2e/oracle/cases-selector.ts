// Random label selectors, as objects carry them and as people type them, each with labels to match.
import fc from "fast-check";
import type { Json } from "../../src/core/json/json.ts";
import { dictionaries, mostly } from "./arbitrary-json.ts";
import { labelKeys, labelSets, labelValues, numberTexts } from "./label-words.ts";

export type SelectorCase = { readonly selector: Json; readonly labels: { readonly [key: string]: string } };
export type SelectorTextCase = { readonly text: string; readonly labels: { readonly [key: string]: string } };

const operators = mostly(
  fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist"),
  20,
  fc.constantFrom("", "in", "Gt", "Lt", "=", "exists"),
);

const expressions = fc.record(
  { key: labelKeys, operator: operators, values: fc.array(labelValues, { maxLength: 3 }) },
  { requiredKeys: ["key", "operator"] },
);

const fittingExpressions = expressions.map((one) => {
  const isBare = one.operator === "Exists" || one.operator === "DoesNotExist";
  return isBare ? { key: one.key, operator: one.operator } : { ...one, values: [...(one.values ?? []), "x"] };
});

/** Selectors as they stand in objects. */
export const selectorCases: fc.Arbitrary<SelectorCase> = fc.record({
  selector: mostly<Json>(
    fc.record(
      {
        matchLabels: dictionaries(["a", "b", "example.com/a", "kubernetes.io/arch"], labelValues),
        matchExpressions: fc.array(mostly<Json>(fittingExpressions, 8, expressions), { maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
    30,
    fc.constant(null),
  ),
  labels: labelSets,
});

const space = mostly(fc.constant(""), 6, fc.constantFrom(" ", "  ", "\t", "\n", "\r"));

const spaced = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts.flatMap((part) => [space, part])).map((texts) => texts.join(""));

const word = (text: string): fc.Arbitrary<string> => fc.constant(text);

const valueList = fc.array(labelValues, { maxLength: 3 }).map((list) => list.join(","));

const requirements = fc.oneof(
  spaced(labelKeys),
  spaced(word("!"), labelKeys),
  spaced(labelKeys, fc.constantFrom("=", "==", "!="), labelValues),
  fc
    .tuple(labelKeys, fc.constantFrom(" in ", " notin ", " in", " IN "), space, valueList)
    .map(([key, operator, blank, list]) => `${key}${operator}${blank}(${list})`),
  spaced(labelKeys, fc.constantFrom("<", ">"), numberTexts),
);

/** Pieces in any order: what a parser sees when somebody mistypes. */
const soup = fc
  .array(fc.constantFrom(" ", "\t", ..."a b x in notin ( ) , , = == != ! < > 5 é === &".split(" ")), { maxLength: 9 })
  .map((pieces) => pieces.join(""));

/** Selectors as people type them. */
export const selectorTextCases: fc.Arbitrary<SelectorTextCase> = fc.record({
  text: mostly(
    fc.array(requirements, { maxLength: 3 }).map((list) => list.join(",")),
    2,
    soup,
  ),
  labels: labelSets,
});

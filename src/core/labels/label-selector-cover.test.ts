import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../json/json.ts";
import { compileLabelSelector, type LabelSelector, matchLabels } from "./label-selector.ts";
import { findContradiction, selectorCovers } from "./label-selector-cover.ts";

function selector(...matchExpressions: readonly JsonObject[]): LabelSelector {
  const parsed = compileLabelSelector({ matchExpressions });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

const is = (...values: readonly string[]) => ({ key: "disk", operator: "In", values });
const isNot = (...values: readonly string[]) => ({ key: "disk", operator: "NotIn", values });
const exists = { key: "disk", operator: "Exists" };
const absent = { key: "disk", operator: "DoesNotExist" };

test.each<[readonly JsonObject[], string | undefined]>([
  [[is("a"), isNot("a")], "disk in (a) and disk notin (a)"],
  [[is("a", "b"), isNot("a"), isNot("b")], "disk in (a,b) and disk notin (a) and disk notin (b)"],
  [[is("a"), is("b")], "disk in (a) and disk in (b)"],
  [[exists, absent], "disk and !disk"],
  [[is("a"), absent], "disk in (a) and !disk"],
  [[isNot("a"), absent], undefined],
  [[is("a", "b"), is("b", "c"), isNot("a")], undefined],
  [[exists, isNot("a")], undefined],
  [[{ key: "other", operator: "Exists" }, absent], undefined],
  [[], undefined],
])("%j can never hold: %s", (expressions, said) => {
  expect(findContradiction(selector(...expressions))).toBe(said);
});

test("conditions of two selectors can exclude each other", () => {
  expect(findContradiction(selector(is("a")), selector(is("b")))).toBe("disk in (a) and disk in (b)");
});

test("no selector at all covers nothing and is covered by the empty one", () => {
  const nothing: LabelSelector = { kind: "nothing" };
  expect([selectorCovers(nothing, selector()), selectorCovers(selector(), nothing)]).toEqual([false, true]);
});

const expressions = fc.array(
  fc.record({
    key: fc.constantFrom("disk", "gpu"),
    op: fc.nat(3),
    values: fc.subarray(["a", "b", "c"], { minLength: 1 }),
  }),
  { maxLength: 3 },
);
const written = (drawn: readonly { key: string; op: number; values: readonly string[] }[]) =>
  selector(
    ...drawn.map(({ key, op, values }) =>
      op < 2
        ? { key, operator: op === 0 ? "In" : "NotIn", values }
        : { key, operator: op === 2 ? "Exists" : "DoesNotExist" },
    ),
  );
const values = [undefined, "a", "b", "c", "d"];
const everyLabels = values.flatMap((disk) =>
  values.map((gpu) => ({ ...(disk === undefined ? {} : { disk }), ...(gpu === undefined ? {} : { gpu }) })),
);

test("what is said of selectors is so for all labels", () => {
  fc.assert(
    fc.property(expressions, expressions, (one, other) => {
      const [earlier, later] = [written(one), written(other)];
      const isNever = !everyLabels.some((labels) => matchLabels(earlier, labels));
      expect(findContradiction(earlier) !== undefined).toBe(isNever);
      if (!selectorCovers(earlier, later)) return;
      for (const labels of everyLabels) if (matchLabels(later, labels)) expect(matchLabels(earlier, labels)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

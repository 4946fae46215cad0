import { expect, test } from "vitest";
import { compileCel, RULE_CHARS_MAX } from "./compile.ts";
import { ruleCases, selfSchema } from "./testing/rule-cases.ts";
import { CelSyntaxError } from "./tokens.ts";
import { celTypeOf } from "./types.ts";

function selfType() {
  const type = celTypeOf(selfSchema);
  if (type === undefined) throw new Error("the schema of the cases has no type");
  return type;
}

const outcomeOf = ({ rule, value, old }: (typeof ruleCases)[number]): string => {
  try {
    const { usesOldSelf, evaluate } = compileCel(rule, selfType(), "bool");
    if (usesOldSelf && old === undefined) return "holds";
    const verdict = evaluate(value, old);
    return verdict.ok ? (verdict.value === true ? "holds" : "breaks") : verdict.because;
  } catch (error) {
    if (error instanceof CelSyntaxError) return "refused";
    throw error;
  }
};

test.each(ruleCases.map((each) => [each.rule, each.gives, each] as const))("%s: %s", (_rule, gives, each) => {
  expect(outcomeOf(each)).toBe(gives);
});

test("a rule that names a field wrongly is refused by the field's name", () => {
  expect(() => compileCel("self.lwo <= 1", selfType(), "bool")).toThrow("undefined field 'lwo'");
});

test("a function that is not evaluated here is refused by its name", () => {
  expect(() => compileCel("self.tags.isSorted()", selfType(), "bool")).toThrow("the function isSorted() is unknown");
});

test("an optional field is refused, not read as if it were there", () => {
  expect(() => compileCel("self.?sub.a.orValue(1) == 1", selfType(), "bool")).toThrow(CelSyntaxError);
});

test("a rule must be true or false, and a message a text", () => {
  expect(() => compileCel("self.low", selfType(), "bool")).toThrow("must evaluate to bool, not int");
  expect(compileCel("'low is ' + string(self.low)", selfType(), "string").evaluate({ low: 3 }, undefined)).toEqual({
    ok: true,
    value: "low is 3",
  });
});

test("a rule as long as the limit nests as deep as it likes; a longer one is refused", () => {
  const deep = "(".repeat(RULE_CHARS_MAX / 2 - 2);
  expect(compileCel(`${deep}true${")".repeat(deep.length)}`, selfType(), "bool").evaluate({}, {}).ok).toBe(true);
  expect(() => compileCel(" ".repeat(RULE_CHARS_MAX + 1), selfType(), "bool")).toThrow("at most 4096");
});

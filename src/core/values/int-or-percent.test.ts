import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hundredPercentFault, nonNegativeFault, parseIntOrPercent, type Rounding, scaled } from "./int-or-percent.ts";
import validations from "./vectors/int-or-percent-validation.json" with { type: "json" };
import fractions from "./vectors/kruise-scaled-float-variant.json" with { type: "json" };
import scalings from "./vectors/scaled-int-or-percent.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(scalings)("$value of $total, up $roundUp: $expected", ({ value, total, roundUp, expected }) => {
    expect(scaleOf(value, total, roundUp ? "up" : "down")).toBe(expected);
  });
  test.each(fractions)("$value of $total with fractions: $expected", ({ value, total, roundUp, expected }) => {
    expect(scaleOf(value, total, roundUp ? "up" : "down", { fractions: true })).toBe(expected);
  });
  test.each(validations)("$value: $nonNegativeIntOrPercent, $notMoreThan100Percent", (vector) => {
    expect(nonNegativeFault(vector.value) === undefined).toBe(vector.nonNegativeIntOrPercent);
    expect(hundredPercentFault(vector.value) === undefined).toBe(vector.notMoreThan100Percent);
  });
});

test.each([
  [-0, 0],
  ["-0%", 0],
  ["-50%", 0],
  [2147483647, 2147483647],
  ["000000000000000000000025%", 1],
])("%j of one node, rounded up, is %j without a minus sign", (value, expected) => {
  expect(Object.is(scaleOf(value, 1, "up"), expected)).toBe(true);
});

test.each([
  Number.NaN,
  1.5,
  Number.POSITIVE_INFINITY,
  2147483648,
  -2147483649,
  5n,
  true,
  {},
  [],
  "99999999999999999999%",
  "5%%",
  "٥%",
])("%s is refused with a problem at its path", (value) => {
  const parsed = parseIntOrPercent(value, "spec.burst");
  expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.path)).toEqual(["spec.burst"]);
});

test.each(["1e1%", "inf%", "NaN%", "0x1%", "1.%", ".5%", "1.2.3%", "%", "+%"])(
  "%j is no fraction of a percent",
  (value) => {
    expect(parseIntOrPercent(value, "x", { fractions: true }).ok).toBe(false);
  },
);

test("a percentage of a billion digits would be above 100%, and is told so without computing it", () => {
  expect(hundredPercentFault(`${"9".repeat(1 << 20)}%`)).toBe("must not be greater than 100%");
});

const percent = fc.integer({ min: 0, max: 1000 }).map((value) => `${value}%`);
const nodes = fc.nat({ max: 200_000 });

test("scaling is monotone in the total, and rounding up is never below rounding down, nor more than one above", () => {
  fc.assert(
    fc.property(percent, nodes, nodes, (value, a, b) => {
      const [less, more] = a < b ? [a, b] : [b, a];
      for (const rounding of ["up", "down"] as const) {
        expect(scaleOf(value, less, rounding)).toBeLessThanOrEqual(scaleOf(value, more, rounding) ?? Number.NaN);
      }
      const gap = (scaleOf(value, a, "up") ?? 0) - (scaleOf(value, a, "down") ?? 0);
      expect([0, 1]).toContain(gap);
    }),
  );
});

test("scaling is monotone in the percentage, and 100% is all", () => {
  fc.assert(
    fc.property(fc.nat({ max: 1000 }), fc.nat({ max: 1000 }), nodes, (a, b, total) => {
      const [less, more] = a < b ? [a, b] : [b, a];
      expect(scaleOf(`${less}%`, total, "up")).toBeLessThanOrEqual(scaleOf(`${more}%`, total, "up") ?? Number.NaN);
      expect(scaleOf("100%", total, "down")).toBe(total);
    }),
  );
});

function scaleOf(
  value: unknown,
  total: number,
  rounding: Rounding,
  options = { fractions: false },
): number | undefined {
  const parsed = parseIntOrPercent(value, "x", options);
  return parsed.ok ? scaled(parsed.value, total, rounding) : undefined;
}

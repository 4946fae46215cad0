import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareQuantities, parseQuantity, QUANTITY_CHARS_MAX, type Quantity } from "./quantity.ts";
import vectors from "./vectors/quantity-dump.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(vectors)("$input", ({ input, value, scale, s, format, slowPath }) => {
    const { mantissa, exponent, written, ...rest } = quantity(input);
    expect(rest.isInt64).toBe(slowPath !== true);
    if (slowPath !== true) expect([`${mantissa}`, exponent, written, rest.format]).toEqual([value, scale, s, format]);
  });
});

test.each([
  ["", "must not be empty"],
  ["x", "must be a number"],
  ["1 ", "must be a number"],
  [" 1", "must be a number"],
  ["1.5.5", "must be a number"],
  ["1e", "must be a number"],
  ["1Ki5", "must be a number"],
  ["0x10", "must be a number"],
  ["NaN", "must be a number"],
  ["٣", "must be a number"],
  ["\ud800", "must be a number"],
  ["e-10", "must have a digit"],
  ["1".repeat(QUANTITY_CHARS_MAX + 1), "must be at most"],
])("%j is refused: it %s", (text, why) => {
  const parsed = parseQuantity(text, "spec.limits");
  expect(parsed.ok).toBe(false);
  if (!parsed.ok) {
    expect(parsed.problems[0]?.path).toBe("spec.limits");
    expect(parsed.problems[0]?.message).toContain(why);
  }
});

test.each([
  ["1", "1000m", 0],
  ["1Gi", "1024Mi", 0],
  ["1G", "1Gi", -1],
  ["-1", "1n", -1],
  ["-2k", "-1k", -1],
  ["0", "-0.0Ki", 0],
  ["1e1000000000", "1e999999999", 1],
  ["-1e1000000000", "1n", -1],
  ["-1e1000000000", "-1e999999999", -1],
  ["10e999999999", "1e1000000000", 0],
  ["0.0000000001", "1n", 0],
  ["100000000000000000000.5", "100000000000000000000.4", 1],
  ["1e4294967297", "10", 0],
  ["10000000000000000000e4294967297", "10e19", 0],
  ["9223372036854775808Ki", "9223372036854775807", 0],
])("%s compared with %s gives %i", (a, b, expected) => {
  expect(compareQuantities(quantity(a), quantity(b))).toBe(expected);
  expect(compareQuantities(quantity(b), quantity(a)) + expected).toBe(0);
});

test("comparing agrees with exact arithmetic", () => {
  const decimal = fc.tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: -9, max: 30 }));
  fc.assert(
    fc.property(decimal, decimal, ([a, e], [b, f]) => {
      const [left, right] = [a * 10n ** BigInt(e + 9), b * 10n ** BigInt(f + 9)];
      const expected = left < right ? -1 : left > right ? 1 : 0;
      expect(compareQuantities(quantity(`${a}e${e}`), quantity(`${b}e${f}`))).toBe(expected);
    }),
  );
});

function quantity(text: string): Quantity {
  const parsed = parseQuantity(text);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.value;
}

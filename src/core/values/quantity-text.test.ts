import fc from "fast-check";
import { expect, test } from "vitest";
import { compareQuantities, parseQuantity } from "./quantity.ts";
import { quantityText } from "./quantity-text.ts";

// The right column was printed by Go's resource.Quantity.
test.each([
  ["0", "0"],
  ["-", "0"],
  ["007", "007"],
  ["+5", "+5"],
  ["0.5", "500m"],
  ["1.5Gi", "1536Mi"],
  ["1000m", "1"],
  ["64Mi", "64Mi"],
  ["1000Ki", "1000Ki"],
  ["1024Ki", "1Mi"],
  ["8Ki", "8Ki"],
  ["0.5Ki", "512"],
  ["0.9765625Ki", "1k"],
  ["0.0001Ki", "102400u"],
  ["-1023.5Mi", "-1048064Ki"],
  ["1e3", "1e3"],
  ["1e4", "10e3"],
  ["0.0000000001", "1n"],
  ["1000E", "1"],
  ["9223372036854775808Ki", "9223372036854775807"],
  ["1e1000000000", "10e999999999"],
])("%s is stored as %s", (text, stored) => {
  expect(canonical(text)).toBe(stored);
});

const spelled = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.bigInt({ min: 0n, max: 10n ** 15n }),
    fc.constantFrom("", ".5", ".000", ".123456789"),
    fc.constantFrom("", "m", "k", "M", "Ki", "Mi", "Gi", "e3", "e-3"),
  )
  .map((parts) => parts.join(""));

test("the canonical text is the same amount, and its own canonical text", () => {
  fc.assert(
    fc.property(spelled, (text) => {
      const stored = canonical(text);
      const [before, after] = [parseQuantity(text), parseQuantity(stored)];
      expect(before.ok && after.ok && compareQuantities(before.value, after.value)).toBe(0);
      expect(canonical(stored)).toBe(stored);
    }),
  );
});

function canonical(text: string): string {
  const parsed = parseQuantity(text);
  return parsed.ok ? quantityText(parsed.value) : `refused: ${parsed.problems[0]?.message}`;
}

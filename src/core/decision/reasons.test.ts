import { expect, test } from "vitest";
import { isReason, reasons } from "./reasons.ts";

test.each(Object.entries(reasons))("%s is a CamelCase word with a meaning and a remedy in sentences", (word, entry) => {
  expect(word).toMatch(/^[A-Z][A-Za-z]{2,62}$/);
  expect(entry.meaning).toMatch(/^[A-Z].*\.$/);
  expect(entry.remedy).toMatch(/^[A-Z].*\.$/);
});

test("only words of the list are reasons", () => {
  expect(isReason("KernelUnmapped")).toBe(true);
  expect(isReason("toString")).toBe(false);
  expect(isReason("__proto__")).toBe(false);
});

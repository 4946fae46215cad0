import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { labelValueFault } from "./label-syntax.ts";
import { distinctLabelValue, normalisedText, readableLabelValue } from "./safe-label-value.ts";
import vectors from "./vectors/kernel-version-label.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(vectors)("$kernelVersion", (vector) => {
    const normalised = normalisedText(vector.kernelVersion);
    expect(normalised).toBe(vector.kmmNormalize);
    expect(labelValueFault(normalised) === undefined).toBe(vector.kmmNormalizeIsValidLabelValue);
    const readable = readableLabelValue(vector.kernelVersion);
    expect(readable).toBe(vector.recommendedLabelSafe);
    expect(labelValueFault(readable) === undefined).toBe(vector.recommendedIsValidLabelValue);
  });
});

test("a text that is a label value stays itself", () => {
  expect(distinctLabelValue("5.14.0-427.13.1.el9_4.x86_64")).toBe("5.14.0-427.13.1.el9_4.x86_64");
  expect(distinctLabelValue("")).toBe("");
});

test("kernels that differ only in illegal characters keep different values", () => {
  const values = [
    "6.5.0",
    "6.5.0+",
    "6.5.0_",
    "6.5.0++",
    "+6.5.0",
    "++",
    "+",
    "\ud800",
    "9".repeat(70),
    "9".repeat(71),
  ].map(distinctLabelValue);
  expect(new Set(values).size).toBe(values.length);
  expect(distinctLabelValue("6.5.0+")).toMatch(/^6\.5\.0-[b-z2-9]{12}$/);
});

test("safe label values are always valid, and at most one text is kept by each", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary", maxLength: 100 }),
    fc.constantFrom("-".repeat(100), "a".repeat(64)),
  );
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(labelValueFault(distinctLabelValue(a))).toBeUndefined();
      expect(labelValueFault(readableLabelValue(a))).toBeUndefined();
      expect(distinctLabelValue(a) === distinctLabelValue(b)).toBe(a === b);
    }),
  );
});

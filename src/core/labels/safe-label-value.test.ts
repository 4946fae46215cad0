import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { labelValueFault } from "./label-syntax.ts";
import { normalisedText, readableLabelValue } from "./safe-label-value.ts";
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
  expect(readableLabelValue("5.14.0-427.13.1.el9_4.x86_64")).toBe("5.14.0-427.13.1.el9_4.x86_64");
  expect(readableLabelValue("")).toBe("");
});

test("a readable label value is always valid", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary", maxLength: 100 }),
    fc.constantFrom("-".repeat(100), "a".repeat(64), `${"a".repeat(62)}-b`, "\ud800"),
  );
  fc.assert(
    fc.property(text, (given) => {
      expect(labelValueFault(readableLabelValue(given))).toBeUndefined();
    }),
  );
});

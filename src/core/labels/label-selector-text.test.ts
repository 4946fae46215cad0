import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileLabelSelector, labelSelectorText, matchLabels } from "./label-selector.ts";
import { parseLabelSelector } from "./label-selector-text.ts";
import labelSets from "./vectors/selector-label-sets.json" with { type: "json" };
import texts from "./vectors/selector-string.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(texts)("$string", ({ string, matches, error }) => {
    const parsed = parseLabelSelector(string);
    expect(parsed.ok).toBe(error !== true);
    if (parsed.ok) expect(labelSets.map((labels) => matchLabels(parsed.value, labels))).toEqual(matches);
  });
});

test.each([
  ["", ""],
  [" \t\r\n", ""],
  ["a==b", "a==b"],
  ["a = b", "a=b"],
  ["a!=b", "a!=b"],
  ["b,a", "a,b"],
  ["a in (c,b,b,)", "a in (,b,c)"],
  ["a in (c,,)", "a in (,c)"],
  ["a>006", "a>006"],
  ["in notin (in,notin)", "in notin (in,notin)"],
])("%j is kept as %j", (text, kept) => {
  const parsed = parseLabelSelector(text);
  expect(parsed.ok && labelSelectorText(parsed.value)).toBe(kept);
});

test("a NUL ends the text, or the token directly before it, as in the API server's scanner", () => {
  expect(parseLabelSelector("a\u0000").ok).toBe(true);
  expect(parseLabelSelector("a, \u0000,,,").ok).toBe(false);
  expect(parseLabelSelector("a \u0000((((").ok).toBe(true);
  expect(parseLabelSelector("a=\u0000b").ok).toBe(true);
  expect(parseLabelSelector("a\u0000b").ok).toBe(false);
});

test.each([
  ["app in a", "selector", 'has "a" at character 7 where an opening bracket is needed'],
  ["app=a,", "selector", "has the end at character 6 where a label key or '!' is needed"],
  ["app<x", "selector", 'value "x" must be a whole number within 64 bits for Lt'],
  ["a_/b", "selector", "label key \"a_/b\" has a prefix that may hold only a-z, 0-9, '-' and '.'"],
])("%j is refused with the place and the remedy", (text, path, message) => {
  expect(parseLabelSelector(text)).toEqual({ ok: false, problems: [{ path, message }] });
});

test("a megabyte of requirements is parsed, and a megabyte of brackets refused", () => {
  const many = parseLabelSelector("a,".repeat(1 << 19).concat("b"));
  expect(many.ok && matchLabels(many.value, { a: "", b: "" })).toBe(true);
  expect(parseLabelSelector("(".repeat(1 << 20)).ok).toBe(false);
});

const key = fc.constantFrom("a", "B", "c.d/e", "in", "notin", "constructor");
const value = fc.constantFrom("", "x", "y", "in", "5", "Z.z-1");
const selector = fc.record({
  matchLabels: fc.dictionary(key, value),
  matchExpressions: fc.array(
    fc.oneof(
      fc.record({
        key,
        operator: fc.constantFrom("In", "NotIn"),
        values: fc.array(value, { minLength: 1, maxLength: 4 }),
      }),
      fc.record({ key, operator: fc.constantFrom("Exists", "DoesNotExist") }),
    ),
    { maxLength: 4 },
  ),
});

test("the text of a selector is parsed back into one that matches the same label sets", () => {
  fc.assert(
    fc.property(selector, fc.array(fc.dictionary(key, value)), (written, labelSets) => {
      const compiled = compileLabelSelector(written);
      const parsed = parseLabelSelector(compiled.ok ? labelSelectorText(compiled.value) : "!");
      expect(compiled.ok && parsed.ok).toBe(true);
      for (const labels of labelSets) {
        expect(parsed.ok && matchLabels(parsed.value, labels)).toBe(compiled.ok && matchLabels(compiled.value, labels));
      }
    }),
  );
});

test("no text makes the parser throw", () => {
  const alphabet = fc.constantFrom("a", "in", "notin", " ", "(", ")", ",", "=", "!", ">", "<", "\u0000", "\ud800", "5");
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 20 }), (parts) => {
      expect(typeof parseLabelSelector(parts.join("")).ok).toBe("boolean");
    }),
  );
});

import { expect, test } from "vitest";
import type { Json } from "../json/json.ts";
import { escaped, quoted, shown, shownPattern, shownValue } from "./shown.ts";

test.each([
  ["5.14.0-427.el9_4+rt~1", "5.14.0-427.el9_4+rt~1"],
  ["two words", '"two words"'],
  ["", '""'],
  ["a\nb", String.raw`"a\nb"`],
  ["\u001b[31m", String.raw`"\u001b[31m"`],
  ["\ud800", String.raw`"\ud800"`],
  ["é", '"é"'],
  ["a\u2028\u202e\u0085b", String.raw`"a\u2028\u202e\u0085b"`],
])("shown(%j) stands in a sentence as %s", (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test("shown() and shownPattern() cut what is long", () => {
  expect(shown("a".repeat(1 << 20)).length).toBeLessThan(100);
  expect(shownPattern("a".repeat(1 << 20)).length).toBeLessThan(300);
});

test.each([
  ["text", '"text"'],
  [5, "the number 5"],
  [true, "the boolean true"],
  [null, "nothing"],
  [undefined, "nothing"],
  [[1], "a list"],
  [{ a: 1 }, "an object"],
])("quoted(%j) is %s", (value, expected) => {
  expect(quoted(value)).toBe(expected);
});

test.each<[Json, string]>([
  ["a\nb", String.raw`"a\nb"`],
  [5, "5"],
  [2n ** 70n, "1180591620717411303424"],
  [null, "null"],
  [[1, 2], "a list of 2"],
  [{}, "{}"],
  [{ name: 1, "x\nforged": 2, "two words": 3 }, String.raw`{name, "x\nforged", "two words"}`],
  [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1 }, "{a, b, c, d, e, f, g, h, …}"],
])("shownValue(%o) is %s", (value, expected) => {
  expect(shownValue(value)).toBe(expected);
});

test("escaped() keeps all of a text and can be read back", () => {
  const text = '\ud800\u2028\u{e0001}é"\\'.repeat(100);
  expect(escaped(text)).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u);
  expect(JSON.parse(escaped(text))).toBe(text);
});

test("shownPattern() keeps backslashes single and hides what cannot be printed", () => {
  expect(shownPattern(String.raw`^5\.14`)).toBe(String.raw`/^5\.14/`);
  expect(shownPattern("a\n\u001b\u202e\ud800b")).toBe("/a\ufffd\ufffd\ufffd\ufffdb/");
});

import { expect, test } from "vitest";
import { shown, shownPattern } from "./shown.ts";

test.each([
  ["5.14.0-427.el9_4+rt~1", "5.14.0-427.el9_4+rt~1"],
  ["two words", '"two words"'],
  ["", '""'],
  ["a\nb", String.raw`"a\nb"`],
  ["\u001b[31m", String.raw`"\u001b[31m"`],
  ["\ud800", String.raw`"\ud800"`],
  ["é", '"é"'],
])("shown(%j) stands in a sentence as %s", (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test("shown() and shownPattern() cut what is long", () => {
  expect(shown("a".repeat(1 << 20)).length).toBeLessThan(100);
  expect(shownPattern("a".repeat(1 << 20)).length).toBeLessThan(300);
});

test("shownPattern() keeps backslashes single and hides what cannot be printed", () => {
  expect(shownPattern(String.raw`^5\.14`)).toBe(String.raw`/^5\.14/`);
  expect(shownPattern("a\n\u001b\u202e\ud800b")).toBe("/a\ufffd\ufffd\ufffd\ufffdb/");
});

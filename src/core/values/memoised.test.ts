import { expect, test } from "vitest";
import { MEMO_ENTRIES_MAX, MEMO_TEXT_LENGTH_MAX, memoised } from "./memoised.ts";

/** A parser that makes a new object each time, so that a remembered answer can be told from a fresh one. */
function boxed(text: string): { readonly text: string } {
  return { text };
}

test("memoised() gives the same object for equal texts", () => {
  const parse = memoised(boxed);
  expect(parse("__proto__")).toBe(parse("__proto__"));
  expect(parse("a")).toEqual({ text: "a" });
});

test("memoised() forgets rather than grow beyond its limit", () => {
  const parse = memoised(boxed);
  const first = parse("first");
  for (let entry = 1; entry < MEMO_ENTRIES_MAX; entry += 1) parse(`${entry}`);
  expect(parse("first")).toBe(first);
  parse("one too many");
  expect(parse("first")).not.toBe(first);
});

test("memoised() does not keep long texts alive", () => {
  const parse = memoised(boxed);
  const [kept, long] = ["a".repeat(MEMO_TEXT_LENGTH_MAX), "a".repeat(MEMO_TEXT_LENGTH_MAX + 1)];
  expect(parse(kept)).toBe(parse(kept));
  expect(parse(long)).not.toBe(parse(long));
});

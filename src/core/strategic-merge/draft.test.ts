import { describe, expect, test } from "vitest";
import { draftOf, finishDraft, readDraft, removeFromDraft, setInDraft } from "./draft.ts";

describe("a draft", () => {
  test("without changes is its original", () => {
    const original = { a: 1 };
    const draft = draftOf(original);
    setInDraft(draft, "a", 1, 1);
    expect(finishDraft(draft)).toBe(original);
  });

  test("shows its changes and leaves the original alone", () => {
    const original = Object.freeze({ a: 1, b: 2, c: 3 });
    const draft = draftOf(original);
    setInDraft(draft, "a", 1, 10);
    removeFromDraft(draft, "b");
    expect([readDraft(draft, "a"), readDraft(draft, "b"), readDraft(draft, "c")]).toEqual([10, undefined, 3]);
    expect(finishDraft(draft)).toEqual({ a: 10, c: 3 });
    expect(original).toEqual({ a: 1, b: 2, c: 3 });
  });

  test("holds a value again that was removed before", () => {
    const draft = draftOf({ a: 1 });
    removeFromDraft(draft, "a");
    setInDraft(draft, "a", undefined, 1);
    expect(readDraft(draft, "a")).toBe(1);
    expect(finishDraft(draft)).toEqual({ a: 1 });
  });
});

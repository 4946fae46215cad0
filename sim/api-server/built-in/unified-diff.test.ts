import fc from "fast-check";
import { expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

const lines = (text: string) => text.split("");

test("equal texts have no difference", () => {
  expect(unifiedDiff(lines("abc"), lines("abc"))).toBe("");
});

test.each([
  ["a change with its surroundings", "abcdefghi", "abcdXfghi", "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n"],
  [
    "two changes that are near share a hunk",
    "abcdefgh",
    "Xbcdefgh".replace("h", "Y"),
    "@@ -1,8 +1,8 @@\n-a\n+X\n b\n c\n d\n e\n f\n g\n-h\n+Y\n",
  ],
  [
    "two that are far do not",
    "abcdefghi",
    "XbcdefghY",
    "@@ -1,4 +1,4 @@\n-a\n+X\n b\n c\n d\n@@ -6,4 +6,4 @@\n f\n g\n h\n-i\n+Y\n",
  ],
  ["lines that come", "ab", "aXYb", "@@ -1,2 +1,4 @@\n a\n+X\n+Y\n b\n"],
  ["lines that go", "aXb", "ab", "@@ -1,3 +1,2 @@\n a\n-X\n b\n"],
  ["everything", "a", "b", "@@ -1 +1 @@\n-a\n+b\n"],
  ["from nothing", "", "ab", "@@ -0,0 +1,2 @@\n+a\n+b\n"],
])("%s", (_shows, before, after, diff) => {
  expect(unifiedDiff(lines(before), lines(after))).toBe(diff);
});

test("the lines that go and those that stay are the old text, in order", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      // With so few lines around, every line of both texts is in some hunk unless it is far from all changes.
      const shown = unifiedDiff([...before, "end"], [...after, "end"]).split("\n");
      const kept = (marks: string) =>
        shown.filter((line) => marks.includes(line[0] ?? "x")).map((line) => line.slice(1));
      expect(isWithin(kept(" -"), [...before, "end"])).toBe(true);
      expect(isWithin(kept(" +"), [...after, "end"])).toBe(true);
      expect(before.length - after.length).toBe(kept("-").length - kept("+").length);
    }),
  );
});

function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  return part.every((line) => {
    at = whole.indexOf(line, at) + 1;
    return at > 0;
  });
}

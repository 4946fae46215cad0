import fc from "fast-check";
import { expect, test } from "vitest";
import { utf8Bytes } from "../hash/fnv.ts";
import { compareUtf8, sortedByUtf8 } from "./utf8-order.ts";

const anyText = fc.string({ unit: "binary" });

test("compareUtf8 orders texts as their bytes are ordered", () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      expect(Math.sign(compareUtf8(a, b))).toBe(compareBytes(utf8Bytes(a), utf8Bytes(b)));
    }),
  );
});

test("sortedByUtf8 puts characters beyond U+FFFF last and leaves its argument alone", () => {
  const texts = Object.freeze(["\u{1f600}", "\uffff", "b", "a", ""]);
  expect(sortedByUtf8(texts)).toEqual(["", "a", "b", "\uffff", "\u{1f600}"]);
  expect(sortedByUtf8(["b", "a", "B"])).toEqual(["B", "a", "b"]);
});

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  if (at === -1) return Math.sign(a.length - b.length);
  return (a[at] ?? 0) < (b[at] ?? -1) ? -1 : 1;
}

import { describe, expect, test } from "vitest";
import { fnv1a32, fnv1Hash32, utf8Bytes } from "./fnv.ts";
import vectors from "./vectors/fnv.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(vectors)("$input", (vector) => {
    expect(fnv1a32(utf8Bytes(vector.input))).toBe(vector.fnv1a32);
    expect(fnv1Hash32(utf8Bytes(vector.input))).toBe(vector.fnv1_32);
  });
});

test("a hash can be continued where it stopped", () => {
  expect(fnv1a32(utf8Bytes("bar"), fnv1a32(utf8Bytes("foo")))).toBe(fnv1a32(utf8Bytes("foobar")));
});

test("half a surrogate pair is hashed as U+FFFD", () => {
  expect(utf8Bytes("\ud800")).toEqual(Uint8Array.of(0xef, 0xbf, 0xbd));
});

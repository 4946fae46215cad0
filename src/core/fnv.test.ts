import { describe, expect, test } from "vitest";
import { fnv1a32, fnv1a64, fnv1Hash32, utf8Bytes } from "./fnv.ts";
import vectors from "./vectors/fnv.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(vectors)("$input", (vector) => {
    expect(fnv1a32(utf8Bytes(vector.input))).toBe(vector.fnv1a32);
    expect(fnv1Hash32(utf8Bytes(vector.input))).toBe(vector.fnv1_32);
  });
});

// As Go's hash/fnv prints them.
test.each([
  ["", "cbf29ce484222325"],
  ["a", "af63dc4c8601ec8c"],
  ["foobar", "85944171f73967e8"],
  ["farrier", "efdbd05c7f7f3d7c"],
])("FNV-1a of %j in 64 bits is %s", (text, hex) => {
  expect(
    fnv1a64(utf8Bytes(text))
      .map((half) => half.toString(16).padStart(8, "0"))
      .join(""),
  ).toBe(hex);
});

test("FNV-1a in 64 bits is the textbook computation", () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, index) => (index * 31) % 256);
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) % 2n ** 64n;
  const [high, low] = fnv1a64(bytes);
  expect((BigInt(high) << 32n) + BigInt(low)).toBe(hash);
});

test("a hash can be continued where it stopped", () => {
  expect(fnv1a32(utf8Bytes("bar"), fnv1a32(utf8Bytes("foo")))).toBe(fnv1a32(utf8Bytes("foobar")));
});

test("half a surrogate pair is hashed as U+FFFD", () => {
  expect(utf8Bytes("\ud800")).toEqual(Uint8Array.of(0xef, 0xbf, 0xbd));
});

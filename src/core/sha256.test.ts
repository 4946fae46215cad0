import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { utf8Bytes } from "./fnv.ts";
import { sha256 } from "./sha256.ts";

function hex(bytes: Uint8Array): string {
  return [...sha256(bytes)].map((word) => word.toString(16).padStart(8, "0")).join("");
}

function referenceHex(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

// The examples of FIPS 180-2, and the empty message.
test.each([
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
  ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
])("the digest of %.20j is %s", (text, digest) => {
  expect(hex(utf8Bytes(text))).toBe(digest);
});

test("the digest is right for every length around the ends of blocks", () => {
  for (let length = 0; length <= 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length) % 256);
    expect(hex(bytes)).toBe(referenceHex(bytes));
  }
});

test("the digest of any bytes is that of the platform", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(40), (bytes, start) => {
      const part = bytes.subarray(start);
      expect(hex(part)).toBe(referenceHex(part));
    }),
  );
});

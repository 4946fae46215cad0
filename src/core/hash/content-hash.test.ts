import { expect, test } from "vitest";
import { labelValueFault } from "../labels/label-syntax.ts";
import { CONTENT_HASH_CHARS, contentHash, sha256Hex } from "./content-hash.ts";
import { utf8Bytes } from "./fnv.ts";

test.each(["", "a", "é", "{}", "x".repeat(1 << 20)])("the hash of %.10j has 24 legal characters", (text) => {
  expect(contentHash(text)).toHaveLength(CONTENT_HASH_CHARS);
  expect(labelValueFault(contentHash(text))).toBeUndefined();
});

// Written down so that a change of the function, which would rename every object in every cluster, cannot pass unseen.
test("the hash of a text is the same for ever", () => {
  expect([contentHash(""), contentHash("farrier"), contentHash('{"a":1}')]).toEqual([
    "sg2bj66m4v6vbvb2hz65z6nw",
    "hwvjxswdtfhk9hdqpvc2rs9d",
    "ppr2tctgwzqbrwz5cpnwh68n",
  ]);
});

test.each(["\ud800", "a\udc00b", "\udc00\ud800"])("half a surrogate pair in %j counts as U+FFFD", (text) => {
  expect(contentHash(text)).toBe(contentHash(text.toWellFormed()));
});

// The examples of FIPS 180-2, and the empty message.
test.each([
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
])("the SHA-256 of %j is %s, also of a part of a longer array", (text, digest) => {
  const bytes = utf8Bytes(`-${text}-`);
  expect(sha256Hex(bytes.subarray(1, -1))).toBe(digest);
});

import { expect, test } from "vitest";
import { CONTENT_HASH_CHARS, contentHash } from "./content-hash.ts";
import { labelValueFault } from "./label-syntax.ts";

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

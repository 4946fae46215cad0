import { expect, test } from "vitest";
import { counted } from "./counted.ts";

test.each([
  [0, "0 nodes have"],
  [1, "1 node has"],
  [2, "2 nodes have"],
])("%d is told as %s", (count, expected) => {
  expect(counted(count, "node has", "nodes have")).toBe(expected);
});

// Which Go is new enough for the oracle.
import { expect, test } from "vitest";
import { isNewEnough } from "./availability.ts";

test.each([
  ["go1.25.0", true],
  ["go1.26.8", true],
  ["go2.0", true],
  ["go1.24.9", false],
  ["go1.9", false],
  ["devel +abc", false],
])("%s is new enough: %s", (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});

import { expect, test } from "vitest";
import { closingLine, nothing, single, skipLine, sum } from "./tally.ts";

const noGo = { what: "oracle", count: 2, reason: "Go is not on the PATH", remedy: "install Go 1.25" };

test("tallies add up and the closing line counts every skipped check", () => {
  const total = sum([nothing, single(true), single(false), { passed: 40, failed: 2, skips: [noGo] }]);
  expect(closingLine(total)).toBe("41 passed, 3 failed, 2 skipped");
});

test("a skip says what, why and how to get it, in one line", () => {
  expect(skipLine(noGo)).toBe("skipped: oracle: Go is not on the PATH; install Go 1.25");
});

import { expect, test } from "vitest";
import { isWithin } from "../../core/kernel/part-interval.ts";
import { parseNumberRule } from "./number-rule.ts";

test.each([
  ["22.04", [22, 4], true],
  ["22.04", [22, 10], false],
  [">=15.3", [15, 4], true],
  [">=15.3", [15, 2], false],
  ["8-9", [9, 6], true],
  ["8-9", [10], false],
  [">=8 <9 || 10", [8, 9], true],
  [">=8 <9 || 10", [9], false],
  [">=8 <9 || 10", [10, 1], true],
])("the rule %s on %j: %s", (text, parts, isMet) => {
  const rule = parseNumberRule(text, "os.version");
  expect(rule.ok && rule.value.intervals.some((interval) => isWithin(interval, parts))).toBe(isMet);
});

test.each(["/jammy/", "default", "22.04-lts", "5.4 6.1", "x"])("the rule %s is refused at its place", (text) => {
  expect(parseNumberRule(text, "os.version")).toMatchObject({ ok: false, problems: [{ path: "os.version" }] });
});

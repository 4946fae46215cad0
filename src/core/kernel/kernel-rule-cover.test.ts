import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseKernelRelease } from "./kernel-release.ts";
import { type KernelRule, matchKernel } from "./kernel-rule.ts";
import { findShadows, ruleCovers, rulesOverlap } from "./kernel-rule-cover.ts";
import { parseKernelRule } from "./kernel-rule-grammar.ts";

function ruleOf(text: string, place = text): KernelRule {
  const parsed = parseKernelRule(text, place);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.value;
}

test.each([
  ["4.18-5.10", "5.4-6.1", true],
  ["4.18-5.3", "5.4-6.1", false],
  ["5.x", "4.x || 5.14", true],
  ["/el9/", "5.14", false],
])("rulesOverlap(): %s and %s: %s", (one, other, isSo) => {
  expect([rulesOverlap(ruleOf(one), ruleOf(other)), rulesOverlap(ruleOf(other), ruleOf(one))]).toEqual([isSo, isSo]);
});

describe("ruleCovers()", () => {
  test.each([
    ["5.x", "5.4", true],
    ["5.4", "5.x", false],
    [">=5.4", "5.10-6.1", true],
    [">=5.4", "5.3-6.1", false],
    ["<6", ">=5.14 <6", true],
    [">=5.14 <6", "<6", false],
    ["<5 || >=5", "4.18-6.1", true],
    ["5.4 || 5.5", ">=5.4 <5.6", true],
    ["5.4 || 5.6", ">=5.4 <5.7", false],
    ["5.x", "5.4 || 5.10", true],
    ["5.x", "5.4 || 6.1", false],
    ["5.x", "5.4.0-66-generic", true],
    ["5.x", "6.8.0+", false],
    ["5.4.0-66-generic", "5.4.0-66-generic", true],
    ["5.4.0-*", "5.4.0-66-*", true],
    ["5.4.0-66-*", "5.4.0-*", false],
    ["5.x", "5.4.0-66-*", true],
    [">=5.4", "5.4.0-*", true],
    [">=5.4.1", "5.4.0-66-*", false],
    ["5.x", "6.8.0-*", false],
    // 5.14.0-427.1… may go on in any way, but its numbers are 5.14.0.
    ["5.14.0", "5.14.0-427.1*", true],
    ["5.14", "5.14.0-427.*", true],
    // What starts so may be 5-rt, which has no two numbers.
    ["5.x", "5-*", false],
    [">=0", "kwok-*", false],
    ["5.4 /el9/", "5.4.0-66-* /el9/", true],
    ["5.4.0-*", "5.4.0-66-generic", true],
    ["/el9/", "/el9/", true],
    ["/el9/", "/el9_4/", false],
    ["/el9/", "5.14.0-427.el9_4.x86_64", true],
    [">=5 /el9/", "5.14 /el9/", true],
    [">=5 /el9/", "5.14", false],
    ["*", "/x/", true],
    ["*", ">=5 || kwok-0.8.0", true],
    // Numbers match no release without numbers, so they never cover what may match one.
    [">=0", "/kwok/", false],
    [">=0", "kwok-0.8.0", false],
    [">=0", "*", false],
    ["default", "5.x", false],
    ["*", "default", false],
  ])("%s covers %s: %s", (earlier, later, expected) => {
    expect(ruleCovers(ruleOf(earlier), ruleOf(later))).toBe(expected);
  });

  test("is never true while a release tells the two apart", () => {
    const text = fc.constantFrom(
      "5",
      "5.4",
      ">=5.4",
      "<=5.3",
      "<5",
      "4.18-5.3",
      ">5 <6.1",
      "5.4 || 6",
      "/el9/",
      "5.4.0-*",
      "5.4.0-66-*",
      "5.4.0-66-generic",
      "5.3.0-el9",
      "kwok-0.8.0",
      "kwok-*",
      "*",
      ">=5 /el9/",
      "5.x /el9/ || 4",
    );
    const release = fc.constantFrom(
      "4.18.0",
      "5.3.0-el9",
      "5.4.0-66-generic",
      "5.4.0-67-el9",
      "5.10.1",
      "6.0.9",
      "6.1.0-el9",
      "kwok-0.8.0",
      "4.0.0",
    );
    fc.assert(
      fc.property(text, text, release, (earlier, later, raw) => {
        const [a, b] = [ruleOf(earlier), ruleOf(later)];
        const kernel = parseKernelRelease(raw);
        if (ruleCovers(a, b) && matchKernel(b, kernel).matched) expect(matchKernel(a, kernel).matched).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

test("findShadows() names each rule that never gets a node, and the first that takes its nodes", () => {
  const rules = ["5.4", "5.x", "5.10", "6.1", "5.4.0-66-generic", "default"].map((text, at) =>
    ruleOf(text, `mapping[${at}]`),
  );
  expect(findShadows(rules)).toEqual([
    { rule: "mapping[2]", by: "mapping[1]" },
    { rule: "mapping[4]", by: "mapping[0]" },
  ]);
});

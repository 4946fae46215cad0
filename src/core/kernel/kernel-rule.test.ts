import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Parsed } from "../decision/problem.ts";
import { parseNodeFacts } from "../node/node-facts.ts";
import { parseKernelRelease } from "./kernel-release.ts";
import { exactKernelRule, type KernelRule, matchKernel, regexpKernelRule } from "./kernel-rule.ts";
import { parseKernelRule } from "./kernel-rule-grammar.ts";

function made(rule: Parsed<KernelRule>): KernelRule {
  if (!rule.ok) throw new Error(rule.problems.map((problem) => problem.message).join());
  return rule.value;
}

function isMatched(text: string, release: string): boolean {
  return matchKernel(made(parseKernelRule(text)), parseKernelRelease(release)).matched;
}

describe("matchKernel() by number", () => {
  test.each([
    // Integers, not digits or floats.
    [">=5.4", "5.12.13-051213-generic", true],
    [">=5.4", "5.4.0-66-generic", true],
    [">=5.4", "5.3.18-150300.59.106-default", false],
    [">=5.4", "10.0.17763.5329", true],
    // A bare number, 5.x and 5.* are the same line.
    ["5", "5.15.148", true],
    ["5.x", "5.0.0", true],
    ["5.*", "6.0.0", false],
    ["5.X", "4.19.0", false],
    ["5.4", "5.4.0-66-generic", true],
    ["5.4", "5.40.0", false],
    ["=5.4", "5.4.299", true],
    ["5.15.148", "5.15.148-tegra", true],
    ["5.15.148", "5.15.1480", false],
    // Bounds count as far as they are written.
    ["<=5.3", "5.3.99", true],
    ["<=5.3", "5.4.0", false],
    ["<5.3", "5.3.0", false],
    [">5.3", "5.3.99", false],
    [">5.3", "5.4.0", true],
    [">5.3.18", "5.3.19", true],
    // A range includes both ends, as far as they are written.
    ["4.18-5.3", "4.18.0-553.el8_10.x86_64", true],
    ["4.18-5.3", "5.3.99", true],
    ["4.18-5.3", "5.4.0", false],
    ["4.18-5.3", "4.17.19", false],
    ["4.18.0 - 5.3.18", "5.3.18-default", true],
    ["4.18.0 - 5.3.18", "5.3.19", false],
    ["5-6", "6.12.0-55.9.1.el10_0.x86_64", true],
    [">=5.14 <6", "5.15.0", true],
    [">=5.14 <6", "6.0.0", false],
    [">=5.14<6", "5.13.0", false],
    // A part that the release does not write is 0.
    [">=5.4.0", "5.4", true],
    ["5.4.0", "5.4", true],
    [">=5.4.1", "5.4", false],
    // Any of.
    ["5.4 || >=6.1", "5.4.0", true],
    ["5.4 || >=6.1", "6.1.0", true],
    ["5.4 || >=6.1", "5.10.0", false],
    // The suffix never takes part.
    [">=6.9", "6.9.0-rc3", true],
    ["6.8", "6.8.0+", true],
  ])("%s and %s: %s", (rule, release, expected) => {
    expect(isMatched(rule, release)).toBe(expected);
  });
});

describe("matchKernel() by text", () => {
  test.each([
    ["4.18.0-193.41.1.el8_2.x86_64", "4.18.0-193.41.1.el8_2.x86_64", true],
    ["4.18.0-193.41.1.el8_2.x86_64", "4.18.0-193.41.1.el8_2.x86_64+rt", false],
    ['"5.15.148"', "5.15.148", true],
    ['"5.15.148"', "5.15.148-tegra", false],
    ["5.4.0-66-*", "5.4.0-66-generic", true],
    ["5.4.0-66-*", "5.4.0-660-generic", false],
    ["5.4.0-66-*", "15.4.0-66-generic", false],
    ["5.14.0-427.*", "5.14.0-427.13.1.el9_4.x86_64", true],
    ["/el9_[0-9]+/", "5.14.0-427.13.1.el9_4.x86_64", true],
    ["/^el9/", "5.14.0-427.13.1.el9_4.x86_64", false],
    [">=5.4 /-azure$/", "5.4.0-1068-azure", true],
    [">=5.4 /-azure$/", "5.4.0-66-generic", false],
    ["*", "anything at all", true],
    // Text rules reach releases that have no numbers; numbers do not.
    ["kwok-0.8.0", "kwok-0.8.0", true],
    ["/^kwok-/", "kwok-0.8.0", true],
    [">=0", "kwok-0.8.0", false],
    ["<99", "kwok-0.8.0", false],
    // A node that has not reported yet is matched by nothing.
    ["*", "", false],
    ["/.*/", "", false],
    ["default", "5.4.0", false],
  ])("%s and %s: %s", (rule, release, expected) => {
    expect(isMatched(rule, release)).toBe(expected);
  });
});

describe("matchKernel() says why", () => {
  test.each([
    ["6.x", "5.14.0-427", "5.14.0-427 is not 6.x"],
    ["<6", "6.12.0", "6.12.0 is above <6"],
    [">=5.4", "4.19.0", "4.19.0 is below >=5.4"],
    ["4.18-5.3", "5.10.0", "5.10.0 is above 4.18-5.3"],
    ["5.4 || >=6.1", "5.10.0", "5.10.0 is not 5.4 and is below >=6.1"],
    [">= 5.4 /azure/", "5.4.0-66-generic", "5.4.0-66-generic does not match /azure/"],
    ["5.4.0-66-*", "5.4.0-67-generic", "5.4.0-67-generic does not start with 5.4.0-66-"],
    ["5.4.0-66-generic", "5.4.0-67-generic", "5.4.0-67-generic is not 5.4.0-66-generic"],
    [">=5.14 <6", "5.15.0", "5.15.0 matches >=5.14 <6"],
    ["5.4 || >=6.1", "6.8.0", "6.8.0 matches >=6.1"],
    [">=5", "kwok-0.8.0", "kwok-0.8.0 has no numbers to compare with >=5"],
    ["5.x", "", "the node reports no kernel release"],
    ["default", "5.4.0", "default applies only where no other rule matches"],
    ["5.x", "6.1.0\u001b[31m evil", '"6.1.0\\u001b[31m evil" is not 5.x'],
  ])("%s and %s: %s", (text, release, because) => {
    const rule = made(parseKernelRule(text, 'variants["a"].kernel'));
    expect(matchKernel(rule, parseKernelRelease(release))).toMatchObject({ rule: 'variants["a"].kernel', because });
  });
});

test("a kernel that is no text is told from one that is missing", () => {
  const rule = made(parseKernelRule("*", "mapping[0]"));
  const { kernel } = parseNodeFacts({ status: { nodeInfo: { kernelVersion: 5 } } });
  expect(matchKernel(rule, kernel).because).toBe("status.nodeInfo.kernelVersion is not a text");
});

describe("the fields of a mapping", () => {
  test("a literal is compared letter by letter, whatever the grammar would make of it", () => {
    for (const literal of ["5.4.0-66", ">=5.4", "default", "__proto__", "a b", "\ud800"]) {
      const rule = made(exactKernelRule(literal, "mapping[0].literal"));
      expect(matchKernel(rule, parseKernelRelease(literal)).matched).toBe(true);
      expect(matchKernel(rule, parseKernelRelease(`${literal}x`)).matched).toBe(false);
    }
  });

  test("a regexp is Go's: unanchored, and explained with single backslashes", () => {
    const rule = made(regexpKernelRule(String.raw`^5\.14\..*el9`, "mapping[1].regexp"));
    expect(matchKernel(rule, parseKernelRelease("5.14.0-427.el9_4"))).toEqual({
      rule: "mapping[1].regexp",
      matched: true,
      because: String.raw`5.14.0-427.el9_4 matches /^5\.14\..*el9/`,
    });
  });

  test.each([
    exactKernelRule("", "mapping[2]"),
    regexpKernelRule("", "mapping[2]"),
    regexpKernelRule("(", "mapping[2]"),
  ])("an empty or broken one is refused at its place", (parsed) => {
    expect(parsed).toMatchObject({ ok: false, problems: [{ path: "mapping[2]" }] });
  });
});

describe("laws of matching", () => {
  const number = fc.array(fc.nat(9), { minLength: 2, maxLength: 4 }).map((parts) => parts.join("."));
  const suffix = fc.constantFrom("", "-66-generic", "+", "-rc1");

  test("a range is its two bounds", () => {
    fc.assert(
      fc.property(number, number, number, suffix, (low, high, version, tail) => {
        const range = parseKernelRule(`${low} - ${high}`);
        if (!range.ok) return;
        const release = parseKernelRelease(version + tail);
        const isInBounds = isMatched(`>=${low}`, version + tail) && isMatched(`<=${high}`, version + tail);
        expect(matchKernel(range.value, release).matched).toBe(isInBounds);
      }),
    );
  });

  test("opposite bounds split the known releases between them", () => {
    fc.assert(
      fc.property(number, number, suffix, (bound, version, tail) => {
        const release = version + tail;
        expect(isMatched(`>=${bound}`, release)).toBe(bound === "0.0" ? true : !isBelow(bound, release));
        expect(isMatched(`<=${bound}`, release)).toBe(!isMatched(`>${bound}`, release));
        expect(isMatched(bound, release)).toBe(isMatched(`>=${bound}`, release) && isMatched(`<=${bound}`, release));
      }),
    );
    function isBelow(bound: string, release: string): boolean {
      const below = parseKernelRule(`<${bound}`);
      return below.ok && matchKernel(below.value, parseKernelRelease(release)).matched;
    }
  });

  test("a release matches the exact rule that is made of it, and no other", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        const rule = made(exactKernelRule(one, "literal"));
        expect(matchKernel(rule, parseKernelRelease(other)).matched).toBe(one === other);
      }),
    );
  });
});

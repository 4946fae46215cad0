import { describe, expect, test } from "vitest";
import { parseKernelRelease } from "./kernel-release.ts";
import type { KernelRule } from "./kernel-rule.ts";
import { parseKernelRule } from "./kernel-rule-grammar.ts";
import { nearestMiss, RULES_COMPARED_MAX } from "./nearest-miss.ts";

function rulesOf(texts: readonly string[]): readonly KernelRule[] {
  return texts.flatMap((text, index) => {
    const parsed = parseKernelRule(text, `mapping[${index}]`);
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    return [parsed.value];
  });
}

function missOf(release: string, ...texts: string[]): string | undefined {
  return nearestMiss(rulesOf(texts), parseKernelRelease(release))?.because;
}

describe("nearestMiss() says by what the nearest rule missed", () => {
  test.each([
    ["6.12.0", ["4.x", "<6"], "6.12.0 is above <6 of mapping[1] by a major version"],
    ["6.12.0", ["4.x", "<5"], "6.12.0 is above 4.x of mapping[0] by 2 major versions"],
    [
      "5.3.18-150300.59.106-default",
      [">=5.4"],
      "5.3.18-150300.59.106-default is below >=5.4 of mapping[0] by a minor version",
    ],
    ["5.15.3", ["6.1", "5.4-5.10"], "5.15.3 is above 5.4-5.10 of mapping[1] by 5 minor versions"],
    ["5.4.10", ["5.4.7", "5.4.8"], "5.4.10 is above 5.4.8 of mapping[1] by 2 patch levels"],
    ["5.15.146.1", ["5.15.146.3"], "5.15.146.1 is below 5.15.146.3 of mapping[0] by 2 in part 4"],
    [
      "5.15.0-114-generic",
      ["6.x", "5.15.0-113-generic"],
      '5.15.0-114-generic differs from 5.15.0-113-generic of mapping[1] after "5.15.0-11"',
    ],
    [
      "5.15.0-114-generic",
      ["5.15.0-113-*"],
      '5.15.0-114-generic differs from 5.15.0-113-* of mapping[0] after "5.15.0-11"',
    ],
    [
      "6.8.0-40-generic",
      ["5.15.0-113-generic"],
      "6.8.0-40-generic is above 5.15.0-113-generic of mapping[0] by a major version",
    ],
    [
      "6.1.97-flatcar",
      [String.raw`/^5\.14\..*el9/`, "5.15.0-113-generic", String.raw`/^6\.1\.[0-9]+$/`],
      String.raw`/^6\.1\.[0-9]+$/ of mapping[2] matches "6.1.97", but not with "-flatcar" behind it`,
    ],
    ["6.1.97-flatcar", ["/talos/"], "6.1.97-flatcar does not match /talos/ of mapping[0]"],
    ["6.1.97-flatcar", ["/talos/", "kwok-*"], "6.1.97-flatcar does not match /talos/ of mapping[0]"],
    ["6.1.97-flatcar", ["4.x || 6.2"], "6.1.97-flatcar is below 6.2 of mapping[0] by a minor version"],
    ["6.1.97-flatcar", ["6.2 /talos/", "7"], "6.1.97-flatcar is below 7 of mapping[1] by a major version"],
    [
      "6.1.97-flatcar",
      ["/^6[0-9.]*$/"],
      '/^6[0-9.]*$/ of mapping[0] matches "6.1.97", but not with "-flatcar" behind it',
    ],
    ["6.1.97-flatcar", [">=6 /talos/", "5.x"], "6.1.97-flatcar is above 5.x of mapping[1] by a major version"],
  ])("%s and %j", (release, texts, because) => {
    expect(missOf(release, ...texts)).toBe(because);
  });
});

test("nearestMiss() prefers the earlier of two equally near rules, and names its place", () => {
  const miss = nearestMiss(rulesOf(["5.x", "7.x"]), parseKernelRelease("6.1.0"));
  expect(miss).toEqual({ rule: "mapping[0]", because: "6.1.0 is above 5.x of mapping[0] by a major version" });
});

test("nearestMiss() has nothing to say where a rule matches, none is given, or the release has no numbers", () => {
  expect(missOf("6.1.0", "5.x", "6.x")).toBeUndefined();
  expect(missOf("6.1.0")).toBeUndefined();
  expect(missOf("6.1.0", "default")).toBeUndefined();
  expect(missOf("kwok-0.8.0", "5.x", "kwok-0.9.0")).toBeUndefined();
});

test("nearestMiss() stops looking after a bounded number of rules", () => {
  const texts = Array.from({ length: RULES_COMPARED_MAX }, () => "1.x").concat("6.2");
  expect(missOf("6.1.0", ...texts)).toBe("6.1.0 is above 1.x of mapping[0] by 5 major versions");
});

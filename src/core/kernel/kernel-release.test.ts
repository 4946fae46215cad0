import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Fact, isUnknown } from "../decision/fact.ts";
import { compareKernelReleases, type KernelRelease, parseKernelRelease, RELEASE_LENGTH_MAX } from "./kernel-release.ts";

function known(raw: string): KernelRelease {
  const release = parseKernelRelease(raw);
  if (isUnknown(release)) throw new Error(`expected a known release: ${release.unknown}`);
  return release;
}

function described(raw: string): string {
  const release = parseKernelRelease(raw);
  if (isUnknown(release)) return `${raw}\n    unknown: ${release.unknown}`;
  const { parts, abi, flavour, distro, arch, candidate } = release;
  const words = Object.entries({ parts: parts.join(" "), abi, flavour, distro, arch, candidate });
  return `${raw}\n    ${words.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`])).join(", ")}`;
}

test("parseKernelRelease() reads the kernels of the distributions that we know", async () => {
  const corpus = readFileSync(new URL("./vectors/kernel-releases.input.txt", import.meta.url), "utf8");
  const lines = corpus.split("\n").slice(0, -1);
  expect(lines.length).toBeGreaterThan(100);
  await expect(`${lines.map(described).join("\n")}\n`).toMatchFileSnapshot("./vectors/kernel-releases.expected.txt");
});

describe("compareKernelReleases()", () => {
  test.each([
    ["5.12.13-051213-generic", "5.4.0-66-generic", 1],
    ["5.4.0-66-generic", "5.12.13-051213-generic", -1],
    ["4.18.0-553.el8_10.x86_64", "4.18.0-193.41.1.el8_2.x86_64", 0],
    ["6.9.0-rc3", "6.9.0", 0],
    ["5.15.146.1-microsoft-standard-WSL2", "5.15.146-generic", 1],
    ["5.4", "5.4.0", 0],
    ["10.0.20348.2322", "10.0.17763.5329", 1],
  ])("orders %s and %s by their numbers alone", (a, b, sign) => {
    expect(compareKernelReleases(known(a), known(b))).toBe(sign);
  });

  test("does not order what is unknown, not even against itself", () => {
    const garbled = parseKernelRelease("corrupted_version");
    expect(compareKernelReleases(garbled, known("5.4.0"))).toBeUndefined();
    expect(compareKernelReleases(known("5.4.0"), garbled)).toBeUndefined();
    expect(compareKernelReleases(garbled, garbled)).toBeUndefined();
  });

  const release = fc
    .tuple(fc.array(fc.nat(20), { minLength: 2, maxLength: 4 }), fc.constantFrom("", "+", "-66-generic", "-rc1"))
    .map(([parts, suffix]) => known(parts.join(".") + suffix));

  test("is a total order up to suffixes and trailing zeros", () => {
    fc.assert(
      fc.property(release, release, release, (a, b, c) => {
        const order = (x: Fact<KernelRelease>, y: Fact<KernelRelease>): number =>
          compareKernelReleases(x, y) ?? Number.NaN;
        expect(order(a, b) + order(b, a)).toBe(0);
        if (order(a, b) <= 0 && order(b, c) <= 0) expect(order(a, c)).toBeLessThanOrEqual(0);
        const isEqual =
          a.parts.every((part, index) => part === (b.parts[index] ?? 0)) &&
          b.parts.every((part, index) => part === (a.parts[index] ?? 0));
        expect(order(a, b) === 0).toBe(isEqual);
      }),
    );
  });
});

describe("parseKernelRelease() on bad input", () => {
  test("keeps any text letter by letter and never throws", () => {
    const anyText = fc.array(fc.nat(0xffff), { maxLength: 80 }).map((units) => String.fromCharCode(...units));
    const nearText = fc.string({ unit: fc.constantFrom("5", "4", ".", "-", "+", "~", "el", "rc", "x86_64", "\ud800") });
    const text = fc.oneof(anyText, nearText);
    fc.assert(
      fc.property(text, (raw) => {
        expect(parseKernelRelease(raw).raw).toBe(raw);
      }),
    );
  });

  test("says how long a megabyte is instead of quoting it", () => {
    const release = parseKernelRelease("5.4.0-".padEnd(1 << 20, "a"));
    expect(release).toMatchObject({ unknown: "1048576 characters are more than a kernel release has (256)" });
    expect(isUnknown(parseKernelRelease("5.4.0-".padEnd(RELEASE_LENGTH_MAX, "a")))).toBe(false);
  });

  test("refuses a number that would lose digits, and keeps the largest that does not", () => {
    expect(isUnknown(parseKernelRelease("5.9007199254740993.1"))).toBe(true);
    expect(known("5.999999999999999.1").parts).toEqual([5, 999_999_999_999_999, 1]);
  });
});

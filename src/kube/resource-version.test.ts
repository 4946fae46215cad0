import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareVersions, isOlder } from "./resource-version.ts";

describe("compareVersions", () => {
  test.each([
    { a: "9", b: "10", sign: -1, why: "as text 9 would be the newer one" },
    { a: "9007199254740992", b: "9007199254740993", sign: -1, why: "as Numbers these two are equal" },
    { a: "100", b: "99", sign: 1, why: "more digits are newer" },
    { a: "7", b: "7", sign: 0, why: "equal is equal" },
    { a: "abc", b: "abc", sign: 0, why: "equality needs no order" },
    { a: "abc", b: "12", sign: undefined, why: "an opaque version has no order" },
    { a: "", b: "12", sign: undefined, why: "no version is no number" },
    { a: "012", b: "12", sign: undefined, why: "the API knows no leading zeros" },
    { a: "-1", b: "12", sign: undefined, why: "nor signs" },
  ])("says $sign for $a against $b: $why", ({ a, b, sign }) => {
    const order = compareVersions(a, b);
    expect(order === undefined ? undefined : Math.sign(order)).toBe(sign);
  });

  test("orders decimal versions of any length as integers", () => {
    const version = fc.bigInt({ min: 0n, max: 2n ** 80n });
    fc.assert(
      fc.property(version, version, (a, b) => {
        const order = compareVersions(String(a), String(b));
        expect(Math.sign(order ?? Number.NaN)).toBe(a === b ? 0 : a < b ? -1 : 1);
      }),
    );
  });
});

test("isOlder() claims nothing where there is no order", () => {
  expect([isOlder("3", "4"), isOlder("4", "4"), isOlder("5", "4"), isOlder("x", "4"), isOlder("4", "x")]).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

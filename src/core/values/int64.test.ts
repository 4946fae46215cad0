import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isBeyond, parseCanonicalInt64, parseInt64 } from "./int64.ts";

describe("parseInt64", () => {
  test.each([
    ["0", 0],
    ["-0", 0],
    ["+7", 7],
    ["-7", -7],
    ["007", 7],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
    [`-${"0".repeat(1000)}9223372036854775808`, -9223372036854775808n],
  ])("reads %j", (text, value) => {
    expect(parseInt64(text)).toBe(value);
  });

  test.each([
    "",
    "+",
    "-",
    " 1",
    "1 ",
    "1.0",
    "1e3",
    "0x1",
    "1_0",
    "1:",
    "1/",
    "--1",
    "٣",
    "9223372036854775808",
    "-9223372036854775809",
  ])("refuses %j", (text) => {
    expect(parseInt64(text)).toBeUndefined();
  });

  test("refuses a megabyte of digits without computing them", () => {
    expect(parseInt64("9".repeat(1 << 20))).toBeUndefined();
  });

  test("reads back every int64 it is given, exactly", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const read = parseInt64(value.toString());
        expect(read).toBeDefined();
        expect(BigInt(read ?? 0)).toBe(value);
      }),
    );
  });
});

test.each([
  ["0", 0],
  ["-5", -5],
  ["10", 10],
  ["-9223372036854775808", -9223372036854775808n],
])("parseCanonicalInt64 reads %j", (text, value) => {
  expect(parseCanonicalInt64(text)).toBe(value);
});

test.each(["", "-", "-0", "00", "05", "-05", "+5", "5 ", "9223372036854775808"])(
  "parseCanonicalInt64 refuses %j",
  (text) => {
    expect(parseCanonicalInt64(text)).toBeUndefined();
  },
);

test("isBeyond compares strictly, across number and bigint, and a missing number is beyond nothing", () => {
  expect(isBeyond("Gt", 9223372036854775807n, 5)).toBe(true);
  expect(isBeyond("Lt", -9223372036854775808n, -5)).toBe(true);
  expect(isBeyond("Gt", 5, 5)).toBe(false);
  expect(isBeyond("Lt", 5, 5)).toBe(false);
  expect(isBeyond("Lt", undefined, 5)).toBe(false);
});

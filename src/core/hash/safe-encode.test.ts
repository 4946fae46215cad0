import { describe, expect, test } from "vitest";
import { safeEncode } from "./safe-encode.ts";
import vectors from "./vectors/safe-encode-string.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(vectors)("$input becomes $expected", ({ input, expected }) => {
    expect(safeEncode(input)).toBe(expected);
  });
});

test("the ten digits stay ten different characters", () => {
  expect(safeEncode("0123456789")).toBe("456789bcdf");
});

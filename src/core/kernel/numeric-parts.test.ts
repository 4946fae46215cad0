import { expect, test } from "vitest";
import { compareParts, parseParts, scanParts } from "./numeric-parts.ts";

test.each([
  ["5.4.0-66", 0, { parts: [5, 4, 0], end: 5 }],
  ["v5.4", 1, { parts: [5, 4], end: 4 }],
  ["5.", 0, { parts: [5], end: 1 }],
  ["", 0, { parts: [], end: 0 }],
  ["x", 0, { parts: [], end: 0 }],
  ["007.08", 0, { parts: [7, 8], end: 6 }],
  ["1.2.3.4.5.6.7.8", 0, { parts: [1, 2, 3, 4, 5, 6, 7, 8], end: 15 }],
  ["1.2.3.4.5.6.7.8.9", 0, { error: "more than 8 numeric parts" }],
  ["5.9999999999999999", 0, { error: "part 2 has 16 digits; at most 15 compare" }],
])("scanParts(%j, %d) reads as far as the numbers go", (text, start, expected) => {
  expect(scanParts(text, start)).toEqual(expected);
});

test.each([
  ["5.4", [5, 4]],
  ["5", [5]],
  ["5.4-1", undefined],
  ["5.", undefined],
  ["", undefined],
  ["9999999999999999", undefined],
])("parseParts(%j) takes all or nothing", (text, parts) => {
  expect(parseParts(text)).toEqual(parts);
});

test.each([
  [[5, 12], [5, 4], 1],
  [[5, 4], [5, 4, 0], 0],
  [[5, 4], [5, 4, 1], -1],
  [[6], [5, 99, 99], 1],
])("compareParts(%j, %j) counts integers, not digits", (a, b, sign) => {
  expect(compareParts(a, b)).toBe(sign);
});

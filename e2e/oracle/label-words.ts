// Label keys and values for random cases: few good ones, so that selectors and labels meet, and the usual faults.
import fc from "fast-check";
import { dictionaries, mostly, trapKeys } from "./arbitrary-json.ts";

const keys = ["a", "b", "example.com/a", "kubernetes.io/arch"];
const values = ["", "x", "y", "amd64", "5", "10"];

const oddKeys = ["", "A b", "-a", "a-", "/a", "a/", "a/b/c", "Example.com/a", "é", "x".repeat(63), "x".repeat(64)];
const prefixOf = (chars: number): string => `${"p".repeat(chars)}/a`;

const oddValues = ["-x", "x-", "x y", "x/y", "é", "_", ".", "v".repeat(63), "v".repeat(64), "+5", "-5", "05", "5.0"];

/** Keys that are mostly valid. */
export const labelKeys: fc.Arbitrary<string> = mostly(
  fc.constantFrom(...keys),
  12,
  fc.constantFrom(...oddKeys, ...trapKeys, prefixOf(253), prefixOf(254)),
);

/** Values that are mostly valid. */
export const labelValues: fc.Arbitrary<string> = mostly(fc.constantFrom(...values), 12, fc.constantFrom(...oddValues));

/** Numbers as labels carry them, up to and beyond 64 bits. */
export const numberTexts: fc.Arbitrary<string> = fc.constantFrom(
  ...["", " 5", ..."0 5 6 10 -5 -0 +5 05 5.0 1e1 0x5 1_0 9007199254740993 9007199254740992".split(" ")],
  ..."9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809".split(" "),
);

/** Labels of an object; the API server lets only valid ones in, but a matcher sees whatever it is given. */
export const labelSets: fc.Arbitrary<{ readonly [key: string]: string }> = dictionaries(
  [...keys, ...trapKeys],
  mostly(labelValues, 3, numberTexts),
  4,
);

// Building blocks of random cases: objects whose keys may be anything, and choices that shrink towards the plain one.
import fc from "fast-check";
import type { Json, JsonObject } from "../../src/core/json/json.ts";

export type Entry = readonly [key: string, value: Json];

/** Names that JavaScript objects inherit or reorder; Go knows nothing of them. */
export const trapKeys = ["__proto__", "constructor", "toString", "10", "9"] as const;

/** The first arbitrary so many times as often as each of the others; a failing case shrinks towards the first. */
export function mostly<T>(
  first: fc.Arbitrary<T>,
  times: number,
  ...others: readonly fc.Arbitrary<T>[]
): fc.Arbitrary<T> {
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: first, weight: times },
    ...others.map((arbitrary) => ({ arbitrary, weight: 1 })),
  );
}

/** A value in one of so many cases, otherwise nothing. */
export function oneIn<T>(cases: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return cases <= 1 ? arbitrary : mostly<T | undefined>(fc.constant(undefined), cases - 1, arbitrary);
}

/** An object from entries; a later entry of the same key wins, and every key is an own one. */
export function objectOf(entries: readonly Entry[]): JsonObject {
  return Object.fromEntries(entries);
}

/** Objects with keys from a small set, so that two of them collide. */
export function dictionaries<T extends Json>(
  keys: readonly string[],
  values: fc.Arbitrary<T>,
  maxLength = 3,
): fc.Arbitrary<{ readonly [key: string]: T }> {
  return fc
    .array(fc.tuple(fc.constantFrom(...keys), values), { maxLength })
    .map((entries) => Object.fromEntries(entries));
}

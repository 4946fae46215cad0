import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareParts } from "./numeric-parts.ts";
import {
  areEnclosing,
  intersectIntervals,
  isWithin,
  lineInterval,
  missOf,
  type PartInterval,
} from "./part-interval.ts";

const parts = fc.array(fc.nat(4), { minLength: 1, maxLength: 3 });
const interval: fc.Arbitrary<PartInterval> = fc
  .tuple(parts, fc.option(parts, { nil: undefined }))
  .map(([low, high]) => ({ low, high }))
  .filter(({ low, high }) => high === undefined || compareParts(low, high) < 0);

test.each([
  [[5], [5, 99, 99], true],
  [[5], [6], false],
  [[5], [4, 99], false],
  [[5, 3], [5, 3, 18], true],
  [[5, 3], [5, 4], false],
])("lineInterval(%j) holds what begins with it: %j", (line, number, expected) => {
  expect(isWithin(lineInterval(line), number)).toBe(expected);
});

describe("missOf()", () => {
  test.each<[string, PartInterval, number[], ReturnType<typeof missOf>]>([
    ["6.12.0 and <6", { low: [], high: [6] }, [6, 12, 0], { side: "above", part: 0, amount: 1 }],
    ["6.12.0 and <5.0", { low: [], high: [5, 0] }, [6, 12, 0], { side: "above", part: 0, amount: 2 }],
    ["5.15.3 and 5.4-5.10", { low: [5, 4], high: [5, 11] }, [5, 15, 3], { side: "above", part: 1, amount: 5 }],
    ["5.3.18 and >=5.4", { low: [5, 4], high: undefined }, [5, 3, 18], { side: "below", part: 1, amount: 1 }],
    ["5.4 and >=5.4.7", { low: [5, 4, 7], high: undefined }, [5, 4], { side: "below", part: 2, amount: 7 }],
    ["5.4.0 and 5.x", { low: [5], high: [6] }, [5, 4, 0], undefined],
  ])("says by which part and by how much it is: %s", (_, wanted, number, miss) => {
    expect(missOf(wanted, number)).toEqual(miss);
  });

  test("is undefined exactly inside, and its gap is never nothing", () => {
    fc.assert(
      fc.property(interval, parts, (wanted, number) => {
        const miss = missOf(wanted, number);
        expect(miss === undefined).toBe(isWithin(wanted, number));
        if (miss !== undefined) expect(miss.amount).toBeGreaterThan(0);
      }),
    );
  });
});

test("intersectIntervals() holds what both hold, and is undefined if that is nothing", () => {
  fc.assert(
    fc.property(interval, interval, parts, (a, b, number) => {
      const both = intersectIntervals(a, b);
      const isWithinBoth = both !== undefined && isWithin(both, number);
      expect(isWithinBoth).toBe(isWithin(a, number) && isWithin(b, number));
    }),
  );
});

describe("areEnclosing()", () => {
  test("joins intervals that touch, in any order", () => {
    const halves = [{ low: [5], high: undefined }, lineInterval([3]), { low: [4], high: [5] }];
    expect(areEnclosing(halves, { low: [3, 2], high: undefined })).toBe(true);
    expect(areEnclosing(halves, { low: [2], high: [4] })).toBe(false);
    expect(areEnclosing([lineInterval([3]), lineInterval([5])], { low: [3], high: [6] })).toBe(false);
  });

  test("is never true while a number of the inner one lies outside", () => {
    fc.assert(
      fc.property(fc.array(interval, { maxLength: 4 }), interval, parts, (outers, inner, number) => {
        if (!areEnclosing(outers, inner) || !isWithin(inner, number)) return;
        expect(outers.some((outer) => isWithin(outer, number))).toBe(true);
      }),
    );
  });
});

// The sort against the built-in one where both must agree. Where the comparison is no ordering, only the vectors of the
// merge can tell: they come from Go.
import fc from "fast-check";
import { expect, test } from "vitest";
import { goStableSort } from "./go-sort.ts";

test("goStableSort() sorts stably by a proper ordering", () => {
  // The tens digit is compared, the units tell equal items apart.
  const isLess = (left: number, right: number): boolean => Math.floor(left / 10) < Math.floor(right / 10);
  fc.assert(
    fc.property(fc.array(fc.nat(99), { maxLength: 120, size: "max" }), (items) => {
      const sorted = [...items];
      goStableSort(sorted, isLess);
      expect(sorted).toEqual(items.toSorted((left, right) => Math.floor(left / 10) - Math.floor(right / 10)));
    }),
  );
});

test("goStableSort() reverses up to twenty items that are all less than each other", () => {
  const items = Array.from({ length: 20 }, (_, at) => at);
  const sorted = [...items];
  goStableSort(sorted, () => true);
  expect(sorted).toEqual(items.toReversed());
});

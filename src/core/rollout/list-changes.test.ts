import fc from "fast-check";
import { expect, test } from "vitest";
import { eachChange } from "./list-changes.ts";

type Item = { readonly name: string };
const a = { name: "a" };
const b = { name: "b" };
const c = { name: "c" };
const otherB = { name: "b" };

const changes = (before: readonly Item[], after: readonly Item[]) => {
  const told: (readonly [Item | undefined, Item | undefined])[] = [];
  eachChange(before, after, (was, now) => told.push([was, now]));
  return told;
};

test.each<readonly [string, readonly Item[], readonly Item[], ReturnType<typeof changes>]>([
  ["nothing, for another list of the very same values", [a, b, c], [a, b, c], []],
  ["a value in the place of another", [a, b, c], [a, otherB, c], [[b, otherB]]],
  ["what came", [a, c], [a, b, c], [[undefined, b]]],
  ["what went", [a, b, c], [a, c], [[b, undefined]]],
  [
    "what came at the end, and what went there",
    [a, b],
    [a, c],
    [
      [b, undefined],
      [undefined, c],
    ],
  ],
  [
    "everything, for a list that was empty",
    [],
    [a, b],
    [
      [undefined, a],
      [undefined, b],
    ],
  ],
])("it tells %s", (_, before, after, told) => {
  expect(changes(before, after)).toEqual(told);
});

test("what is told of any two lists, in whichever order, leads from one to the other", () => {
  const items = fc.array(fc.constantFrom(a, b, c, otherB, { name: "d" }), { maxLength: 6 });
  fc.assert(
    fc.property(items, items, (before, after) => {
      const left = [...before];
      const came: Item[] = [];
      eachChange(before, after, (was, now) => {
        if (was !== undefined) left.splice(left.indexOf(was), 1);
        if (now !== undefined) came.push(now);
      });
      const sorted = (list: readonly Item[]) => list.map((item) => [a, b, c, otherB].indexOf(item)).sort();
      expect(sorted([...left, ...came])).toEqual(sorted(after));
    }),
    { numRuns: 300 },
  );
});

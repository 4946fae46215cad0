import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareElements } from "./element-order.ts";
import {
  difference,
  differenceWithBelow,
  type FieldSet,
  finishBranch,
  intersection,
  isSubset,
  leaf,
  noFields,
  union,
} from "./field-set.ts";
import { pathTexts, readFieldSet } from "./path-element.ts";

const element = fc.constantFrom("f:a", "f:b", "f:__proto__", 'k:{"name":"a"}', 'k:{"port":9}', 'v:"a"', "v:10");
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 8 });

function setOf(all: readonly (readonly string[])[]): FieldSet {
  return all.reduce<FieldSet>(
    (set, one) =>
      union(
        set,
        one.reduceRight((below, step) => ({ [step]: below }), leaf),
      ),
    noFields,
  );
}

const sets = paths.map(setOf);
const elementsOf = (set: FieldSet) => Object.keys(set);
const textsOf = (set: FieldSet) => new Set(pathTexts(set));

describe("field sets hold the laws of sets", () => {
  test("each operation does to trees what it does to lists of paths", () => {
    fc.assert(
      fc.property(sets, sets, (left, right) => {
        const [a, b] = [textsOf(left), textsOf(right)];
        expect(textsOf(union(left, right))).toEqual(new Set([...a, ...b]));
        expect(textsOf(intersection(left, right))).toEqual(new Set([...a].filter((text) => b.has(text))));
        expect(textsOf(difference(left, right))).toEqual(new Set([...a].filter((text) => !b.has(text))));
        expect(isSubset(left, right)).toBe([...a].every((text) => b.has(text)));
        const whole = [...a].filter((text) => ![...b].some((taken) => isAtOrBelow(text, taken)));
        expect(textsOf(differenceWithBelow(left, right))).toEqual(new Set(whole));
      }),
    );
  });

  test("what changes nothing returns the set itself", () => {
    fc.assert(
      fc.property(sets, sets, (left, right) => {
        const all = union(left, right);
        expect(union(all, right)).toBe(all);
        expect(difference(left, difference(right, left))).toBe(left);
        expect(elementsOf(all)).toEqual(elementsOf(all).toSorted(compareElements));
      }),
    );
  });

  test("a set that was written and read is the same", () => {
    fc.assert(
      fc.property(sets, (set) => {
        const written = JSON.parse(JSON.stringify(set));
        expect(readFieldSet(written)).toEqual(set);
      }),
    );
  });
});

function isAtOrBelow(text: string, above: string): boolean {
  return text === above || (text.startsWith(above) && /^[.[]/.test(text.slice(above.length)));
}

describe("path elements", () => {
  test("stand in the order of the real server: itself, fields, keys, values, indexes, each by value", () => {
    const names = [".", "f:A", "f:a", "f:a-b", 'k:{"name":"a"}', 'k:{"name":"a b"}', 'k:{"port":9}', 'k:{"port":10}'];
    const values = ["v:2", "v:10", 'v:"1"', "v:true", "i:2", "i:10"];
    const ordered = [...names, ...values];
    const shuffled: FieldSet = Object.fromEntries(ordered.toReversed().map((name) => [name, leaf]));
    expect(Object.keys(finishBranch(shuffled) ?? {})).toEqual(ordered);
  });

  test.each<readonly [string, string | undefined, string]>([
    ['{"f:a":{"f:b":{},".":{}}}', '{"f:a":{".":{},"f:b":{}}}', "keys in any order"],
    ['{".":{},"f:a":{}}', '{"f:a":{}}', "nobody owns the whole object"],
    ['{"k:{\\"b\\":1,\\"a\\":2}":{}}', '{"k:{\\"a\\":2,\\"b\\":1}":{}}', "keys of an element in any order"],
    ['{"z:future":{},"f:a":null}', '{"f:a":{}}', "unknown kinds are dropped"],
    ['{"f":{}}', undefined, "no kind at all"],
    ['{"k:[1]":{}}', undefined, "keys that are no object"],
    ['{"f:a":1}', undefined, "a branch that is none"],
  ])("%s is read as %s: %s", (written, read) => {
    expect(readFieldSet(JSON.parse(written))).toEqual(read === undefined ? undefined : JSON.parse(read));
  });

  test("paths show the fields of a level before those below it", () => {
    const set = setOf([["f:a", 'k:{"name":"p","port":1}', "f:x"], ["f:z"], ["f:a"], ["f:s", 'v:"a"'], ["f:s", "i:0"]]);
    expect(pathTexts(set)).toEqual([".a", ".z", '.a[name="p",port=1].x', '.s[="a"]', ".s[0]"]);
  });
});

import { expect, test } from "vitest";
import { changeItems, changeValues, setFields } from "./change-json.ts";

test("what does not change keeps its identity", () => {
  const list = [1, { a: 1 }];
  const object = { a: 1, b: { c: 2 } };
  expect(changeItems(list, (item) => item)).toBe(list);
  expect(changeValues(object, (value) => value)).toBe(object);
});

test("what changes is copied, with the rest as it was and in its order", () => {
  const kept = { x: 1 };
  const changed = changeValues({ a: kept, b: 2, c: kept, d: 4 }, (value, key) =>
    key === "b" ? undefined : key === "d" ? 5 : value,
  );
  expect(changed).toEqual({ a: kept, c: kept, d: 5 });
  expect(Object.keys(changed)).toEqual(["a", "c", "d"]);
  expect(changed.a).toBe(kept);
  expect(changeItems([1, 2, 3], (item, index) => (index === 1 ? 9 : item))).toEqual([1, 9, 3]);
});

test("fields that are set already leave the object as it is", () => {
  const object = { a: 1, b: { c: 2 } };
  expect(setFields(object, { a: 1, b: object.b, z: undefined })).toBe(object);
  expect(setFields(object, { a: 2, b: undefined, d: 3 })).toEqual({ a: 2, d: 3 });
});

test("a key named __proto__ is a key like others", () => {
  const object = JSON.parse('{"__proto__":{"a":1},"b":2}');
  const changed = changeValues(object, (value, key) => (key === "b" ? 3 : value));
  expect(Object.keys(changed)).toEqual(["__proto__", "b"]);
  expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
});

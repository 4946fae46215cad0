import { expect, test } from "vitest";
import { Normaliser, readBody, withoutPaths } from "./answer.ts";

test("identities and versions become ranks that hold across answers", () => {
  const normaliser = new Normaliser();
  const uid = (n: number) => `0000000${n}-aaaa-4bbb-8ccc-dddddddddddd`;
  normaliser.normalise({ metadata: { uid: uid(1), resourceVersion: "40" } });
  expect(
    normaliser.normalise({ a: { uid: uid(2), resourceVersion: "52" }, b: { uid: uid(1), resourceVersion: "40" } }),
  ).toEqual({
    a: { uid: "uid#2", resourceVersion: "version#2" },
    b: { uid: "uid#1", resourceVersion: "version#1" },
  });
});

test("times, versions in messages and long texts are replaced", () => {
  const body = {
    at: "2026-01-02T03:04:05Z",
    message: "Too large resource version: 9, current: 363",
    long: "x".repeat(700),
  };
  expect(new Normaliser().normalise(body)).toEqual({
    at: "<time>",
    message: "Too large resource version: 9, current: <version>",
    long: `${"x".repeat(600)}… (700 characters)`,
  });
});

test("causes have no order of their own, other lists do", () => {
  const normaliser = new Normaliser();
  expect(normaliser.normalise({ causes: [{ field: "b" }, { field: "a" }], items: ["b", "a"] })).toEqual({
    causes: [{ field: "a" }, { field: "b" }],
    items: ["b", "a"],
  });
});

test("large integers keep their digits, and text that is no JSON stays text", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(new Normaliser().normalise(readBody(bytes('{"n":9007199254740993}')))).toEqual({
    n: "integer 9007199254740993",
  });
  expect(readBody(bytes("404 page not found\n"))).toBe("404 page not found\n");
});

test("fields that may differ are left out, in every element where a path says so", () => {
  const body = {
    items: [
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ],
    metadata: { name: "x", uid: "u" },
  };
  expect(withoutPaths(body, ["items.*.a", "metadata.uid", "none.at.all"])).toEqual({
    items: [{ b: 2 }, { b: 4 }],
    metadata: { name: "x" },
  });
});

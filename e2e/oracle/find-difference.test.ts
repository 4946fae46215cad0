// The search itself, against an oracle that is a function here.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Comparison, describeDifference, findDifference } from "./find-difference.ts";
import type { Answer, Ask } from "./oracle.ts";

const sum = (list: readonly number[]): Answer => ({ kind: "value", value: list.reduce((a, b) => a + b, 0) });

function askWith(answer: (list: readonly number[]) => Answer): Ask {
  return async (questions) =>
    questions.map((question) => answer(Array.isArray(question.case) ? question.case.map(Number) : []));
}

const sums: Comparison<number[]> = {
  name: "sums",
  concept: "json",
  share: 1,
  cases: fc.array(fc.integer({ min: 0, max: 1000 })),
  ours: sum,
};

test("two sides that always agree have no difference", async () => {
  expect(await findDifference(sums, { ask: askWith(sum), seed: 1, count: 1000 })).toBeUndefined();
});

test("a planted difference is found and shrunk to its smallest case", async () => {
  const ask = askWith((list) => (list.some((n) => n >= 100) ? { kind: "refused", why: "too large" } : sum(list)));
  const found = await findDifference(sums, { ask, seed: 1, count: 1000 });
  expect(found).toEqual({
    asked: [100],
    go: { kind: "refused", why: "too large" },
    ours: { kind: "value", value: 100 },
  });
});

test("two refusals agree, whatever their words", async () => {
  const refusing = { ...sums, ours: (): Answer => ({ kind: "refused", why: "ours" }) };
  const ask = askWith(() => ({ kind: "refused", why: "theirs" }));
  expect(await findDifference(refusing, { ask, seed: 1, count: 100 })).toBeUndefined();
});

test("the same seed finds the same difference, and the report names it", async () => {
  const ask = askWith((list) => (list.length > 2 ? { kind: "value", value: -1 } : sum(list)));
  const search = () => findDifference(sums, { ask, seed: 7, count: 500 });
  const found = await search();
  expect(found).toEqual(await search());
  expect(found && describeDifference("sums", 7, found)).toBe(
    "sums differs from Go (seed 7)\n  input: [0,0,0]\n  Go:    -1\n  ours:  0",
  );
});

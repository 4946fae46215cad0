import { expect, test } from "vitest";
import { fitted, TRAIL_MAX, unfit, winningVerdict } from "./resolution.ts";

const miss = (index: number) => ({ rule: `mapping[${index}]`, matched: false, because: "5.14 is not 6.*" });
const hit = { rule: "mapping[1]", matched: true, because: "5.14 is 5.*" };

test("a fitted node says which rule won", () => {
  expect(winningVerdict(fitted("el9", [miss(0), hit]))).toEqual(hit);
});

test("an unfit node has a reason and no winner", () => {
  const resolution = unfit("KernelUnmapped", "5.14 matches no mapping", [miss(0)]);
  expect(resolution).toMatchObject({ outcome: "unfit", reason: "KernelUnmapped", because: "5.14 matches no mapping" });
  expect(winningVerdict(resolution)).toBeUndefined();
});

test("a trail is bounded and says how much is missing", () => {
  const { trail } = unfit(
    "NoVariant",
    "nothing matches",
    Array.from({ length: 1000 }, (_, index) => miss(index)),
  );
  expect(trail.length).toBe(TRAIL_MAX);
  expect(trail.at(-1)?.because).toBe("801 more rules were considered");
});

test("a trail that is cut keeps the verdict that won", () => {
  const misses = Array.from({ length: 300 }, (_, index) => miss(index));
  const resolution = fitted("el9", [...misses, hit, ...misses]);
  expect(winningVerdict(resolution)).toEqual(hit);
  expect(resolution.trail.length).toBe(TRAIL_MAX);
  expect(resolution.trail.at(-1)?.because).toBe("402 more rules were considered");
});

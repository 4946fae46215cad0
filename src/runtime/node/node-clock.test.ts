import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nodeClock } from "./node-clock.ts";
import { nodeRand } from "./node-rand.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("work runs once, after its delay", () => {
  const fired: number[] = [];
  const clock = nodeClock();
  const start = clock.wallMs();
  clock.after(50, () => fired.push(clock.wallMs() - start));
  vi.advanceTimersByTime(500);
  expect(fired).toEqual([50]);
});

test("work without a delay has the next turn of the event loop, and can be cancelled", async () => {
  vi.useRealTimers();
  const fired: string[] = [];
  const clock = nodeClock();
  clock.after(0, () => fired.push("next"));
  clock.after(0, () => fired.push("cancelled"))();
  expect(fired).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(fired).toEqual(["next"]);
});

test("a delay longer than Node can count is kept", () => {
  const fired: number[] = [];
  const clock = nodeClock();
  const start = clock.wallMs();
  const days40 = 40 * 24 * 3_600_000;
  clock.after(days40, () => fired.push(clock.wallMs() - start));
  vi.advanceTimersByTime(days40 - 1);
  expect(fired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(fired).toEqual([days40]);
});

test("cancelled work never runs, in whichever piece of its delay", () => {
  const fired: string[] = [];
  const clock = nodeClock();
  const cancelSoon = clock.after(50, () => fired.push("soon"));
  const cancelLate = clock.after(40 * 24 * 3_600_000, () => fired.push("late"));
  cancelSoon();
  vi.advanceTimersByTime(30 * 24 * 3_600_000);
  cancelLate();
  vi.advanceTimersByTime(30 * 24 * 3_600_000);
  expect(fired).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("random numbers lie in [0, 1) and differ", () => {
  const rand = nodeRand();
  const numbers = Array.from({ length: 1_000 }, () => rand.next());
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(new Set(numbers).size).toBe(1_000);
});

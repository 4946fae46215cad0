import { expect, test } from "vitest";
import { inProcess, measure, type Work } from "./measure.ts";

/** A work whose clock is arithmetic: so many nanoseconds per iteration. */
function steadyWork(name: string, nsPerIteration: number, calls: string[], operations = 1): Work {
  return {
    name,
    operations,
    run(iterations) {
      calls.push(`${name}${iterations}`);
      return iterations * nsPerIteration;
    },
  };
}

test("every round is about as long as asked, and works take turns", async () => {
  const calls: string[] = [];
  const works = [steadyWork("a", 1e5, calls), steadyWork("b", 5e5, calls)];
  const taken = await measure(works, { rounds: 3, roundMs: 1 });
  expect(taken).toEqual([
    [1e5, 1e5, 1e5],
    [5e5, 5e5, 5e5],
  ]);
  expect(calls.slice(-6)).toEqual(["a10", "b2", "a10", "b2", "a10", "b2"]);
});

test("the time is per operation, not per iteration", async () => {
  const [taken] = await measure([steadyWork("a", 1000, [], 100)], { rounds: 1, roundMs: 1 });
  expect(taken).toEqual([10]);
});

test("a work slower than a round runs once per round", async () => {
  const calls: string[] = [];
  await measure([steadyWork("a", 20e6, calls)], { rounds: 2, roundMs: 1 });
  expect(calls).toEqual(["a1", "a1", "a1"]);
});

test("slow code at the start does not decide how long a round is", async () => {
  let runs = 0;
  const counts: number[] = [];
  const warmingUp: Work = {
    name: "a",
    operations: 1,
    run(iterations) {
      runs++;
      counts.push(iterations);
      return iterations * (runs <= 3 ? 1e6 : 1e4);
    },
  };
  await measure([warmingUp], { rounds: 1, roundMs: 1 });
  expect(counts.at(-1)).toBe(100);
});

test("a work of this process that returns no number is a mistake", () => {
  expect(() => inProcess("broken", 1, () => Number.NaN).run(1)).toThrow("broken did not return numbers");
});

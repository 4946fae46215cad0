// The controller under random loads: runs of any length that fail, hang and ignore their abort, with stops in between.
import { array, asyncProperty, constant, integer, oneof, record, assert as verify } from "fast-check";
import { expect, test } from "vitest";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { pause } from "../../kube/clock.ts";
import { logToList } from "../log/testing/log-to-list.ts";
import { Controller } from "./controller.ts";

const keys = ["a", "b", "c", "d"];
const WORKERS = 2;

const load = record({
  seed: integer(),
  steps: array(
    oneof(
      { weight: 8, arbitrary: record({ do: constant("change" as const), key: integer({ min: 0, max: 3 }) }) },
      { weight: 4, arbitrary: record({ do: constant("pass" as const), ms: integer({ min: 1, max: 3_000 }) }) },
      { weight: 1, arbitrary: record({ do: constant("restart" as const), drainMs: integer({ min: 0, max: 500 }) }) },
    ),
    { maxLength: 60, size: "max" },
  ),
});

async function play(steps: readonly { do: string; key?: number; ms?: number; drainMs?: number }[], seed: number) {
  const clock = new VirtualClock();
  const rand = seededRand(seed);
  const active = new Set<string>();
  const lastStart = new Map<string, number>();
  const lastChange = new Map<string, number>();
  let order = 0;
  let offer: ((key: string, initial: boolean) => void) | undefined;
  const source = {
    start: (to: (key: string, initial: boolean) => void) => {
      offer = to;
      for (const key of lastChange.keys()) to(key, true);
      return () => {
        offer = undefined;
      };
    },
  };
  const reconcile = async (key: string, { signal }: { readonly signal: AbortSignal }) => {
    expect(active.has(key), `key "${key}" has two workers`).toBe(false);
    active.add(key);
    lastStart.set(key, order++);
    const isDeaf = rand.next() < 0.3;
    try {
      await pause(clock, rand.next() < 0.2 ? 20_000 : rand.next() * 500, isDeaf ? undefined : signal);
      if (rand.next() < 0.3) throw new Error("no luck");
      return rand.next() < 0.2 ? { againInMs: rand.next() * 100 } : undefined;
    } finally {
      active.delete(key);
    }
  };
  const controller = new Controller(
    {
      ...{ name: "test", sources: [source], reconcile, workers: WORKERS, timeoutMs: 1_000 },
      queue: { backOff: { baseMs: 5, maxMs: 500 }, spacingMs: 20, keysMax: 100 },
    },
    { clock, rand, log: logToList().log },
  );
  controller.start();
  for (const step of steps) {
    if (step.key !== undefined) {
      const key = keys[step.key] ?? "a";
      lastChange.set(key, order++);
      offer?.(key, false);
    }
    if (step.ms !== undefined) await clock.elapse(step.ms);
    if (step.drainMs !== undefined) {
      const stopped = controller.stop(step.drainMs).then((left) => expect(left).toEqual([...active].sort()));
      await clock.elapse(6_000);
      await stopped;
      controller.start();
    }
    expect(active.size - controller.readings().stuck).toBeLessThanOrEqual(WORKERS);
  }
  await clock.elapse(300_000);
  for (const [key, changed] of lastChange) {
    expect(lastStart.get(key), `the last change of "${key}" was never looked at`).toBeGreaterThan(changed);
  }
}

test("no key ever has two workers, and every change is followed by a run", { timeout: 30_000 }, async () => {
  await verify(
    asyncProperty(load, ({ steps, seed }) => play(steps, seed)),
    { numRuns: 100 },
  );
});

import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { pause } from "./clock.ts";
import { withinTime } from "./within-time.ts";

const late = () => new Error("too late");
const never = () => new Promise<never>(() => undefined);

test("work that is done in time gives its value and leaves no timer behind", async () => {
  const clock = new VirtualClock();
  const done = withinTime(clock, { timeoutMs: 100, late }, () => pause(clock, 99).then(() => "value"));
  await clock.elapse(99);
  await expect(done).resolves.toBe("value");
  expect(clock.nextDueMs()).toBeUndefined();
});

test("work that fails gives its error and leaves no timer behind", async () => {
  const clock = new VirtualClock();
  await expect(withinTime(clock, { timeoutMs: 100, late }, () => Promise.reject(new Error("own")))).rejects.toThrow(
    "own",
  );
  expect(clock.nextDueMs()).toBeUndefined();
});

test("work that ignores its signal is late all the same", async () => {
  const clock = new VirtualClock();
  let inner: AbortSignal | undefined;
  const done = withinTime(clock, { timeoutMs: 100, late }, (signal) => {
    inner = signal;
    return never();
  });
  const seen = expect(done).rejects.toThrow("too late");
  await clock.elapse(100);
  await seen;
  expect(inner?.aborted).toBe(true);
});

test("the outer signal stops the work with its own reason", async () => {
  const clock = new VirtualClock();
  const outer = new AbortController();
  const done = withinTime(clock, { timeoutMs: 100, late, signal: outer.signal }, (signal) =>
    pause(clock, 1_000, signal),
  );
  const seen = expect(done).rejects.toThrow("stop");
  outer.abort(new Error("stop"));
  await seen;
  expect(clock.nextDueMs()).toBeUndefined();
});

test("a signal aborted beforehand starts nothing", async () => {
  let started = false;
  const done = withinTime(
    new VirtualClock(),
    { timeoutMs: 100, late, signal: AbortSignal.abort(new Error("stop")) },
    () => {
      started = true;
      return never();
    },
  );
  await expect(done).rejects.toThrow("stop");
  expect(started).toBe(false);
});

test("work that throws before it begins leaves no timer and no listener behind", async () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  const work = () => {
    throw new Error("no luck");
  };
  await expect(withinTime(clock, { timeoutMs: 1_000, signal, late: () => new Error("late") }, work)).rejects.toThrow(
    "no luck",
  );
  expect([clock.timerCount, getEventListeners(signal, "abort").length]).toEqual([0, 0]);
});

import { expect, test } from "vitest";
import { VirtualClock } from "../virtual-clock.ts";
import { steadyTime } from "./steady-time.ts";

const MINUTE_MS = 60_000;

test("a wall clock that is set forward is followed, and goes on from there", () => {
  const clock = new VirtualClock();
  const now = steadyTime(clock);
  const startMs = now();
  clock.jumpWall(MINUTE_MS);
  expect(now() - startMs).toBe(MINUTE_MS);
  clock.advance(1);
  expect(now() - startMs).toBe(MINUTE_MS + 1);
});

test("a wall clock that is set back does not take the time back, nor stop it", () => {
  const clock = new VirtualClock();
  const now = steadyTime(clock);
  const startMs = now();
  clock.jumpWall(-MINUTE_MS);
  expect(now()).toBe(startMs);
  clock.advance(1);
  expect(now() - startMs).toBe(1);
});

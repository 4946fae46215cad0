import { expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { storedObject } from "../view/cluster-caches.ts";
import { StatusPace } from "./status-pace.ts";

const conditions = (status: string, message = "") => [{ type: "Ready", status, reason: "Progressing", message }];
const stored = (status: JsonObject, uid = "u") => storedObject({ metadata: { name: "a", uid }, status });
const before = { observedGeneration: 1, ready: 1, conditions: conditions("False", "1 of 9") };
const counted = { observedGeneration: 1, ready: 2, conditions: conditions("False", "2 of 9") };

test("counts wait until the last telling is long enough ago", () => {
  const clock = new VirtualClock();
  const pace = new StatusPace(clock, { spacingMs: 100, objectsMax: 10 });
  expect(pace.waitMs(stored(before), counted)).toBe(0);
  pace.told(stored(before), before);
  expect(pace.waitMs(stored(before), counted)).toBe(100);
  clock.advance(60);
  expect(pace.waitMs(stored(before), counted)).toBe(40);
  expect(pace.waitMs(stored(before, "other"), counted)).toBe(0);
  clock.advance(40);
  expect(pace.waitMs(stored(before), counted)).toBe(0);
});

test.each([
  ["a condition", { ...counted, conditions: conditions("True") }],
  ["a generation", { ...counted, observedGeneration: 2 }],
  ["a collision", { ...counted, collisionCount: 1 }],
])("%s is told at once", (_, status) => {
  const clock = new VirtualClock();
  const pace = new StatusPace(clock);
  pace.told(stored(before), before);
  expect(pace.waitMs(stored(before), status)).toBe(0);
});

test("what another wrote over is told again when its time has come, and news at once", () => {
  const clock = new VirtualClock();
  const pace = new StatusPace(clock, { spacingMs: 100, objectsMax: 10 });
  const ready = { ...before, conditions: conditions("True") };
  pace.told(stored(before), ready);
  expect(pace.waitMs(stored(before), ready)).toBe(100);
  expect(pace.waitMs(stored(before), { ...ready, observedGeneration: 2 })).toBe(0);
  clock.advance(100);
  expect(pace.waitMs(stored(before), ready)).toBe(0);
});

test("more objects than are remembered are told too often rather than too late", () => {
  const pace = new StatusPace(new VirtualClock(), { spacingMs: 100, objectsMax: 2 });
  for (const uid of ["a", "b", "c"]) pace.told(stored(before, uid), before);
  expect(["a", "b", "c"].map((uid) => pace.waitMs(stored(before, uid), counted))).toEqual([0, 100, 100]);
});

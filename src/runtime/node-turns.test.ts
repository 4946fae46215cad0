import { afterEach, expect, test } from "vitest";
import { type Turn, Turns } from "./node-turns.ts";

const aTurn = () => new Promise((resolve) => setImmediate(resolve));
afterEach(() => process.setUncaughtExceptionCaptureCallback(null));

/** Turns, two that read in them, and what happened in which order. */
function aRecord() {
  const told: string[] = [];
  const over: Turn[] = [];
  const turns = new Turns((turn) => {
    told.push("over");
    over.push(turn);
  });
  const [a, b] = [{ takeIn: () => told.push("a") }, { takeIn: () => told.push("b") }];
  return { turns, told, over, a, b };
}

test("what was read is taken in when the turn is over, by each that has read, once for all reads of the turn", async () => {
  const { turns, told, a, b } = aRecord();
  for (const reader of [a, b, a, b]) turns.wasRead(reader, 1_000);
  expect(told).toEqual([]);
  await aTurn();
  expect(told).toEqual(["a", "b", "over"]);
});

test("who listens is told what came in a turn, and by whom; the next one begins with nothing", async () => {
  const { turns, over, a, b } = aRecord();
  for (const reader of [a, b, a]) turns.wasRead(reader, 1_000);
  await aTurn();
  turns.wasRead(b, 1);
  await aTurn();
  expect(over).toEqual([
    { reads: 3, bytes: 3_000, bytesOf: new Map([[a, 2_000]]).set(b, 1_000) },
    { reads: 1, bytes: 1, bytesOf: new Map([[b, 1]]) },
  ]);
});

test("a turn ends also if nothing comes in it, and is the same for all that begin it", async () => {
  const { turns, told, a } = aRecord();
  turns.begin();
  await aTurn();
  expect(told.splice(0)).toEqual(["over"]);
  turns.begin();
  turns.wasRead(a, 1_000);
  await aTurn();
  expect(told).toEqual(["a", "over"]);
});

test("a reader that throws is heard of, and keeps no turn open", async () => {
  const { turns, told, a } = aRecord();
  const thrown: string[] = [];
  process.setUncaughtExceptionCaptureCallback(({ message }) => thrown.push(message));
  const broken = {
    takeIn: () => {
      throw new Error("broken");
    },
  };
  turns.wasRead(broken, 1_000);
  await aTurn();
  expect([thrown, told.splice(0)]).toEqual([["broken"], ["over"]]);
  turns.wasRead(a, 1_000);
  await aTurn();
  expect(told).toEqual(["a", "over"]);
});

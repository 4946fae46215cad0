import { expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { Queue, type QueueLimits } from "./queue.ts";

const limits: QueueLimits = { backOff: { baseMs: 10, maxMs: 1_000 }, spacingMs: 0, keysMax: 100 };

function aQueue(overrides: Partial<QueueLimits> = {}, chance = 0) {
  const clock = new VirtualClock();
  const queue = new Queue<string>({ clock, rand: { next: () => chance } }, { ...limits, ...overrides }, () => {});
  const takeAll = () => {
    const keys: string[] = [];
    for (let taken = queue.take(); taken !== undefined; taken = queue.take()) keys.push(taken.key);
    return keys;
  };
  const runOnce = (key: string) => {
    expect(queue.take()?.key).toBe(key);
    queue.done(key, { result: "success" });
  };
  return { clock, queue, takeAll, runOnce };
}

test("a key added many times is handed out once", () => {
  const { queue, takeAll } = aQueue();
  for (let i = 0; i < 5; i++) queue.add("a");
  expect(takeAll()).toEqual(["a"]);
});

test("a delay that is no time is refused before anything changes", () => {
  const { clock, queue, takeAll } = aQueue();
  queue.add("a", { afterMs: 10 });
  expect(() => queue.add("b", { afterMs: Number.NaN })).toThrow('key "b" cannot wait NaN ms; give a time from 0 on');
  clock.advance(10);
  expect(takeAll()).toEqual(["a"]);
});

test("a key added while busy is handed out again after it was given back, not before", () => {
  const { queue, takeAll } = aQueue();
  queue.add("a");
  queue.take();
  queue.add("a");
  expect(takeAll()).toEqual([]);
  queue.done("a", { result: "success" });
  expect(takeAll()).toEqual(["a"]);
});

test("wake-ups closer together than the spacing become one run, and the first comes at once", () => {
  const { clock, queue, takeAll, runOnce } = aQueue({ spacingMs: 100 });
  queue.add("a");
  runOnce("a");
  clock.advance(30);
  queue.add("a");
  queue.add("a");
  expect(takeAll()).toEqual([]);
  clock.advance(69);
  expect(takeAll()).toEqual([]);
  clock.advance(1);
  expect(takeAll()).toEqual(["a"]);
});

test("a run that takes longer than the spacing is followed by the next after a fifth of it", () => {
  const { clock, queue, takeAll } = aQueue({ spacingMs: 100 });
  queue.add("a");
  queue.take();
  clock.advance(100);
  queue.add("a");
  queue.done("a", { result: "success" });
  clock.advance(19);
  expect(takeAll()).toEqual([]);
  clock.advance(1);
  expect(takeAll()).toEqual(["a"]);
});

test("a key that rested out its spacing leaves nothing behind, not even a timer", () => {
  const { clock, queue, runOnce } = aQueue({ spacingMs: 100 });
  queue.add("a");
  runOnce("a");
  clock.advance(100);
  expect(queue.readings()).toEqual({ depth: 0, delayed: 0, busy: 0, oldestMs: 0, refused: 0 });
  expect(clock.nextDueMs()).toBeUndefined();
});

test("live keys overtake the backlog, but the backlog gets every eighth turn", () => {
  const { queue, takeAll } = aQueue();
  for (let i = 0; i < 3; i++) queue.add(`old-${i}`, { priority: "backlog" });
  for (let i = 0; i < 16; i++) queue.add(`new-${i}`);
  const order = takeAll();
  expect(order.indexOf("old-0")).toBe(7);
  expect(order.indexOf("old-1")).toBe(15);
  expect(order.at(-1)).toBe("old-2");
});

test("any of the ready keys is next where any will do, and the longest waiting one otherwise", () => {
  const orders = (["any", "oldest"] as const).map((order) => {
    const { queue, takeAll } = aQueue({ order }, 0.9);
    for (const key of ["a", "b", "c"]) queue.add(key);
    return takeAll();
  });
  expect(orders).toEqual([
    ["c", "b", "a"],
    ["a", "b", "c"],
  ]);
});

test("adding a waiting key again takes the higher priority and the shorter delay", () => {
  const { clock, queue, takeAll } = aQueue();
  queue.add("a", { priority: "backlog", afterMs: 50 });
  queue.add("b", { priority: "backlog" });
  queue.add("a", { priority: "live", afterMs: 500 });
  clock.advance(50);
  expect(takeAll()).toEqual(["a", "b"]);
});

test("a ready key of the backlog moves to the live line when it changes", () => {
  const { queue, takeAll } = aQueue();
  queue.add("a", { priority: "backlog" });
  queue.add("b", { priority: "backlog" });
  queue.add("b");
  queue.add("b", { priority: "backlog" });
  expect(takeAll()).toEqual(["b", "a"]);
});

test("each failure doubles the pause, success forgets them all", () => {
  const { clock, queue } = aQueue();
  queue.add("a");
  const pauses: number[] = [];
  for (const attempt of [1, 2, 3, 4]) {
    const before = clock.monotonicMs();
    while (queue.readings().depth === 0) clock.advance(1);
    expect(queue.take()?.attempt).toBe(attempt);
    pauses.push(clock.monotonicMs() - before);
    queue.done("a", { result: attempt < 4 ? "failure" : "success" });
  }
  expect(pauses).toEqual([0, 10, 20, 40]);
  queue.add("a");
  expect(queue.take()?.attempt).toBe(1);
});

test("a change wakes a failing key at once and keeps the count of its failures", () => {
  const { queue } = aQueue({ backOff: { baseMs: 60_000, maxMs: 60_000 } });
  queue.add("a");
  queue.take();
  queue.done("a", { result: "failure" });
  queue.add("a");
  expect(queue.take()).toMatchObject({ key: "a", attempt: 2 });
});

test("a run may ask to be repeated, and a change in between comes first", () => {
  const { clock, queue, takeAll } = aQueue();
  queue.add("a");
  queue.take();
  queue.done("a", { result: "success", againInMs: 40 * 24 * 3_600_000 });
  expect(queue.readings()).toMatchObject({ delayed: 1 });
  clock.advance(40 * 24 * 3_600_000 - 1);
  expect(takeAll()).toEqual([]);
  clock.advance(1);
  expect(takeAll()).toEqual(["a"]);
});

test("a full queue refuses unknown keys, counts them, and still takes known ones", () => {
  const { queue } = aQueue({ keysMax: 2 });
  expect([queue.add("a"), queue.add("b"), queue.add("c"), queue.add("a")]).toEqual([true, true, false, true]);
  expect(queue.readings()).toMatchObject({ depth: 2, refused: 1 });
});

test("readings name the depth, the delayed, the busy and the age of the oldest ready key", () => {
  const { clock, queue } = aQueue();
  queue.add("a");
  clock.advance(70);
  queue.add("b");
  queue.add("c", { afterMs: 1_000 });
  expect(queue.readings()).toEqual({ depth: 2, delayed: 1, busy: 0, oldestMs: 70, refused: 0 });
  expect(queue.take()).toMatchObject({ key: "a", waitedMs: 70 });
  expect(queue.readings()).toEqual({ depth: 1, delayed: 1, busy: 1, oldestMs: 0, refused: 0 });
});

test("clear() drops what waits but never frees a key that somebody holds", () => {
  const { clock, queue, takeAll } = aQueue({ spacingMs: 10 });
  queue.add("held");
  queue.take();
  queue.add("held");
  queue.add("ready");
  queue.add("delayed", { afterMs: 10 });
  queue.clear();
  clock.advance(100);
  queue.add("held");
  expect(takeAll()).toEqual([]);
  queue.done("held", { result: "success" });
  clock.advance(10);
  expect(takeAll()).toEqual(["held"]);
});

test("giving back a key that nobody holds is our own mistake and throws", () => {
  const { queue } = aQueue();
  queue.add("a");
  expect(() => queue.done("a", { result: "success" })).toThrow('key "a" was given back but nobody had taken it');
});

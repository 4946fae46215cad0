// A process as a whole: it dies, hangs, is cut off and started anew, and its clocks and timers are wrong.
import { expect, test } from "vitest";
import { aProcess, outcome, post } from "./testing/link-fixture.ts";

test("a process that dies at an answer has done what it does at once, and is started anew", async () => {
  const process = aProcess({ "crash-at-answer": [0] });
  const seen: string[] = [];
  void process.transport.request(post("a")).then(({ status }) => seen.push(`${status}`));
  process.lives[0]?.clock.after(100, () => seen.push("later"));
  await process.world.clock.elapse(2_000);
  expect([seen, process.lives.length]).toEqual([["201"], 2]);
});

test("a process that dies when a timer is due does nothing of what the timer was for", async () => {
  const process = aProcess({ "dies-at-timer": [1] });
  const fired: number[] = [];
  for (const ms of [10, 20]) process.lives[0]?.clock.after(ms, () => fired.push(ms));
  await process.world.clock.elapse(2_000);
  expect([fired, process.lives.length]).toEqual([[10], 2]);
});

test.each([
  ["timer-early", 999],
  ["timer-late", 1_400],
])("a timer of a second with the fault %s fires after %s ms", async (fault, afterMs) => {
  const process = aProcess({ [fault]: [0], "timer-late-how": [0] });
  const fired: number[] = [];
  const { clock } = process.world;
  process.lives[0]?.clock.after(1_000, () => fired.push(clock.monotonicMs()));
  await clock.elapse(10_000);
  expect(fired).toEqual([afterMs]);
});

test.each([
  ["clock-rate", 950],
  ["clock-wild", 500],
])("with %s a second of the world is %s ms of the process", async (fault, itsMs) => {
  const process = aProcess({ [fault]: [0] });
  await process.world.clock.elapse(1_000);
  expect(process.lives[0]?.clock.monotonicMs()).toBeCloseTo(itsMs);
});

test("a process that died is started anew, with an identity and a memory of its own", async () => {
  const process = aProcess({ "crash-after-write": [0] });
  await outcome(process, post("a"));
  expect(process.lives.map(({ identity }) => identity)).toEqual(["p.1", "p.2"]);
  expect(process.host.lives.map(({ name }) => name)).toEqual(["p.2"]);
});

test("a dead process sends nothing more, and its timers do not fire", async () => {
  const process = aProcess({});
  let fired = 0;
  process.lives[0]?.clock.after(100, () => fired++);
  process.host.lives[0]?.crash();
  expect(await outcome(process, post("a"))).toBe("no answer");
  expect([fired, process.world.state.object("configmaps", "default/a")]).toEqual([0, undefined]);
});

test("a process that hangs gets everything when it goes on", async () => {
  const process = aProcess({});
  const fired: number[] = [];
  const [ports] = process.lives;
  for (const ms of [10, 20]) ports?.clock.after(ms, () => fired.push(ms));
  process.host.lives[0]?.pause();
  await process.world.clock.elapse(1_000);
  expect(fired).toEqual([]);
  process.host.lives[0]?.resume();
  await process.world.clock.elapse(0);
  expect(fired).toEqual([10, 20]);
});

test("a timer that is due while a process hangs can still be cancelled by what comes before it", async () => {
  const process = aProcess({});
  const fired: string[] = [];
  const [ports] = process.lives;
  let cancelSecond = () => {};
  ports?.clock.after(10, () => {
    fired.push("first");
    cancelSecond();
  });
  cancelSecond = ports?.clock.after(20, () => fired.push("second")) ?? cancelSecond;
  process.host.lives[0]?.pause();
  await process.world.clock.elapse(1_000);
  process.host.lives[0]?.resume();
  await process.world.clock.elapse(10);
  expect(fired).toEqual(["first"]);
});

test("what comes at the instant of a return waits behind what has come before", async () => {
  const process = aProcess({});
  const fired: number[] = [];
  const [ports] = process.lives;
  const { clock } = process.world;
  process.host.lives[0]?.pause();
  clock.after(100, () => process.host.lives[0]?.resume());
  for (const ms of [10, 20, 100]) ports?.clock.after(ms, () => fired.push(ms));
  await clock.elapse(200);
  expect(fired).toEqual([10, 20, 100]);
});

test("a wall clock that jumped is right again when the faults are over, and monotonic time never noticed", async () => {
  const process = aProcess({});
  const clockOf = () => [process.lives[0]?.clock.wallMs(), process.lives[0]?.clock.monotonicMs()];
  const before = clockOf();
  process.host.lives[0]?.clock.jumpWall(3_600_000);
  expect(clockOf()).toEqual([(before[0] ?? 0) + 3_600_000, 0]);
  process.host.calm();
  expect(clockOf()).toEqual(before);
});

test("a process that is cut off hears nothing, and what it sent arrives when it no longer counts on it", async () => {
  const process = aProcess({});
  process.host.cutOff(40_000);
  expect(await outcome(process, post("a"))).toBe("no answer");
  expect(process.world.state.object("configmaps", "default/a")).toBeUndefined();
  await process.world.clock.elapse(10_000);
  expect(process.world.state.object("configmaps", "default/a")).toBeDefined();
});

test("what a process throws at the world is a finding", async () => {
  const process = aProcess({});
  process.lives[0]?.clock.after(10, () => {
    throw new Error("no luck");
  });
  await process.world.clock.elapse(10);
  expect(process.world.failure()).toMatchObject({ oracle: "Uncaught", message: expect.stringContaining("no luck") });
});

import { array, boolean, nat, oneof, property, record, assert as verify } from "fast-check";
import { expect, test } from "vitest";
import { pause } from "../src/kube/clock.ts";
import { VirtualClock } from "./virtual-clock.ts";

test("timers fire in order of time, equal times in the order they were set", () => {
  const clock = new VirtualClock();
  const fired: string[] = [];
  clock.after(20, () => fired.push(`late@${clock.monotonicMs()}`));
  clock.after(10, () => fired.push(`first@${clock.monotonicMs()}`));
  clock.after(10, () => fired.push(`second@${clock.monotonicMs()}`));
  clock.advance(15);
  expect(fired).toEqual(["first@10", "second@10"]);
  expect(clock.monotonicMs()).toBe(15);
  clock.advance(5);
  expect(fired.at(-1)).toBe("late@20");
});

test("a timer set while time moves fires within the same move when it is due", () => {
  const clock = new VirtualClock();
  const fired: number[] = [];
  clock.after(10, () => clock.after(10, () => fired.push(clock.monotonicMs())));
  clock.advance(30);
  expect(fired).toEqual([20]);
});

test("a cancelled timer never fires, and cancelling twice is harmless", () => {
  const clock = new VirtualClock();
  const fired: string[] = [];
  const cancel = clock.after(10, () => fired.push("no"));
  cancel();
  cancel();
  expect([clock.nextDueMs(), clock.timerCount]).toEqual([undefined, 0]);
  clock.advance(100);
  expect(fired).toEqual([]);
});

test("elapse() lets waiting promises continue between timers", async () => {
  const clock = new VirtualClock();
  const seen: number[] = [];
  const loop = async () => {
    for (let i = 0; i < 3; i++) {
      await pause(clock, 10);
      seen.push(clock.monotonicMs());
    }
  };
  const done = loop();
  await clock.elapse(30);
  await done;
  expect(seen).toEqual([10, 20, 30]);
});

test("the wall clock jumps without moving monotonic time", () => {
  const clock = new VirtualClock(1_000);
  clock.advance(5);
  clock.jumpWall(-500);
  expect([clock.wallMs(), clock.monotonicMs()]).toEqual([505, 5]);
});

test("cancelling removes that timer and no other of the same time", () => {
  const clock = new VirtualClock();
  const fired: string[] = [];
  const cancels = ["a", "b", "c", "d"].map((name) => clock.after(10, () => fired.push(name)));
  clock.after(20, () => fired.push("late"));
  cancels[1]?.();
  cancels[3]?.();
  cancels[1]?.();
  expect(clock.timerCount).toBe(3);
  clock.advance(20);
  cancels[0]?.();
  expect(fired).toEqual(["a", "c", "late"]);
});

test("elapseUntil() stops at the timer that was enough, and goes on from there", async () => {
  const clock = new VirtualClock();
  const fired: number[] = [];
  for (const ms of [10, 20, 30]) clock.after(ms, () => fired.push(ms));
  await clock.elapseUntil(100, () => fired.length === 2);
  expect([fired, clock.monotonicMs()]).toEqual([[10, 20], 20]);
  await clock.elapseUntil(100, () => false);
  expect([fired, clock.monotonicMs()]).toEqual([[10, 20, 30], 100]);
});

test("what a timer throws ends the move", async () => {
  const clock = new VirtualClock();
  clock.after(10, () => {
    throw new Error("no luck");
  });
  await expect(clock.elapse(20)).rejects.toThrow("no luck");
});

test("any order of setting and cancelling fires what is left by time, then by age", () => {
  // Few and many different times: with few of them most are equal.
  const act = record({ delayMs: oneof(nat(5), nat(1_000)), isCancelled: boolean() });
  void verify(
    property(array(act, { maxLength: 100, size: "max" }), (acts) => {
      const clock = new VirtualClock();
      const fired: number[] = [];
      const cancels = acts.map(({ delayMs }, at) => clock.after(delayMs, () => fired.push(at)));
      for (const [at, { isCancelled }] of acts.entries()) if (isCancelled) cancels[at]?.();
      clock.advance(1_000);
      const left = acts.flatMap(({ delayMs, isCancelled }, at) => (isCancelled ? [] : [{ delayMs, at }]));
      expect(fired).toEqual(left.sort((a, b) => a.delayMs - b.delayMs || a.at - b.at).map(({ at }) => at));
    }),
  );
});

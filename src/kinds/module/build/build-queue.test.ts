import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startable, TURN_MS } from "./build-queue.ts";
import type { BuildTask } from "./build-task.ts";

const NOW = 1_000_000_000;

/** `a1` is the first Job of Module a; the state of it, and whatever else is asked for. */
function task(
  uid: string,
  state: "queued" | "running" | "succeeded" | "failed",
  more: Partial<BuildTask> = {},
): BuildTask {
  return {
    ...{ namespace: "default", name: uid, uid, owner: uid.charAt(0), isLeaving: false, createdMs: NOW - 1_000 },
    ...{ stage: "build", image: `image-of-${uid}`, order: uid, recipe: "", attempt: 0, insists: false, isTold: false },
    state:
      state === "failed"
        ? { is: state, endedMs: NOW, reason: "", message: "" }
        : state === "succeeded"
          ? { is: state, endedMs: NOW }
          : { is: state },
    ...more,
  };
}

const started = (tasks: readonly BuildTask[], runningMax = 2) => [...startable({ tasks, runningMax, nowMs: NOW })];

describe("whose turn it is", () => {
  test("as many start as there is room for, the oldest first", () => {
    const tasks = [task("a2", "queued", { createdMs: NOW - 2_000 }), task("a1", "queued"), task("b1", "running")];
    expect(started(tasks)).toEqual(["a2"]);
    expect(started(tasks, 3)).toEqual(["a2", "a1"]);
    expect(started(tasks, 1)).toEqual([]);
  });

  test("a Module with nothing at work comes before one that has something, however long that has waited", () => {
    const old = { createdMs: NOW - 60_000 };
    const tasks = [task("a1", "running"), task("a2", "queued", old), task("a3", "queued", old), task("b1", "queued")];
    expect(started(tasks)).toEqual(["b1"]);
    expect(started(tasks, 4)).toEqual(["b1", "a2", "a3"]);
  });

  test("Modules take turns", () => {
    const tasks = ["a1", "a2", "a3", "b1", "b2", "c1"].map((uid) => task(uid, "queued"));
    expect(started(tasks, 4)).toEqual(["a1", "b1", "c1", "a2"]);
  });

  test("an image that is being made is not made a second time, and holds nobody up", () => {
    const tasks = [task("a1", "running"), task("b1", "queued", { image: "image-of-a1" }), task("c1", "queued")];
    expect(started(tasks)).toEqual(["c1"]);
    const twins = [task("a1", "queued", { image: "same" }), task("b1", "queued", { image: "same" })];
    expect(started(twins)).toEqual(["a1"]);
  });

  test("a Job that is being deleted counts while its pods are there, and is not started", () => {
    const leaving = { isLeaving: true };
    expect(started([task("a1", "running", leaving), task("b1", "queued")], 1)).toEqual([]);
    expect(started([task("a1", "queued", leaving), task("b1", "queued")], 1)).toEqual(["b1"]);
  });

  test("what has ended takes no room; what has just been sent has no turn yet", () => {
    const tasks = [
      task("a1", "succeeded"),
      task("a2", "failed"),
      task("b1", "queued", { uid: "", createdMs: undefined }),
    ];
    expect(started([...tasks, task("c1", "queued")], 1)).toEqual(["c1"]);
  });

  test("a Module that lets its turn pass holds others up for a while only", () => {
    const idle = task("a1", "queued", { createdMs: NOW - TURN_MS - 1 });
    const next = task("b1", "queued");
    expect(started([idle, next], 1)).toEqual(["a1", "b1"]);
    // Room has come only now: it may still be on its way.
    expect(started([idle, next, task("c1", "succeeded")], 1)).toEqual(["a1"]);
  });
});

test("whatever waits and runs, there is room for all that start, each image is made once, and the order of the list is irrelevant", () => {
  const anyTask = fc.record({
    owner: fc.constantFrom("a", "b", "c"),
    image: fc.constantFrom("x", "y", "z", "u", "v"),
    state: fc.constantFrom("queued" as const, "running" as const, "failed" as const),
    isLeaving: fc.boolean(),
    ageMs: fc.nat(TURN_MS),
  });
  fc.assert(
    fc.property(fc.array(anyTask, { maxLength: 12 }), fc.nat(5), (wishes, runningMax) => {
      const tasks = wishes.map(({ state, ageMs, ...more }, index) =>
        task(`${more.owner}${index}`, state, { ...more, createdMs: NOW - ageMs }),
      );
      const found = startable({ tasks, runningMax, nowMs: NOW });
      const running = tasks.filter(({ state }) => state.is === "running");
      const fresh = tasks.filter(({ uid }) => found.has(uid));
      expect(fresh.length).toBeLessThanOrEqual(Math.max(0, runningMax - running.length));
      const images = [...new Set(running.map(({ image }) => image)), ...fresh.map(({ image }) => image)];
      expect(new Set(images).size).toBe(images.length);
      expect(startable({ tasks: tasks.toReversed(), runningMax, nowMs: NOW })).toEqual(found);
    }),
  );
});

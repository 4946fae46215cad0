import { expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { pods } from "../../kube/client/built-in-resources.ts";
import { catchUp, restartable } from "./catch-up.ts";

/** A cache that stands at a version until a test moves it, and a server that stands at 9. */
function aCache() {
  const clock = new VirtualClock();
  const reached = Promise.withResolvers<void>();
  const asked: string[] = [];
  const runs: AbortSignal[] = [];
  const cache = {
    synced: Promise.resolve(),
    observed: (version: string) => {
      asked.push(version);
      return reached.promise;
    },
    run: (signal: AbortSignal) => {
      runs.push(signal);
      return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  };
  const answers = [new Error("away"), undefined];
  const client = {
    listPage: async () => {
      const trouble = answers.shift();
      if (trouble !== undefined) throw trouble;
      return { items: [], resourceVersion: "9", continueFrom: undefined };
    },
  };
  const kept = restartable(pods, cache);
  return { clock, reached, asked, runs, kept, ports: { client, clock } };
}

test("it waits until the cache has seen the version at which the server stands, and asks again when it does not answer", async () => {
  const { clock, reached, asked, kept, ports } = aCache();
  let isDone = false;
  void catchUp(kept, ports, new AbortController().signal).then(() => {
    isDone = true;
  });
  await clock.elapse(10_000);
  expect([asked, isDone]).toEqual([["9"], false]);
  reached.resolve();
  await clock.settle();
  expect(isDone).toBe(true);
});

test("a cache to which nothing comes lists anew; one that moves on by itself is left alone", async () => {
  const life = new AbortController();
  const { clock, reached, runs, kept, ports } = aCache();
  void kept.run(life.signal);
  void catchUp(kept, ports, life.signal);
  await clock.elapse(10_000);
  expect(runs.map(({ aborted }) => aborted)).toEqual([true, false]);
  reached.resolve();

  const quick = aCache();
  void quick.kept.run(life.signal);
  quick.reached.resolve();
  void catchUp(quick.kept, quick.ports, life.signal);
  await quick.clock.elapse(10_000);
  expect(quick.runs.map(({ aborted }) => aborted)).toEqual([false]);
});

test("whoever stops it stops the run that goes on, and none starts after that", async () => {
  const life = new AbortController();
  const { clock, runs, kept } = aCache();
  const running = kept.run(life.signal);
  kept.restart();
  await clock.settle();
  life.abort(new Error("over"));
  await running;
  expect(runs.map(({ aborted }) => aborted)).toEqual([true, true]);
});

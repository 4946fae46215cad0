import { expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { logToList } from "../log/testing/log-to-list.ts";
import { Controller, type ControllerOptions, type Reconcile, type Run, type RunResult } from "./controller.ts";
import type { Source } from "./intake.ts";

/** A source whose keys the test offers; starting it again offers `existing` again. */
class ManualSource implements Source {
  existing: readonly string[];
  #offer: ((key: string, initial: boolean) => void) | undefined;

  constructor(...existing: readonly string[]) {
    this.existing = existing;
  }

  start(offer: (key: string, initial: boolean) => void): () => void {
    this.#offer = offer;
    for (const key of this.existing) offer(key, true);
    return () => {
      this.#offer = undefined;
    };
  }

  change(key: string): void {
    this.#offer?.(key, false);
  }
}

/** A reconcile whose runs the test ends one by one. */
function heldRuns() {
  const started: { readonly key: string; readonly run: Run; readonly end: () => void; fail: (error: Error) => void }[] =
    [];
  const reconcile: Reconcile = (key, run) =>
    new Promise((resolve, reject) => started.push({ key, run, end: () => resolve(undefined), fail: reject }));
  return { started, reconcile, keys: () => started.map(({ key }) => key) };
}

function aController(reconcile: Reconcile, overrides: Partial<ControllerOptions> = {}) {
  const clock = new VirtualClock();
  const { log, lines } = logToList();
  const results: RunResult[] = [];
  const source = new ManualSource();
  const controller = new Controller(
    {
      ...{ name: "test", sources: [source], reconcile, workers: 2, timeoutMs: 1_000 },
      queue: { backOff: { baseMs: 10, maxMs: 100 }, spacingMs: 0, keysMax: 100 },
      ...overrides,
    },
    { clock, rand: { next: () => 0 }, log, onRun: ({ result }) => results.push(result) },
  );
  return { clock, controller, source, lines, results };
}

test("existing keys and changes become runs, and no more than the workers at once", async () => {
  const { started, reconcile, keys } = heldRuns();
  const { clock, controller, source } = aController(reconcile);
  source.existing = ["a", "b", "c"];
  controller.start();
  await clock.settle();
  expect(keys()).toEqual(["a", "b"]);
  started[0]?.end();
  await clock.settle();
  expect(keys()).toEqual(["a", "b", "c"]);
});

test("a change is never worked on inside the source's own call", () => {
  const { reconcile, keys } = heldRuns();
  const { controller, source } = aController(reconcile);
  controller.start();
  source.change("a");
  expect(keys()).toEqual([]);
});

test("a run can ask for another look", async () => {
  const at: number[] = [];
  const clockOf = { ms: () => 0 };
  const { clock, controller, source } = aController(async () => {
    at.push(clockOf.ms());
    return at.length < 3 ? { againInMs: 500 } : undefined;
  });
  clockOf.ms = () => clock.monotonicMs();
  controller.start();
  source.change("a");
  await clock.elapse(5_000);
  expect(at).toEqual([0, 500, 1_000]);
});

test("a key that throws backs off and is counted, while others go on", async () => {
  const runs: string[] = [];
  const { clock, controller, source, lines, results } = aController(async (key, { attempt }) => {
    runs.push(`${key}#${attempt}`);
    if (key === "bad" && attempt < 3) throw new Error("no luck");
    return undefined;
  });
  controller.start();
  source.change("bad");
  source.change("good");
  await clock.elapse(9);
  source.change("good");
  await clock.elapse(50);
  expect(runs).toEqual(["bad#1", "good#1", "good#1", "bad#2", "bad#3"]);
  expect(results.filter((result) => result === "failure")).toHaveLength(2);
  expect(lines.map(({ message, fields }) => `${message} ${fields.key}`)).toEqual([
    "reconcile failed bad",
    "reconcile failed bad",
  ]);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1])(
  "a run that asks for another look in %d ms has failed; no other key waits for it",
  async (againInMs) => {
    const runs: string[] = [];
    const { clock, controller, source, lines, results } = aController(async (key, { attempt }) => {
      runs.push(`${key}#${attempt}`);
      if (key === "bad") return attempt === 1 ? { againInMs } : undefined;
      return runs.length < 4 ? { againInMs: 20 } : undefined;
    });
    controller.start();
    source.change("bad");
    source.change("good");
    await clock.elapse(1_000);
    expect(runs).toEqual(["bad#1", "good#1", "bad#2", "good#1"]);
    expect(results).toEqual(["failure", "success", "success", "success"]);
    expect(lines.map(({ fields }) => fields.error)).toEqual([
      new Error(`"bad" cannot be looked at again in ${againInMs} ms; give a time from 0 on`),
    ]);
  },
);

test("a hook or a log that throws costs neither the key nor its worker", async () => {
  const { log } = logToList();
  const broken = () => {
    throw new Error("full disk");
  };
  const clock = new VirtualClock();
  const source = new ManualSource();
  const runs: string[] = [];
  const reconcile: Reconcile = async (key, { attempt }) => {
    runs.push(`${key}#${attempt}`);
    if (attempt === 1) throw new Error("no luck");
    return undefined;
  };
  const options = { name: "test", sources: [source], reconcile, workers: 1, timeoutMs: 1_000 };
  const queue = { backOff: { baseMs: 10, maxMs: 100 }, spacingMs: 0, keysMax: 100 };
  const ports = { clock, rand: { next: () => 0 }, log: { ...log, warn: broken, with: () => ports.log }, onRun: broken };
  const controller = new Controller({ ...options, queue }, ports);
  controller.start();
  source.change("a");
  source.change("b");
  await clock.elapse(100);
  expect(runs).toEqual(["a#1", "b#1", "a#2", "b#2"]);
  expect(controller.readings()).toMatchObject({ busy: 0, depth: 0, delayed: 0 });
});

test("a run past its time is aborted with a reason and counted as a timeout", async () => {
  const reasons: string[] = [];
  const { clock, controller, source, results } = aController(
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reasons.push(String(signal.reason));
          reject(signal.reason);
        });
      }),
  );
  controller.start();
  source.change("a");
  await clock.elapse(999);
  expect(reasons).toEqual([]);
  await clock.elapse(1);
  expect(reasons).toEqual(['Error: reconcile of "a" took longer than 1000 ms']);
  expect(results).toEqual(["timeout"]);
});

test("a run that ignores its abort keeps its key, is reported once, and costs no worker", async () => {
  const { started, reconcile, keys } = heldRuns();
  const { clock, controller, source, lines } = aController(reconcile, { workers: 1 });
  controller.start();
  source.change("deaf");
  await clock.elapse(6_000);
  expect(controller.readings()).toMatchObject({ stuck: 1, busy: 1 });
  source.change("deaf");
  source.change("other");
  await clock.elapse(60_000);
  expect(keys()).toEqual(["deaf", "other"]);
  expect(lines.filter(({ fields }) => fields.key === "deaf").map(({ message }) => message)).toEqual([
    "a reconcile ignores its timeout; its key stays busy until it returns",
  ]);
  started[0]?.end();
  started[1]?.end();
  await clock.elapse(100);
  expect(keys()).toEqual(["deaf", "other", "deaf"]);
});

test("stop() lets active runs finish, starts no other, and leaves no timer", async () => {
  const { started, reconcile, keys } = heldRuns();
  const { clock, controller, source } = aController(reconcile, { workers: 1 });
  controller.start();
  source.change("a");
  source.change("b");
  await clock.settle();
  const stopped = controller.stop(10_000);
  source.change("c");
  await clock.elapse(100);
  started[0]?.end();
  expect(await stopped).toEqual([]);
  expect(keys()).toEqual(["a"]);
  expect(started[0]?.run.signal.aborted).toBe(false);
  expect(clock.nextDueMs()).toBeUndefined();
});

test("stop() aborts what outlives the drain time and names what ignores even that", async () => {
  const { started, reconcile } = heldRuns();
  const { clock, controller, source } = aController(reconcile, { timeoutMs: 60_000 });
  controller.start();
  source.change("deaf");
  source.change("polite");
  await clock.settle();
  const polite = started[1];
  polite?.run.signal.addEventListener("abort", () => polite.fail(new Error("stopping")));
  const stopped = controller.stop(2_000);
  await clock.elapse(1_499);
  expect(polite?.run.signal.aborted).toBe(false);
  await clock.elapse(501);
  expect(await stopped).toEqual(["deaf"]);
});

test("a key still held from before a stop gets no second worker after the next start", async () => {
  const { started, reconcile, keys } = heldRuns();
  const { clock, controller, source } = aController(reconcile);
  source.existing = ["deaf", "other"];
  controller.start();
  await clock.settle();
  started[1]?.end();
  const stopped = controller.stop(0);
  await clock.elapse(10_000);
  expect(await stopped).toEqual(["deaf"]);
  controller.start();
  await clock.elapse(100);
  expect(keys()).toEqual(["deaf", "other", "other"]);
  started[0]?.end();
  await clock.elapse(100);
  expect(keys()).toEqual(["deaf", "other", "other", "deaf"]);
});

test("keys refused by a full queue are offered again when there is room", async () => {
  const seen = new Set<string>();
  const existing = Array.from({ length: 50 }, (_, i) => `key-${i}`);
  const { clock, controller, source } = aController(
    async (key) => {
      seen.add(key);
      return undefined;
    },
    { queue: { backOff: { baseMs: 10, maxMs: 100 }, spacingMs: 5, keysMax: 8 } },
  );
  source.existing = existing;
  controller.start();
  source.change("key-49");
  await clock.elapse(1_000);
  expect(controller.readings().refused).toBeGreaterThan(0);
  expect([...seen].sort()).toEqual([...existing].sort());
});

import { expect, test } from "vitest";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { decideOnSignal, type Ending, type Part, type Phase, runParts } from "./lifecycle.ts";
import { logToList } from "./log/testing/log-to-list.ts";

const limits = { startMs: 10_000, stopMs: 9_000 };

function aHouse() {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const told: string[] = [];
  const deaths = new Map<string, (error: unknown) => void>();
  const { log, lines } = logToList();
  const aPart = (name: string, phase: Phase, ways: Partial<Pick<Part, "start" | "stop">> = {}): Part => ({
    ...{ name, phase },
    start: async (context) => {
      told.push(`start ${name}`);
      deaths.set(name, context.died);
      await ways.start?.(context);
    },
    stop: async (drainMs) => {
      told.push(`stop ${name}`);
      await ways.stop?.(drainMs);
    },
  });
  const run = (...parts: readonly Part[]) => {
    let ending: Ending | undefined;
    const done = runParts(parts, stop.signal, { clock, log, limits }).then((result) => {
      ending = result;
    });
    return { done, ending: () => ending };
  };
  return { clock, stop, told, deaths, lines, aPart, run };
}

const never = () => new Promise<void>(() => {});

test("parts start phase by phase and stop in reverse, whatever order they are listed in", async () => {
  const { clock, stop, told, aPart, run } = aHouse();
  const { done, ending } = run(aPart("controllers", "lead"), aPart("http", "serve"), aPart("cache", "observe"));
  await clock.settle();
  expect(told).toEqual(["start http", "start cache", "start controllers"]);
  expect(ending()).toBeUndefined();
  stop.abort(new Error("SIGTERM"));
  await done;
  expect(told.slice(3)).toEqual(["stop controllers", "stop cache", "stop http"]);
  expect(ending()).toEqual({ code: 0, why: "asked to stop", unstopped: [] });
});

test("a phase waits for all parts of the one before", async () => {
  const { clock, told, aPart, run } = aHouse();
  const gate = Promise.withResolvers<void>();
  run(aPart("slow cache", "observe", { start: () => gate.promise }), aPart("controllers", "lead"));
  await clock.elapse(5_000);
  expect(told).toEqual(["start slow cache"]);
  gate.resolve();
  await clock.settle();
  expect(told).toEqual(["start slow cache", "start controllers"]);
});

test.each<[string, Part["start"], string]>([
  [
    "throws",
    async () => {
      throw new Error("port 8443 is taken");
    },
    'part "http" cannot start: port 8443 is taken',
  ],
  ["hangs", never, 'part "http" cannot start: it takes longer than 10000 ms'],
])(
  "a part that %s at the start is named, what had started is stopped, and the rest never starts",
  async (_, start, why) => {
    const { clock, told, aPart, run } = aHouse();
    const { done, ending } = run(
      aPart("probes", "serve"),
      aPart("http", "serve", { start }),
      aPart("cache", "observe"),
    );
    await clock.elapse(10_000);
    await done;
    expect(ending()).toEqual({ code: 1, why, unstopped: [] });
    expect(told).toEqual(["start probes", "start http", "stop probes", "stop http"]);
  },
);

test("a part that dies later ends the program in good order and is named", async () => {
  const { clock, told, deaths, aPart, run } = aHouse();
  const { done, ending } = run(aPart("http", "serve"), aPart("cache", "observe"));
  await clock.settle();
  deaths.get("cache")?.(new Error("no such resource"));
  await done;
  expect(ending()).toEqual({ code: 1, why: 'part "cache" died: no such resource', unstopped: [] });
  expect(told.slice(2)).toEqual(["stop cache", "stop http"]);
});

test("a part that does not stop is given up on time, named, and does not cost the others their turn", async () => {
  const { clock, stop, told, lines, aPart, run } = aHouse();
  const drains: number[] = [];
  const noteDrain = async (drainMs: number) => void drains.push(drainMs);
  const { done, ending } = run(
    aPart("deaf", "lead", { stop: never }),
    aPart("cache", "observe", { stop: noteDrain }),
    aPart("http", "serve", { stop: noteDrain }),
  );
  await clock.settle();
  stop.abort(new Error("SIGTERM"));
  await clock.elapse(2_999);
  expect(told.at(-1)).toBe("stop deaf");
  await clock.elapse(1);
  await done;
  expect(ending()).toEqual({ code: 1, why: "asked to stop", unstopped: ["deaf"] });
  expect(told.slice(-2)).toEqual(["stop cache", "stop http"]);
  expect(drains).toEqual([1_800, 3_600]);
  expect(lines.at(-1)).toMatchObject({ level: "error", fields: { part: "deaf" } });
});

test("being asked to stop while starting ends the start and stops what there is", async () => {
  const { clock, stop, told, aPart, run } = aHouse();
  const { done, ending } = run(
    aPart("http", "serve"),
    aPart("cache", "observe", { start: never }),
    aPart("controllers", "lead"),
  );
  await clock.elapse(1_000);
  stop.abort(new Error("SIGTERM"));
  await done;
  expect(told).toEqual(["start http", "start cache", "stop cache", "stop http"]);
  expect(ending()).toEqual({ code: 0, why: "asked to stop", unstopped: [] });
});

test("the first signal stops in good order, any further one ends the program at once", () => {
  expect([1, 2, 3].map(decideOnSignal)).toEqual(["stop", "exit", "exit"]);
});

// Runs can be repeated: in the same process, in another one, and in a year from now from the tapes that are kept.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { nodeClock } from "../../../src/runtime/node/node-clock.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { runHistory } from "../run-history.ts";
import { listScenarios } from "../scenarios.ts";
import { choicesOf, parseTape, printTape, type Tape } from "../tape.ts";

const builtIn = builtInKinds();
const patience = { timeout: 600_000 };

function scenarioOf(name: string) {
  const scenario = listScenarios().find((one) => one.scenario.name === name)?.scenario;
  if (scenario === undefined) throw new Error(`no scenario "${name}"`);
  return scenario;
}

const replay = (tape: Tape) => runHistory({ scenario: scenarioOf(tape.scenario), source: { tape }, builtIn });

/** The first seeds of a scenario that cannot hold contain one that fails. */
async function firstFailure(name: string) {
  for (let seed = 1; seed <= 60; seed++) {
    const history = await runHistory({ scenario: scenarioOf(name), source: { seed }, builtIn });
    if (history.failure !== undefined) return history;
  }
  throw new Error(`${name} holds, though it cannot`);
}

/** What `npm run sim` says in a process of its own, and how it ends. */
function command(...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const main = join(import.meta.dirname, "..", "..", "main.ts");
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, said: stdout + stderr });
    });
  });
}

test.each(listScenarios().map(({ scenario }) => [scenario.name]))(
  "%s takes the same steps from its seed, again from its seed, and from its tape",
  patience,
  async (name) => {
    for (const seed of [3, 4]) {
      const scenario = scenarioOf(name);
      const first = await runHistory({ scenario, source: { seed }, builtIn });
      const second = await runHistory({ scenario, source: { seed }, builtIn });
      const third = await replay(parseTape(printTape(first.tape)));
      expect([second.fingerprint, third.fingerprint]).toEqual([first.fingerprint, first.fingerprint]);
      expect(first.steps).toBeGreaterThan(20);
    }
  },
);

test("another process takes the same steps", patience, async () => {
  const seed = 6;
  const { fingerprint, tape } = await runHistory({
    scenario: scenarioOf("toy-by-node-name"),
    source: { seed },
    builtIn,
  });
  const { code, said } = await command("--tape", printTape(tape));
  expect([code, said]).toEqual([0, expect.stringContaining(`fingerprint ${fingerprint}`)]);
});

test(
  "a failing seed fails in another process with the same steps, and says how to see it again",
  patience,
  async () => {
    const { fingerprint, failure, tape } = await firstFailure("toy-generated");
    const { code, said } = await command("--scenario", "toy-generated", "--seed", String(tape.seed));
    expect(code).toBe(1);
    expect(said).toContain(`FAILED toy-generated, seed ${tape.seed}: ${failure?.oracle}`);
    expect(said).toContain(`fingerprint ${fingerprint}`);
    const shortest = parseTape(/--tape '([^']+)'/.exec(said)?.[1] ?? "");
    expect((await replay(shortest)).failure?.oracle).toBe(failure?.oracle);
    expect(choicesOf(shortest)).toBeLessThan(choicesOf(tape));
  },
);

const ours = /\/(src|sim)\//;
const others = /node_modules|\.test\.ts/;

/** Whoever asks the machine for time or chance while a history runs, by the line that does. */
async function askersDuring(run: () => Promise<unknown>): Promise<readonly string[]> {
  const askers: string[] = [];
  const doors: readonly (readonly [object, string])[] = [
    [Date, "now"],
    [Math, "random"],
    [performance, "now"],
    [crypto, "randomUUID"],
    [globalThis, "setTimeout"],
    [globalThis, "setInterval"],
  ];
  const watches = doors.map(([holder, name]) => {
    const door: unknown = Reflect.get(holder, name);
    const watched = (...args: readonly unknown[]) => {
      // The test runner has business of its own at the same time.
      const asker = (new Error().stack ?? "").split("\n").find((line) => ours.test(line) && !others.test(line));
      if (asker !== undefined) askers.push(`${name} ${asker.trim()}`);
      return typeof door === "function" ? Reflect.apply(door, holder, args) : undefined;
    };
    Reflect.set(holder, name, watched);
    return () => Reflect.set(holder, name, door);
  });
  await run().finally(() => {
    for (const restore of watches) restore();
  });
  return askers;
}

test.each(listScenarios().map(({ scenario }) => [scenario.name]))(
  "nothing in %s asks the machine for time or chance",
  patience,
  async (name) => {
    const run = () => runHistory({ scenario: scenarioOf(name), source: { seed: 3 }, builtIn });
    expect(await askersDuring(run)).toEqual([]);
  },
);

test("who does ask is seen", async () => {
  const askers = await askersDuring(async () => nodeClock().wallMs());
  expect(askers).toEqual([expect.stringContaining("node-clock.ts")]);
});

/** Tapes of what once went wrong. They must hold: what they broke is mended, or is a design that nobody should take. */
const tapesFolder = join(import.meta.dirname, "..", "tapes");
const kept = readdirSync(tapesFolder).sort();

test("tapes are kept", () => {
  expect(kept.length).toBeGreaterThan(0);
});

test.each(kept)("the tape %s holds", patience, async (file) => {
  const { tape } = parse(readFileSync(join(tapesFolder, file), "utf8"));
  expect((await replay(parseTape(tape))).failure).toBeUndefined();
});

// The simulator on four designs of one controller: the first three are found out, each by the oracle that it breaks, and the
// last one holds. Without this nobody would know whether a green run means anything.
import { expect, test } from "vitest";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { type History, runHistory } from "../run-history.ts";
import type { Scenario } from "../scenario.ts";
import type { Tape } from "../tape.ts";
import { namings } from "./naming.ts";
import { toyController } from "./toy-controller.ts";
import { ledToyScenario, toyScenario, toyScenarios } from "./toy-scenario.ts";

const builtIn = builtInKinds();
const [generated, expected, byNodeUid, byNodeName] = toyScenarios();
/** More by the command: `npm run sim -- --seeds 10000`. */
const SEEDS_OF_BAD = 60;
const SEEDS_OF_LED = 40;
const SEEDS_OF_GOOD = 200;
const patience = { timeout: 600_000 };

async function failuresOf(scenario: Scenario | undefined, seeds: number): Promise<readonly string[]> {
  if (scenario === undefined) throw new Error("no such design");
  const oracles: string[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const { failure } = await runHistory({ scenario, source: { seed }, builtIn });
    if (failure !== undefined) oracles.push(failure.oracle);
  }
  return oracles;
}

test("the designs come out in the order of how far they hold", patience, async () => {
  const worst = await failuresOf(generated, SEEDS_OF_BAD);
  const better = await failuresOf(expected, SEEDS_OF_BAD);
  const alike = await failuresOf(byNodeUid, SEEDS_OF_BAD);
  expect(worst).toContain("AtMostOne");
  expect(better).toContain("AtMostOne");
  expect(alike).toContain("AtMostOne");
  expect(worst.length).toBeGreaterThan(better.length);
  expect(worst.length).toBeGreaterThan(alike.length);
});

test("names from set and node hold under every fault, settle, and are quiet", patience, async () => {
  expect(await failuresOf(byNodeName, SEEDS_OF_GOOD)).toEqual([]);
});

/** A history in which nothing goes wrong but what the tape says. */
async function replay(scenario: Scenario, forced: Readonly<Record<string, readonly number[]>>): Promise<History> {
  const streams: Tape["streams"] = new Map(
    Object.entries(forced).map(([name, at]) => [name, at.map((place) => ({ at: place, value: 1 }))]),
  );
  const tape = { scenario: scenario.name, seed: 1, streams };
  return runHistory({ scenario, source: { tape }, builtIn, keepsTrace: true });
}

/** New revisions at these ticks: work enough that crashes find something to interrupt. */
const story = { "new-revision": [10, 40], "node-made-anew": [70] };
const writesOf = (history: History) =>
  history.trace.filter((line) => /operator\.\d+ +(POST|DELETE) .* \d+$/.test(line)).length;

test.each([["crash-before-write"], ["crash-after-write"], ["answer-lost"]])(
  "a %s at each write of the story in turn ends where the undisturbed story ends",
  patience,
  async (fault) => {
    if (byNodeName === undefined) throw new Error("no such design");
    const writes = writesOf(await replay(byNodeName, story));
    expect(writes).toBeGreaterThan(10);
    for (let at = 0; at < writes; at++) {
      const { failure, tape } = await replay(byNodeName, { ...story, [`operator-${fault}`]: [at] });
      expect([at, failure, tape.streams.get(`operator-${fault}`)?.length]).toEqual([at, undefined, 1]);
    }
  },
);

const naming = namings.find(({ name }) => name === "by-node-name");

test("two replicas hold while only the holder of the lease writes", patience, async () => {
  if (naming === undefined) throw new Error("no such design");
  expect(await failuresOf(ledToyScenario(naming), SEEDS_OF_LED)).toEqual([]);
});

test("replicas that do not ask for the lease are found by their first write", patience, async () => {
  if (naming === undefined) throw new Error("no such design");
  expect(await failuresOf(ledToyScenario(naming, toyController(naming)), 1)).toEqual(["OnlyHolderSends"]);
});

test("a design that deletes without a UID is found by its first delete", patience, async () => {
  if (naming === undefined) throw new Error("no such design");
  const careless = { ...toyScenario({ ...naming, checksUid: false }), requestRules: byNodeName?.requestRules ?? [] };
  expect(await failuresOf(careless, 5)).toContain("DeletesCarryUid");
});

test(
  "a controller that does nothing is found not to settle, one that never rests not to be quiet",
  patience,
  async () => {
    if (naming === undefined) throw new Error("no such design");
    expect(
      await failuresOf(
        toyScenario(naming, () => undefined),
        1,
      ),
    ).toEqual(["Settles"]);
    const good = toyScenario(naming);
    const restless: Scenario = {
      ...good,
      setUp: async (world) => {
        await good.setUp(world);
        world.host("restless", ({ clock }) => {
          const client = world.client("restless");
          const write = () => {
            const body = { metadata: { annotations: { at: String(clock.monotonicMs()) } } };
            void client.patch(nodeResource, "node-0", { type: "merge", body }).catch(() => undefined);
            clock.after(5_000, write);
          };
          write();
        });
      },
    };
    expect((await replay(restless, {})).failure).toMatchObject({ oracle: "Quiet" });
  },
);

const nodeResource = { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false };

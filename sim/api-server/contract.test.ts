// The contract on the embedded server: the answers of a real kube-apiserver to the same requests, all fields compared.
import { beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/kube/transport.ts";
import type { Answer } from "../contract/answer.ts";
import { readRecording } from "../contract/recordings.ts";
import { create, runScenario } from "../contract/run-scenario.ts";
import type { Scenario } from "../contract/scenario.ts";
import { scenarios } from "../contract/scenarios/index.ts";
import { widgetDefinition } from "../contract/widget.ts";
import { seededRand } from "../seeded-rand.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { createApiServer } from "./api-server.ts";
import { builtInKinds } from "./built-in/built-in-kinds.ts";
import { tableOf } from "./resource-table.ts";
import type { Change } from "./store/store.ts";
import { differences } from "./testing/differences.ts";

/** Longer than any watch of a scenario and any wait of the server lasts. */
const STEP_MS = 500;
const STEPS_MAX = 10_000;

/** Plays a scenario while time goes on. */
async function play(transport: Transport, clock: VirtualClock, scenario: Scenario): Promise<readonly Answer[]> {
  let isOver = false;
  const playing = runScenario(transport, scenario).finally(() => {
    isOver = true;
  });
  for (let step = 0; !isOver && step < STEPS_MAX; step++) await clock.elapse(STEP_MS);
  return playing;
}

const builtIn = builtInKinds();
const kindsByTable = new Map(builtIn.map((type) => [tableOf(type), type]));

const isListed = (scenario: string, shows: string) =>
  differences.some((each) => each.scenario === scenario && each.shows === shows);

describe("the contract on the embedded server", () => {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, rand: seededRand(1), builtIn });
  const transport = server.transport();
  const stored: Change[] = [];
  server.onCommit((change) => stored.push(change));

  beforeAll(async () => {
    await create(transport, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetDefinition);
  });

  test.each(scenarios)("$name", async (scenario) => {
    const answers = await play(transport, clock, scenario);
    const recorded = readRecording(scenario);
    expect(answers).toHaveLength(recorded.length);
    for (const [index, { shows, answer }] of recorded.entries()) {
      const given = { shows, answer: answers[index] };
      if (isListed(scenario.name, shows))
        expect(given, "a listed difference is gone: take it off").not.toEqual({ shows, answer });
      else expect(given).toEqual({ shows, answer });
    }
  });

  // Writes rely on that: they do not read again what an object repeats of its stored state.
  test("what was stored of the server's own kinds reads as itself", () => {
    const own = stored.filter(({ table, type }) => type !== "DELETED" && kindsByTable.has(table));
    const isItself = ({ table, object }: Change) => {
      const read = kindsByTable.get(table)?.rules.decode(object);
      return read?.ok === true && read.value === object && read.unknown.length === 0;
    };
    expect(own.length).toBeGreaterThan(100);
    expect(own.filter((change) => !isItself(change))).toEqual([]);
  });

  test("every listed difference is one of an exchange that exists", () => {
    const known = scenarios.flatMap(({ name, exchanges }) => exchanges.map(({ shows }) => `${name}: ${shows}`));
    expect(known).toEqual(expect.arrayContaining(differences.map(({ scenario, shows }) => `${scenario}: ${shows}`)));
  });
});

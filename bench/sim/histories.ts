// How many histories with faults a machine gets through: on one core, by processor time, so that a busy machine does not count; and on
// all cores, by the clock, as `npm run sim` runs them. Aims stand beside the figures; nothing fails when they are missed.
import { availableParallelism } from "node:os";
import { builtInKinds } from "../../sim/api-server/built-in/built-in-kinds.ts";
import { operatorScenario } from "../../sim/scenarios/operator/operator-scenario.ts";
import { smallOperatorScenario } from "../../sim/scenarios/operator/small-operator-scenario.ts";
import { runHistory } from "../../sim/simulator/run-history.ts";
import type { Scenario } from "../../sim/simulator/scenario.ts";
import { listScenarios } from "../../sim/simulator/scenarios.ts";
import { searchTogether } from "../../sim/simulator/search/search-together.ts";
import { startCrew } from "../../sim/simulator/search/worker-crew.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { type Figure, figureOf } from "../figure.ts";

type Work = {
  readonly what: string;
  readonly scenario: Scenario;
  /** Seeds that are run before any is counted: the first ones of a process cost two to three times as much. */
  readonly warmUp: number;
  readonly counted: number;
  readonly perCoreAim: number;
};

const US_PER_SECOND = 1e6;
const MS_PER_SECOND = 1e3;
const entry = new URL("../../sim/scenarios/simulate.ts", import.meta.url).href;

/** Histories per second of a toy, of the operator in a small cluster, and of the operator with everything. */
export async function historyFigures(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const work of works()) figures.push(await onOneCore(work), await onAllCores(work));
  return figures;
}

function works(): readonly Work[] {
  return [
    {
      what: "a toy controller, 3 nodes, 10 s of faults",
      scenario: named("toy-short"),
      warmUp: 400,
      counted: 600,
      perCoreAim: 100,
    },
    {
      what: "a toy controller, 3 nodes, 60 s of faults",
      scenario: named("toy-by-node-name"),
      warmUp: 100,
      counted: 200,
      perCoreAim: 100,
    },
    {
      ...{ what: "the operator, 5 nodes, 2 kernels", scenario: smallOperatorScenario() },
      ...{ warmUp: 30, counted: 60, perCoreAim: 10 },
    },
    {
      ...{ what: "two replicas, model controllers and kubelets, 5 nodes, 2 kernels", scenario: operatorScenario() },
      ...{ warmUp: 10, counted: 20, perCoreAim: 10 },
    },
  ];
}

function named(name: string): Scenario {
  const listed = listScenarios().find(({ scenario }) => scenario.name === name);
  if (listed === undefined) throw new Error(`there is no scenario "${name}"; see sim/simulator/scenarios.ts`);
  return listed.scenario;
}

async function onOneCore({ what, scenario, warmUp, counted, perCoreAim }: Work): Promise<Figure> {
  const builtIn = builtInKinds();
  const run = async (first: number, count: number) => {
    for (let seed = first; seed < first + count; seed++) await runHistory({ scenario, source: { seed }, builtIn });
  };
  await run(1, warmUp);
  const start = process.cpuUsage();
  await run(warmUp + 1, counted);
  const { user, system } = process.cpuUsage(start);
  const value = counted / ((user + system) / US_PER_SECOND);
  return perSecond(`histories per second and core: ${what}`, value, perCoreAim);
}

async function onAllCores({ what, scenario, warmUp, counted, perCoreAim }: Work): Promise<Figure> {
  const cores = availableParallelism();
  const crew = startCrew({ entry, args: ["--scenario", scenario.name], count: cores });
  await Promise.all(crew.map((searcher) => searcher.search({ first: 1, count: warmUp })));
  const clock = nodeClock();
  const startMs = clock.monotonicMs();
  const seeds = { first: warmUp + 1, count: counted * cores };
  const { histories } = await searchTogether({ seeds, crew, progress: () => undefined });
  const value = histories / ((clock.monotonicMs() - startMs) / MS_PER_SECOND);
  return perSecond(`histories per second on ${cores} cores: ${what}`, value, perCoreAim * cores);
}

function perSecond(name: string, value: number, aim: number): Figure {
  return figureOf({ name, unit: "/s", yardstick: "the aim", rounds: [{ value, yardstick: aim }] });
}

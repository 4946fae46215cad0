// Whole clusters in this process, for information: how long until all nodes are ready, and how many short histories with faults
// a core gets through. Aims stand beside the figures; nothing fails when they are missed.
import { operatorScenario } from "../../e2e/controllers/operator-scenario.ts";
import { createApiServer } from "../../sim/api-server/api-server.ts";
import { builtInKinds } from "../../sim/api-server/built-in/built-in-kinds.ts";
import { startControllers } from "../../sim/controllers/start-controllers.ts";
import { mixedFleet } from "../../sim/fleets/mixed-fleet.ts";
import { startNodes } from "../../sim/nodes/start-nodes.ts";
import { seededRand } from "../../sim/seeded-rand.ts";
import { runHistory } from "../../sim/simulator/run-history.ts";
import type { Scenario } from "../../sim/simulator/scenario.ts";
import { listScenarios } from "../../sim/simulator/scenarios.ts";
import { nodeClock } from "../../src/runtime/node-clock.ts";
import { type Figure, figureOf } from "../figure.ts";

const aims = [
  { nodes: 200, seconds: 0.5 },
  { nodes: 5_000, seconds: 5 },
] as const;
const HISTORIES = 20;
const HISTORIES_PER_SECOND_AIM = 10;
const US_PER_SECOND = 1e6;
const MS_PER_SECOND = 1e3;

/** Seconds to ready clusters, and histories per second. */
export async function clusterFigures(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { nodes, seconds } of aims) {
    const value = await secondsUntilReady(nodes);
    const rounds = [{ value, yardstick: seconds }];
    figures.push(figureOf({ name: `from start to ${nodes} ready nodes`, unit: "s", yardstick: "the aim", rounds }));
  }
  const toy = listScenarios().find(({ scenario }) => scenario.name === "toy-by-node-name")?.scenario;
  const histories = [
    await historiesFigure("the operator, two replicas with a toy kind", operatorScenario()),
    ...(toy === undefined ? [] : [await historiesFigure("a toy controller", toy)]),
  ];
  return [...figures, ...histories];
}

/** Server, controllers and kubelets from nothing, on the clock of the machine. */
async function secondsUntilReady(count: number): Promise<number> {
  const clock = nodeClock();
  const startMs = clock.monotonicMs();
  const rand = seededRand(1);
  const server = createApiServer({ clock, rand });
  const controllers = startControllers({ transport: server.transport(), clock, rand });
  const nodes = startNodes({ transport: server.transport(), clock, rand, fleet: mixedFleet({ count }) });
  await nodes.ready;
  const seconds = (clock.monotonicMs() - startMs) / MS_PER_SECOND;
  await Promise.all([nodes.stop(), controllers.stop()]);
  return seconds;
}

/** Per second of processor time, so that a busy machine does not count. */
async function historiesFigure(who: string, scenario: Scenario): Promise<Figure> {
  const builtIn = builtInKinds();
  const start = process.cpuUsage();
  for (let seed = 1; seed <= HISTORIES; seed++) await runHistory({ scenario, source: { seed }, builtIn });
  const { user, system } = process.cpuUsage(start);
  const value = HISTORIES / ((user + system) / US_PER_SECOND);
  const name = `histories per second and core: 5 nodes, 2 kernels, faults on, ${who}`;
  return figureOf({ name, unit: "/s", yardstick: "the aim", rounds: [{ value, yardstick: HISTORIES_PER_SECOND_AIM }] });
}

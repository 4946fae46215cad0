// Whole clusters in this process, for information: how long until all nodes are ready. Aims stand beside the figures; nothing fails
// when they are missed.
import { createApiServer } from "../../sim/api-server/api-server.ts";
import { startControllers } from "../../sim/controllers/start-controllers.ts";
import { mixedFleet } from "../../sim/fleets/mixed-fleet.ts";
import { startNodes } from "../../sim/nodes/start-nodes.ts";
import { seededRand } from "../../sim/seeded-rand.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { type Figure, figureOf } from "../figure.ts";

const aims = [
  { nodes: 200, seconds: 0.5 },
  { nodes: 5_000, seconds: 5 },
] as const;
const MS_PER_SECOND = 1e3;

/** Seconds to ready clusters. */
export async function clusterFigures(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { nodes, seconds } of aims) {
    const value = await secondsUntilReady(nodes);
    const rounds = [{ value, yardstick: seconds }];
    figures.push(figureOf({ name: `from start to ${nodes} ready nodes`, unit: "s", yardstick: "the aim", rounds }));
  }
  return figures;
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

// The operator's limits as a seed may turn them. None of them may cost more than time: who looks after fewer things at once, lists
// more often, gives up sooner and takes objects in any order still ends where all others end.

import type { OperatorLimits } from "../../../src/controllers/loop/create-operator.ts";
import { KIND_LIMITS } from "../../../src/controllers/loop/run-kind.ts";
import { APPLY_LIMITS } from "../../../src/controllers/perform/apply-plan.ts";
import { CACHE_LIMITS } from "../../../src/kube/cache/cache-limits.ts";
import { drawSettings, type Oddities, oddSettings } from "../../simulator/faults/odd-settings.ts";
import type { World } from "../../simulator/world.ts";

const table = {
  // Pages with room for hardly anything, and lists at every opportunity.
  pageSize: [1, 2, 3],
  relistMs: [3_000, 20_000],
  doubtedMin: [0],
  // Early timeouts: of answers, pages, silent streams, passes and whole watches.
  answerMs: [300, 1_500],
  pageMs: [500, 3_000],
  silenceMs: [4_000, 20_000],
  passMs: [2_000, 10_000],
  watchSeconds: [1, 5],
  // Small batches, one at a time, in any order.
  stepsMax: [1, 2],
  inFlightMax: [1],
  workers: [1],
  anyOrder: [1],
  spacingMs: [0, 3_000],
  // Short waits. The ledger keeps its times: it must remember for longer than a cache may be silent, and safety rests on that.
  lookAgainMaxMs: [1_000],
  stalledMs: [2_000],
  barrenWatchesMax: [1],
};

/** The odd settings of a replica, each a fault of its own. */
export const oddLimits = (role: string) => oddSettings(role, table);

/** The limits of the life that begins. */
export function drawLimits(world: World, role: string): Partial<OperatorLimits> {
  return limitsOf(drawSettings(world.faults, role, table));
}

function limitsOf(odd: Oddities<typeof table>): Partial<OperatorLimits> {
  const { kind, apply, cache } = { kind: KIND_LIMITS, apply: APPLY_LIMITS, cache: CACHE_LIMITS };
  const { pageSize, relistMs, doubtedMin, answerMs, pageMs, silenceMs, barrenWatchesMax } = { ...cache, ...odd };
  const { watchSeconds = cache.watchMinSeconds } = odd;
  const { workers, passMs, lookAgainMaxMs, stalledMs } = { ...kind, ...odd };
  const { stepsMax, inFlightMax } = { ...apply, ...odd };
  const spacingMs = odd.spacingMs ?? kind.queue.spacingMs;
  return {
    apply: { stepsMax, inFlightMax },
    kind: {
      ...{ workers, passMs, lookAgainMaxMs, stalledMs },
      queue: { ...kind.queue, spacingMs, order: odd.anyOrder === undefined ? "oldest" : "any" },
    },
    cache: {
      ...{ pageSize, relistMs, doubtedMin, answerMs, pageMs, silenceMs, barrenWatchesMax },
      ...{
        watchMinSeconds: watchSeconds,
        watchMaxSeconds: Math.max(watchSeconds, odd.watchSeconds ?? cache.watchMaxSeconds),
      },
    },
  };
}

// How fast the models of a cluster's own parts may tell what they do: faster than an operator, which keeps to EVENT_LIMITS.
import { EVENT_LIMITS, type EventLimits } from "../../src/runtime/log/event-recorder.ts";

/**
 * All kubelets of a fleet share one recorder, where each real one has its own, and the models act faster than real parts. So a
 * workload on some hundred nodes is told at once, on some thousand within a minute, and the API is never kept busy by news alone.
 */
export const MODEL_EVENT_LIMITS: EventLimits = {
  ...EVENT_LIMITS,
  inTotal: { burst: 2_000, perSecond: 500 },
  rememberedMax: 20_000,
  pendingMax: 20_000,
};

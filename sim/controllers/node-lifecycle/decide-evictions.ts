// When a pod has to leave a node because of its NoExecute taints: at once when it tolerates one of them not at all, after the
// shortest of its tolerationSeconds otherwise, never when it tolerates all of them for good.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { parseTaints, parseTolerations, toleratesTaint } from "../../../src/core/scheduling/taints.ts";
import { listAt, numberAt } from "../../api-server/api-object.ts";
import type { PodView } from "../pod-view.ts";

const options = { comparisonOperators: false };

export type TimedTaint = { readonly taint: JsonObject; readonly sinceMs: number };

/** The moment at which the pod must go; undefined when it may stay. */
export function evictionMs(pod: PodView, taints: readonly TimedTaint[], nowMs: number): number | undefined {
  const tolerations = listAt(pod.placement, "tolerations").filter(isJsonObject);
  const deadlines: number[] = [];
  for (const { taint, sinceMs } of taints) {
    const [parsed] = parseTaints([taint]);
    if (parsed?.effect !== "NoExecute") continue;
    const fitting = tolerations.filter((written) =>
      parseTolerations([written], options).some((toleration) => toleratesTaint(toleration, parsed)),
    );
    if (fitting.length === 0) return nowMs;
    for (const written of fitting) {
      const seconds = numberAt(written, "tolerationSeconds");
      if (seconds !== undefined) deadlines.push(sinceMs + Math.max(0, seconds) * 1000);
    }
  }
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

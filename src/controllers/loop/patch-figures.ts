// The figures of patches, under the names of the proposal that patches come from. Each set has its own series, up to a limit; all
// further ones share one.
import type { ObjectName } from "../../kinds/kind.ts";
import { boundedLabel } from "../../runtime/metrics/bounded-label.ts";
import { addCounter, addHistogram } from "../../runtime/metrics/figures.ts";
import type { Metrics } from "../../runtime/metrics/metrics.ts";
import type { OnReview } from "./reconcile.ts";

/** Sets with series of their own. */
const SETS_MAX = 50;
/** Sets of which it is remembered which nodes were refused; beyond that, a node may be counted again. */
const REMEMBERED_MAX = 1_000;
const BUCKETS = [0.0001, 0.0005, 0.001, 0.005, 0.02, 0.1, 0.5];
const OTHER = "other";
const SECOND = 1_000;

/** Adds the figures; what it returns is to be told of each pass. */
export function addPatchFigures(metrics: Metrics): OnReview {
  const labels = ["namespace", "daemonset", "result"] as const;
  const applied = addCounter(metrics, {
    ...{ name: "daemonset_patches_applied_total", labels },
    help: "Pods that were created or updated in place with patches.",
  });
  const errors = addCounter(metrics, {
    ...{ name: "daemonset_patches_errors_total", labels },
    help: "Nodes whose patches could not be applied, and pods with patches that the API server refused.",
  });
  const took = addHistogram(metrics, {
    ...{ name: "daemonset_patches_duration_seconds", labels: ["namespace", "daemonset"] as const, buckets: BUCKETS },
    help: "Time of a decision that applied patches: matching, rendering and everything else.",
  });
  const labelsOf = boundedNames();
  const remembered = new Map<string, ReadonlySet<string>>();
  return ({ name, review: { tallies, refused }, tookMs }) => {
    const set = labelsOf(name);
    for (const { of, result, count } of tallies) (of === "applied" ? applied : errors)({ ...set, result }, count);
    const fresh = newAmong(refused, name, remembered);
    if (fresh > 0) errors({ ...set, result: "unrendered" }, fresh);
    if (tallies.length > 0 || refused.length > 0) took(set, tookMs / SECOND);
  };
}

function boundedNames(): (name: ObjectName) => { readonly namespace: string; readonly daemonset: string } {
  const bounded = boundedLabel(SETS_MAX);
  return ({ namespace, name }) =>
    bounded(`${namespace}/${name}`) === OTHER ? { namespace: OTHER, daemonset: OTHER } : { namespace, daemonset: name };
}

/** How many nodes are refused that were not at the last pass: a node that stays refused is one error, however often it is looked at. */
function newAmong(
  refused: readonly string[],
  { namespace, name }: ObjectName,
  remembered: Map<string, ReadonlySet<string>>,
) {
  const key = `${namespace}/${name}`;
  const before = remembered.get(key);
  if (refused.length === 0) {
    remembered.delete(key);
    return 0;
  }
  if (before !== undefined || remembered.size < REMEMBERED_MAX) remembered.set(key, new Set(refused));
  return refused.filter((node) => before?.has(node) !== true).length;
}

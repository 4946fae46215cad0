// The DaemonSets of a Module's device plugin: one for its present version, and those of earlier versions as long as a node has a driver
// of that version.

import type { Step } from "../../../core/decision/step.ts";
import { type BringingReason, bringWorkload } from "../../../core/rollout/bring-workload.ts";
import { prune } from "../../../core/rollout/prune.ts";
import type { Workload } from "../../../core/rollout/workload.ts";
import { labelIn, VERSION, versionReadyLabel } from "../module-labels.ts";
import type { Observed } from "../observe.ts";
import { renderPlugin } from "../render.ts";
import { PRUNE_GRACE_MS } from "./prune-drivers.ts";

export type BroughtPlugins = {
  readonly steps: readonly Step[];
  readonly done: ReadonlyMap<string, BringingReason>;
  /** The one for the present version, if it is there. */
  readonly current: Workload | undefined;
  readonly conflict: string | undefined;
  readonly lookAgainAtMs: number | undefined;
};

/** Decides about all DaemonSets of the device plugin. */
export function bringPlugins(observed: Observed, nowMs: number): BroughtPlugins {
  const { known, stored, plugins } = observed;
  const { devicePlugin } = known.module;
  if (devicePlugin === undefined) {
    const steps = plugins.flatMap((plugin) =>
      plugin.isLeaving ? [] : [deletion(plugin, "the Module has no device plugin")],
    );
    return { steps, done: new Map(), current: undefined, conflict: undefined, lookAgainAtMs: undefined };
  }
  const wanted = known.wanted("plugin", () => renderPlugin(known.module, devicePlugin, stored));
  const current = plugins.find(({ name }) => name === wanted.body.metadata.name);
  const bringing = bringWorkload(wanted, current, current === undefined ? undefined : observed.pluginHash(current));
  const steps: Step[] = bringing.is === "step" ? [bringing.step] : [];
  let lookAgainAtMs: number | undefined;
  for (const plugin of plugins) {
    if (plugin === current) continue;
    const pods = observed.snapshot.podsOf(plugin.uid).length;
    const use = { isWanted: false, boundNodes: nodesOfVersion(observed, plugin), pods };
    const answer = prune(plugin, use, PRUNE_GRACE_MS, nowMs);
    if (answer.step !== undefined) steps.push(answer.step);
    lookAgainAtMs = earlier(lookAgainAtMs, answer.lookAgainAtMs);
  }
  return {
    ...{ steps, current, lookAgainAtMs },
    done: bringing.is === "step" ? new Map([[wanted.body.metadata.name, bringing.reason]]) : new Map(),
    conflict: bringing.is === "taken" ? bringing.because : undefined,
  };
}

/** The earlier of two instants, either of which may be never. */
export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

/** The nodes on which a plugin of an earlier version still has its driver. */
function nodesOfVersion({ known, snapshot }: Observed, { annotations }: Workload): number {
  const version = labelIn(annotations, VERSION);
  const label = versionReadyLabel(known.module);
  if (version === undefined) return 0;
  return snapshot.nodes.reduce((count, { labels }) => count + (labelIn(labels, label) === version ? 1 : 0), 0);
}

function deletion({ namespace, name, uid }: Workload, why: string): Step {
  const target = { apiVersion: "apps/v1", kind: "DaemonSet", namespace, name };
  return { do: "delete", target, uid, propagation: "Background", why };
}

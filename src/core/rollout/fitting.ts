// Fitting: which nodes are bound to which of an object's workloads next, between resolving (what a node wants) and the plan (labels and
// deletes). A hand-over is unbinding, the old pod's end, binding; all of it within the one budget of the object.
//
// Guarantees: a node that serves is taken only within the budget of its family; nothing is bound while a pod of another workload is on
// the node, nor to a workload that is not there; a wish that differs from what a node is bound to is acted upon when it has lasted.
// Assumes: a native DaemonSet has the update strategy OnDelete and selects nodes by the label, so that unbinding takes its pod away.

import type { Hold } from "../decision/plan.ts";
import { scaled } from "../values/int-or-percent.ts";
import { type Berth, type Family, openKeyOf, type Standing, standingOf } from "./berth.ts";
import { type Pace, pace, type Slot } from "./pace.ts";

export type Fitting<Pod> = {
  readonly binds: readonly { readonly node: string; readonly key: string; readonly why: string }[];
  readonly unbinds: readonly { readonly node: string; readonly why: string }[];
  readonly deletes: readonly { readonly node: string; readonly pod: Pod; readonly why: string }[];
  /** Nodes that should change and may not yet. */
  readonly held: readonly Hold[];
  /** Nodes that are bound as they should be, and whose pod does not serve yet. */
  readonly starting: readonly Hold[];
  /** Nodes that are bound or unbound once more, and did not take that the last time. */
  readonly refused: readonly Hold[];
  /** The instant at which the answer may differ although nothing was written; undefined if never. */
  readonly lookAgainAtMs: number | undefined;
};

/** Decides for all nodes of a family; `berths` come in the order in which they may be taken, and those at rest may be left out. */
export function fitNodes<Pod>(berths: readonly Berth<Pod>[], family: Family, nowMs: number): Fitting<Pod> {
  const ground = { family, openKey: openKeyOf(family), nowMs };
  const stood = berths.map((berth) => ({ berth, standing: standingOf(berth, ground) }));
  const { maxUnavailable, maxParallel, isPaused } = family.strategy;
  const limit = atLeastOne(scaled(maxUnavailable, family.nodeCount, "up"));
  const movingMax = atLeastOne(scaled(maxParallel, family.nodeCount, "up"));
  const growing = growingKeys(stood);
  const paced = pace(
    stood.flatMap(({ berth, standing }) => slotOf(berth, standing, growing)),
    { counts: "unavailable", limit, movingMax, isPaused },
  );
  return fittingOf(stood, paced);
}

/** The workloads that nodes are yet to be updated or moved to: a node that fails with one of them speaks against going on. */
function growingKeys<Pod>(stood: Stood<Pod>): ReadonlySet<string> {
  return new Set(
    stood.flatMap(({ standing }) => (standing.is === "outdated" || standing.is === "misfit" ? [standing.key] : [])),
  );
}

/** What the budget must know of a node; one at rest changes nothing in it. */
function slotOf<Pod>(
  { node, isNodeReady, refusal }: Berth<Pod>,
  standing: Standing<Pod>,
  growing: ReadonlySet<string>,
): readonly Slot[] {
  const isResisting = refusal !== undefined;
  const slot = { node, isNodeReady, isResisting, isOutdated: false, isServing: false, isMoving: false };
  switch (standing.is) {
    case "at rest":
      return [];
    case "unbind":
      return standing.isMissed === true ? [{ ...slot, isMoving: true }] : [];
    case "bind":
      return [{ ...slot, isServing: standing.isServing, isMoving: true }];
    case "moving": {
      const { failedKey } = standing;
      const isUpdatedUnavailable = failedKey !== undefined && growing.has(failedKey);
      return [{ ...slot, isMoving: isNodeReady || isUpdatedUnavailable, isUpdatedUnavailable }];
    }
    case "held":
      return standing.isCounted ? [{ ...slot, isServing: standing.isServing }] : [];
    case "misfit":
    case "outdated":
      return [{ ...slot, isServing: standing.isServing, isOutdated: true }];
  }
}

type Stood<Pod> = readonly { readonly berth: Berth<Pod>; readonly standing: Standing<Pod> }[];

function fittingOf<Pod>(stood: Stood<Pod>, paced: Pace): Fitting<Pod> {
  const taken = new Set(paced.moves);
  const binds: Fitting<Pod>["binds"][number][] = [];
  const unbinds: Fitting<Pod>["unbinds"][number][] = [];
  const deletes: Fitting<Pod>["deletes"][number][] = [];
  const held: Hold[] = [...paced.held];
  const starting: Hold[] = [];
  let lookAgainAtMs = Number.POSITIVE_INFINITY;
  for (const { berth, standing } of stood) {
    const { node } = berth;
    if ("atMs" in standing && standing.atMs !== undefined) lookAgainAtMs = Math.min(lookAgainAtMs, standing.atMs);
    if (standing.is === "bind") binds.push({ node, key: standing.key, why: `${node} ${standing.why}` });
    else if (standing.is === "unbind") unbinds.push({ node, why: `${node} ${standing.why}` });
    else if (standing.is === "held") held.push({ node, reason: standing.reason, because: standing.because });
    else if (standing.is === "moving") {
      const list = standing.reason === "HandOver" ? held : starting;
      list.push({ node, reason: standing.reason, because: standing.because });
    } else if (standing.is === "misfit" && taken.has(node)) unbinds.push({ node, why: `${node} ${standing.why}` });
    else if (standing.is === "outdated" && taken.has(node)) {
      for (const pod of standing.pods)
        deletes.push({ node, pod, why: `its pod on ${node} is not as the template says` });
    }
  }
  const isNever = lookAgainAtMs === Number.POSITIVE_INFINITY;
  const refused = refusedIn(stood, [...binds, ...unbinds]);
  return { binds, unbinds, deletes, held, starting, refused, lookAgainAtMs: isNever ? undefined : lookAgainAtMs };
}

function refusedIn<Pod>(stood: Stood<Pod>, tried: readonly { readonly node: string }[]): readonly Hold[] {
  const refusals = new Map(
    stood.flatMap(({ berth: { node, refusal } }) => (refusal ? [[node, refusal] as const] : [])),
  );
  return tried.flatMap(({ node }) => {
    const refusal = refusals.get(node);
    return refusal === undefined ? [] : [{ node, ...refusal }];
  });
}

/** Rounding must not bring everything to a halt. */
function atLeastOne(count: number): number {
  return Math.max(1, count);
}

// What a set claims of itself: Ready, Reconciling and Stalled as tools expect them, RolledOut and ImagesAvailable for people.
import type { Claim } from "../../core/decision/conditions.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import { counted } from "../../core/values/counted.ts";
import type { NodeCounts, Trouble } from "./count-nodes.ts";
import type { Decided } from "./decide.ts";
import { isPassing } from "./node-outcome.ts";

/** What people should read first when several things keep a set from being ready. */
const gravest: readonly Reason[] = [
  ...([
    "InvalidSpec",
    "NameConflict",
    "SurplusWorkload",
    "VariantLimitReached",
    "ImageInvalid",
    "ImageMissing",
  ] as const),
  ...(["ImageUnreachable", "Forbidden", "LabelContested", "NodeNotReady", "FactUnknown", "PausedByUser"] as const),
];

/** The claims about a set. */
export function claimsOf(decided: Decided, counts: NodeCounts, troubles: readonly Trouble[]): readonly Claim[] {
  const hindering = troubles.filter(({ outcome }) => outcome.is === "held" || outcome.is === "unknown");
  return [
    readyClaim(counts, hindering),
    reconcilingClaim(hindering),
    stalledClaim(decided, troubles),
    rolledOutClaim(decided, hindering),
    ...imageClaims(decided),
  ];
}

function readyClaim({ inScope, fitted, held, unknown }: NodeCounts, hindering: readonly Trouble[]): Claim {
  const type = "Ready";
  if (inScope === 0) {
    return { type, status: "True", reason: "SelectorMatchesNothing", message: "no node is in scope" };
  }
  const message = `${fitted} of ${inScope} nodes are fitted, ${held} are held, ${unknown} have unknown facts`;
  if (held + unknown === 0) return { type, status: "True", reason: "AllNodesFitted", message };
  const worst = gravest.find((reason) => hindering.some(({ outcome }) => outcome.reason === reason));
  const isBusy = hindering.some(({ outcome }) => isPassing(outcome.reason));
  const [lasting] = isBusy ? [] : hindering;
  const reason = worst ?? lasting?.outcome.reason ?? "Progressing";
  return { type, status: "False", reason, message };
}

function reconcilingClaim(hindering: readonly Trouble[]): Claim {
  const [busy] = hindering.filter(({ outcome }) => isPassing(outcome.reason));
  const type = "Reconciling";
  if (busy === undefined) return { type, status: "False", reason: "Succeeded", message: "" };
  return { type, status: "True", reason: "Progressing", message: `${busy.nodes} nodes: ${busy.outcome.because}` };
}

/** As far as the set itself goes; what the cluster refuses is added by whoever acts. */
function stalledClaim(decided: Decided, troubles: readonly Trouble[]): Claim {
  const type = "Stalled";
  const waits = [...decided.cells.values()].flatMap(({ workload }) => workload.wait ?? []);
  const taken = waits.find(({ reason }) => reason === "NameConflict");
  const beyond = waits.find(({ reason }) => reason === "VariantLimitReached");
  const surplus = troubles.find(({ outcome }) => outcome.reason === "SurplusWorkload")?.outcome;
  const stalled = taken ?? surplus ?? (beyond !== undefined && !isRoomComing(decided) ? beyond : undefined);
  if (stalled === undefined) return { type, status: "False", reason: "Succeeded", message: "" };
  return { type, status: "True", reason: stalled.reason, message: stalled.because };
}

/** A DaemonSet that nobody needs and no node is bound to will be pruned, and leaves its place to another. */
function isRoomComing({ cells, fleet }: Decided): boolean {
  return [...cells.values()].some(({ seen: { cell, workload, key } }) => {
    const isUnused = cell === undefined && workload !== undefined;
    return isUnused && (fleet.counts.get(key)?.bound ?? 0) === 0;
  });
}

function rolledOutClaim({ fitting }: Decided, hindering: readonly Trouble[]): Claim {
  const { held, starting, unbinds, deletes, binds } = fitting;
  const left = held.length + starting.length + unbinds.length + deletes.length + binds.length;
  const lost = hindering.filter(({ outcome }) => outcome.reason === "NodeNotReady");
  if (left === 0 && lost.length > 0) {
    const nodes = lost.reduce((sum, trouble) => sum + trouble.nodes, 0);
    const message = `${counted(nodes, "node is", "nodes are")} not Ready`;
    return { type: "RolledOut", status: "False", reason: "NodeNotReady", message };
  }
  if (left === 0) return { type: "RolledOut", status: "True", reason: "RolloutComplete", message: "" };
  return {
    type: "RolledOut",
    status: "False",
    reason: "RolloutInProgress",
    message: `${left} nodes are yet to change`,
  };
}

function imageClaims({ cells, observed }: Decided): readonly Claim[] {
  if (!observed.known.set.isImageRequired) return [];
  const type = "ImagesAvailable";
  const words: readonly Reason[] = ["ImageMissing", "ImageUnreachable", "WaitingForImage"];
  const wait = [...cells.values()]
    .flatMap(({ workload }) => workload.wait ?? [])
    .find(({ reason }) => words.includes(reason));
  if (wait === undefined) return [{ type, status: "True", reason: "ImagesAvailable", message: "" }];
  return [{ type, status: "False", reason: wait.reason, message: wait.because }];
}

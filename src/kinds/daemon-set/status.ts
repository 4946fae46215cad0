// The status of a set: Kruise's counters, conditions, and what became of the patches. It never grows with the fleet.
import { buildConditions, type Claim, storedConditions } from "../../core/decision/conditions.ts";
import type { Hold } from "../../core/decision/plan.ts";
import type { Problem } from "../../core/decision/problem.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { labelSelectorText } from "../../core/labels/label-selector.ts";
import { counted } from "../../core/values/counted.ts";
import { objectAt } from "../schema/json-parts.ts";
import { EXAMPLE_NODES_MAX, PROBLEM_GROUPS_MAX } from "../schema/status-schema.ts";
import type { AdvancedDaemonSet } from "./api/spec.ts";
import type { Counts } from "./counts.ts";
import { problemText } from "./resolve.ts";
import type { Surveyed } from "./rollout/survey.ts";

export type StatusInput = {
  readonly counts: Counts;
  readonly held: readonly Hold[];
  readonly nowMs: number;
};

/** Reasons of holds that only time or a person's wish explains; the rest is trouble. */
const patient: ReadonlySet<string> = new Set([
  ...["BudgetSpent", "RolloutPartitioned", "PausedByUser", "Settling", "HandOver", "NotSelected"],
  "WaitingForDeletion",
]);

/** The status of a set that could be read. */
export function statusOf(surveyed: Surveyed, input: StatusInput): JsonObject {
  const { object, set, history } = surveyed;
  const { counts, held, nowMs } = input;
  const { collisionCount, update } = history;
  return {
    observedGeneration: object.generation,
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    updatedNumberScheduled: counts.updated,
    numberAvailable: counts.available,
    numberUnavailable: counts.desired - counts.available,
    ...(collisionCount === undefined ? {} : { collisionCount }),
    updateRevision: update.hash,
    labelSelector: labelSelectorText(set.selector),
    conditions: conditionsOf(object, claimsOf(surveyed, input), nowMs),
    ...(set.patches.length === 0 ? {} : { patches: patchesOf(set, counts) }),
    ...problemsOf(held),
  };
}

/** The status of a set that breaks a rule: what was counted before stays. */
export function invalidStatus(object: StoredObject, problems: readonly Problem[], nowMs: number): JsonObject {
  const message = problemText(problems);
  const claims: readonly Claim[] = [
    { type: "Ready", status: "False", reason: "InvalidSpec", message },
    { type: "Reconciling", status: "False", reason: "InvalidSpec", message: "nothing is done until it is corrected" },
    { type: "Stalled", status: "True", reason: "InvalidSpec", message },
  ];
  return {
    ...{ currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0 },
    ...{ numberReady: 0, updatedNumberScheduled: 0 },
    ...objectAt(object.object, "status"),
    observedGeneration: object.generation,
    conditions: conditionsOf(object, claims, nowMs),
  };
}

/** Whether the stored status says already that the set breaks a rule. */
export function saysInvalid({ object }: StoredObject): boolean {
  const stalled = storedConditions(objectAt(object, "status").conditions).find(({ type }) => type === "Stalled");
  return stalled?.status === "True" && stalled.reason === "InvalidSpec";
}

/** What is wrong with patches where the stored status does not say so yet; empty otherwise. */
export function newlyRejected({ object, set, restless, rule }: Surveyed): string {
  const { status, message } = patchesClaim(set, restless, rule.arePatchesEnabled);
  const stored = storedConditions(objectAt(object.object, "status").conditions);
  const told = stored.find(({ type }) => type === "PatchesValid");
  return status === "False" && told?.message !== message ? message : "";
}

function conditionsOf(object: StoredObject, claims: readonly Claim[], nowMs: number): readonly JsonObject[] {
  const previous = objectAt(object.object, "status").conditions;
  return [...buildConditions({ previous, claims, generation: object.generation, nowMs })];
}

function claimsOf({ set, rule, restless }: Surveyed, { counts, held }: StatusInput): readonly Claim[] {
  const trouble = held.filter(({ reason }) => !patient.has(reason));
  const { scope } = counts;
  const isComplete = scope.available === scope.nodes && trouble.length === 0;
  const outdated = scope.nodes - scope.updated;
  const ready: Claim = {
    ...{ type: "Ready", status: isComplete ? "True" : "False" },
    reason: isComplete ? "AllNodesFitted" : (trouble[0]?.reason ?? "Progressing"),
    message: `${scope.available} of ${scope.nodes} nodes have an available pod`,
  };
  const waits = held.find(({ reason }) => patient.has(reason));
  const isWaited = outdated > 0 && held.filter(({ reason }) => isWished(reason)).length >= outdated;
  const isDone = isComplete && (outdated === 0 || isWaited);
  const reconciling: Claim = {
    ...{ type: "Reconciling", status: isDone ? "False" : "True" },
    ...(isDone ? { reason: "Succeeded", message: "" } : { reason: "Progressing", message: waits?.because ?? "" }),
  };
  return [
    ...[ready, reconciling],
    { type: "Stalled", status: "False", reason: "Succeeded", message: "" },
    patchesClaim(set, restless, rule.arePatchesEnabled),
    rolledOutClaim(counts, held),
    pausedClaim(set),
  ];
}

/** What a person asked for by the strategy, and nobody waits for. */
function isWished(reason: Hold["reason"]): boolean {
  return ["RolloutPartitioned", "PausedByUser", "NotSelected", "WaitingForDeletion"].includes(reason);
}

function patchesClaim(set: AdvancedDaemonSet, restless: Surveyed["restless"], areEnabled: boolean): Claim {
  const type = "PatchesValid";
  if (!areEnabled && set.patches.length > 0) {
    return {
      type,
      status: "Unknown",
      reason: "PatchesDisabled",
      message: `${counted(set.patches.length, "patch is", "patches are")} ignored`,
    };
  }
  // A node is not at rest as long as nothing can be rendered for it.
  const refused = restless.filter(({ placement }) => !placement.rendering.ok);
  const [first] = refused;
  const faults = set.patches.flatMap((patch) => patch.faults);
  if (first === undefined && faults.length === 0) {
    return { type, status: "True", reason: "PatchesValid", message: counted(set.patches.length, "patch", "patches") };
  }
  const problems = first?.placement.rendering.ok === false ? first.placement.rendering.problems : faults;
  const message = `${problemText(problems)}; ${counted(refused.length, "node is", "nodes are")} held`;
  return { type, status: "False", reason: "PatchRejected", message };
}

function rolledOutClaim({ scope }: Counts, held: readonly Hold[]): Claim {
  const message = `${scope.updated} of ${scope.nodes} nodes have the newest revision`;
  const isLost = held.some(({ reason }) => reason === "NodeNotReady");
  if (scope.updated === scope.nodes && !isLost)
    return { type: "RolledOut", status: "True", reason: "RolloutComplete", message };
  const wish = held.find(({ reason }) => isWished(reason));
  return { type: "RolledOut", status: "False", reason: wish?.reason ?? "RolloutInProgress", message };
}

function pausedClaim({ updateStrategy }: AdvancedDaemonSet): Claim {
  const isPaused = updateStrategy.kind === "RollingUpdate" && updateStrategy.isPaused;
  return isPaused
    ? { type: "Paused", status: "True", reason: "PausedByUser", message: "no node is updated" }
    : { type: "Paused", status: "False", reason: "Succeeded", message: "" };
}

function patchesOf({ patches }: AdvancedDaemonSet, { classes }: Counts): readonly JsonObject[] {
  const placed = [...classes].map(([places, count]) => ({ places: new Set(places.split(",")), count }));
  const indexes = patches.map(({ index }) => index).sort((a, b) => a - b);
  return indexes.map((index) => {
    const having = placed.filter(({ places }) => places.has(`${index}`)).map(({ count }) => count);
    const total = (of: (count: (typeof having)[number]) => number) => having.reduce((sum, each) => sum + of(each), 0);
    return { index, matched: total(({ nodes }) => nodes), updated: total(({ updated }) => updated) };
  });
}

/** Trouble by its cause, with a few of its nodes. */
function problemsOf(held: readonly Hold[]): JsonObject {
  const groups = new Map<string, Hold[]>();
  for (const hold of held) {
    if (patient.has(hold.reason)) continue;
    const key = `${hold.reason} ${hold.because}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [hold]);
    else group.push(hold);
  }
  if (groups.size === 0) return {};
  const problems = [...groups.values()].slice(0, PROBLEM_GROUPS_MAX).map((group) => ({
    ...{ reason: group[0]?.reason ?? "", message: group[0]?.because ?? "", nodes: group.length },
    examples: group.map(({ node }) => node).slice(0, EXAMPLE_NODES_MAX),
  }));
  return { problems };
}

// The decision about one set, as a plan: revisions first, then pods that are missing or should go, then updates within their
// budget, and last what the status and the events say.

import { type Hold, joinPlans, type Plan } from "../../core/decision/plan.ts";
import type { Problem } from "../../core/decision/problem.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import type { Step } from "../../core/decision/step.ts";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { DaemonPod } from "../../core/pod/daemon-pod.ts";
import { scaled } from "../../core/values/int-or-percent.ts";
import { objectAt, specOf } from "../schema/json-parts.ts";
import { isSurging } from "./api/spec.ts";
import { countNodes } from "./counts.ts";
import { eventSteps } from "./events.ts";
import { type InPlaceProgress, tendInPlace } from "./in-place/in-place.ts";
import type { Resizing } from "./in-place/in-place-resize.ts";
import { createInPlaceMover, type InPlaceMover } from "./in-place/move-in-place.ts";
import type { Observed } from "./observe.ts";
import { setRef } from "./pods/claim.ts";
import { type Deletion, deletion } from "./pods/deletion.ts";
import { fencedSteps } from "./pods/fenced-steps.ts";
import { isPreparingDelete } from "./pods/lifecycle.ts";
import { type Creation, type ManageRule, manageNode, type Need, NO_NEED, nextPod } from "./pods/manage.ts";
import { isAvailable, podsOn } from "./pods/node-pods.ts";
import { rolloutBusyUntilMs } from "./pods/other-wishes.ts";
import type { Binding } from "./pods/pod-body.ts";
import { REVISION_HASH } from "./pods/pod-keys.ts";
import { repairSteps } from "./pods/repair.ts";
import { replicasSteps } from "./pods/replicas.ts";
import { createSteps, endPods } from "./pods/steps.ts";
import { cleanHistory } from "./revision/history.ts";
import { lostNodeHolds } from "./rollout/lost-nodes.ts";
import { paceMarked } from "./rollout/pace-marked.ts";
import { type Surveyed, surveyNodes } from "./rollout/survey.ts";
import { paceUpdate, partitionOf, type Update } from "./rollout/update.ts";
import { invalidStatus, newlyRejected, saysInvalid, statusOf } from "./status.ts";

export type DecideOptions = {
  readonly binding: Binding;
  /** Whether updates in place may change cpu and memory. */
  readonly resizing: Resizing;
};

/** Decides about a set that could be read. */
export function decideSet(observed: Observed, nowMs: number, options: DecideOptions): Plan {
  const { object, set, desired, history, claims } = observed;
  const surveyed = surveyNodes(observed, nowMs);
  if (observed.isAdopting) return decideAdopting(surveyed, nowMs);
  const burst = Math.max(1, scaled(set.burst, desired.length, "down"));
  const rule = manageRule(observed, nowMs);
  const managed = manage(surveyed, rule);
  const update = paceUpdate({
    ...{ ...surveyed, desired: desired.length, burst, nowMs },
    busyUntilMs: () => rolloutBusyUntilMs(observed, nowMs),
  });
  const taken = takeNodes(update, rule, createInPlaceMover(observed, options));
  const scaling = holdByPartition(managed.creations, observed);
  const marked = paceMarked(managed.deletions, surveyed, rule);
  const deletions = distinct([...marked.deletions, ...taken.deletions]).slice(0, burst);
  const endingRule = { hook: set.preDelete, labelKeys: observed.resolver.labelKeys, nowMs };
  const ending = endPods(deletions, endingRule);
  const creations = [...scaling.creations, ...taken.creations].slice(0, burst);
  const made = createSteps(creations, { observed, binding: options.binding, ...endingRule });
  const gone = [...deletions, ...creations.flatMap(({ replaces }) => replaces ?? [])];
  const endSteps = [...ending.steps, ...made.ends.steps];
  const busy = new Set([...gone, ...taken.inPlace].map(({ pod }) => pod.uid));
  const tending = tendPods(surveyed, busy, nowMs);
  const counts = countNodes(surveyed, nowMs);
  const holds = [managed, scaling, update, taken, marked, ending, made.ends].flatMap((part) => part.held);
  const held = firstHolds([...holds, ...lostNodeHolds(surveyed, nowMs)]);
  const inPlace = taken.inPlace.flatMap(({ pod, progress, isFenced }) =>
    isFenced ? fencedSteps(progress.steps, pod) : progress.steps,
  );
  const cleaning = cleanHistory(history, {
    ...{ set: object, kept: set.revisionsKept, inUse: () => revisionsInUse(observed.pods) },
    ...{ aloneSinceMs: observed.wishSinceMs, nowMs },
  });
  const replicas = replicasSteps(observed);
  const steps: readonly Step[] = [
    ...[...history.steps, ...claims, ...made.creates, ...endSteps, ...inPlace, ...tending.steps],
    ...repairSteps(surveyed, { max: burst, busy: new Set([...busy, ...tending.uids]) }),
    ...cleaning.steps,
    ...eventSteps(object, { deletions: gone, ending: endSteps, rejected: newlyRejected(surveyed), held: holds }),
    // A status is for the very version of the set, of which the number makes another.
    ...(replicas.length > 0 ? replicas : statusSteps(object, statusOf(surveyed, { counts, held, nowMs }))),
  ];
  const looks = [managed, marked, update, taken, tending, ending, made.ends, cleaning].map(
    ({ lookAgainAtMs }) => lookAgainAtMs,
  );
  const plans = [...looks, counts.availableAtMs].map((at): Plan => ({ steps: [], held: [], ...looking(at) }));
  return joinPlans([{ steps, held }, ...plans]);
}

/** Until what is adopted is the set's own, nothing is done about it; but people can see how things are, however long that takes. */
function decideAdopting(surveyed: Surveyed, nowMs: number): Plan {
  const { object, claims } = surveyed;
  const counts = countNodes(surveyed, nowMs);
  return joinPlans([
    {
      steps: [
        ...claims,
        ...statusSteps(object, statusOf(surveyed, { counts, held: lostNodeHolds(surveyed, nowMs), nowMs })),
      ],
      held: [],
    },
  ]);
}

/** Decides about a set that breaks a rule: it says so, and what runs goes on. */
export function decideInvalid(object: StoredObject, problems: readonly Problem[], nowMs: number): Plan {
  const status = invalidStatus(object, problems, nowMs);
  const message = problems.map(({ path, message: text }) => `${path}: ${text}`)[0] ?? "";
  const about = setRef(object);
  const why = "the stored set breaks a rule";
  const reason = selectsAll(object) ? "SelectingAll" : "InvalidSpec";
  const event: Step = { do: "event", about, severity: "Warning", reason, message, why };
  return joinPlans([{ steps: [...(saysInvalid(object) ? [] : [event]), ...statusSteps(object, status)], held: [] }]);
}

/** Kruise's word for it is the one that people search for. */
function selectsAll({ object }: StoredObject): boolean {
  const selector = specOf(object).selector;
  return isJsonObject(selector) && Object.values(selector).every(isEmpty);
}

function isEmpty(part: Json): boolean {
  return part === null || (typeof part === "object" && Object.keys(part).length === 0);
}

type Managed = {
  readonly creations: readonly Creation[];
  readonly deletions: readonly Deletion[];
  readonly held: readonly Hold[];
  readonly lookAgainAtMs: number | undefined;
};

function manageRule({ object, set, aloneSinceMs, wishSinceMs, strayUid }: Observed, nowMs: number): ManageRule {
  return {
    ...{ set: object, minReadySeconds: set.minReadySeconds, isSurging: isSurging(set) },
    ...{ aloneSinceMs, wishSinceMs, strayUid, nowMs },
  };
}

function manage({ restless, others, adrift }: Surveyed, rule: ManageRule): Managed {
  const needs: Need[] = [];
  for (const views of [restless, others]) {
    for (const view of views) {
      const need = manageNode(view, rule);
      if (need !== NO_NEED) needs.push(need);
    }
  }
  const gone = adrift.filter(isLost).map((pod) => deletion(pod, "lost"));
  const { deletions, ...rest } = gather(needs);
  return { ...rest, deletions: [...deletions, ...gone] };
}

/** A pod that was bound to a node that is gone is for Kubernetes to collect; nobody but us knows whom an unbound one waits for. */
function isLost({ isBound, isLeaving, node }: DaemonPod): boolean {
  return !isBound && !isLeaving && node !== "";
}

function gather(needs: readonly Need[]): Managed {
  const looks = needs.flatMap(({ lookAgainAtMs }) => lookAgainAtMs ?? []);
  return {
    creations: needs.flatMap(({ creation }) => creation ?? []),
    deletions: needs.flatMap(({ deletions }) => deletions),
    held: needs.flatMap(({ hold }) => hold ?? []),
    lookAgainAtMs: looks.length === 0 ? undefined : Math.min(...looks),
  };
}

type InPlaceMove = { readonly pod: DaemonPod; readonly progress: InPlaceProgress; readonly isFenced: boolean };
type Taken = Managed & { readonly inPlace: readonly InPlaceMove[] };

/** What is done to the nodes that pacing has chosen: another pod beside the old one, a change in place, or a new start. */
function takeNodes({ moves }: Update, rule: ManageRule, mover: InPlaceMover): Taken {
  if (rule.isSurging) return { ...gather(moves.map((view) => nextPod(view, rule))), inPlace: [] };
  const needs: Need[] = [];
  const inPlace: InPlaceMove[] = [];
  for (const view of moves) {
    const [pod] = view.old;
    const progress = pod && mover(view, rule.nowMs);
    if (pod === undefined) continue;
    // What serves is taken within the budget; what does not is free, as long as that is so.
    const isFenced = !isAvailable(pod, rule.minReadySeconds, rule.nowMs);
    if (progress === undefined) needs.push({ deletions: [deletion(pod, "outdated", { isFenced })] });
    else {
      inPlace.push({ pod, progress, isFenced });
      needs.push(waitingNeed(view.node.name, progress));
    }
  }
  return { ...gather(needs), inPlace };
}

function waitingNeed(node: string, { is, because, lookAgainAtMs }: InPlaceProgress): Need {
  const look = lookAgainAtMs === undefined ? {} : { lookAgainAtMs };
  return { deletions: [], ...look, ...(is === "waiting" ? { hold: { node, reason: "Progressing", because } } : {}) };
}

/** Goes on with updates in place that have begun, and opens the gates of new pods. */
function tendPods({ restless, others, adrift }: Surveyed, busy: ReadonlySet<string>, nowMs: number) {
  const tended = [...[...restless, ...others].flatMap(podsOn), ...adrift]
    // One of which the server has not answered yet has no UID that a write could name.
    .filter(({ gates, uid }) => gates.length > 0 && uid !== "" && !busy.has(uid))
    .map((pod) => ({ pod, progress: tendInPlace(pod, nowMs) }));
  const looks = tended.flatMap(({ progress }) => progress.lookAgainAtMs ?? []);
  const moving = tended.filter(({ progress }) => progress.steps.length > 0);
  return {
    steps: moving.flatMap(({ progress }) => progress.steps),
    uids: moving.map(({ pod }) => pod.uid),
    lookAgainAtMs: looks.length === 0 ? undefined : Math.min(...looks),
  };
}

/** A pod may have to go for two reasons, and goes once. */
function distinct(deletions: readonly Deletion[]): readonly Deletion[] {
  const seen = new Set<string>();
  return deletions.filter(({ pod }) => !seen.has(pod.uid) && seen.add(pod.uid));
}

/** A node is told to wait for one thing at a time. */
function firstHolds(held: readonly Hold[]): readonly Hold[] {
  const seen = new Set<string>();
  return held.filter(({ node }) => !seen.has(node) && seen.add(node));
}

/** With partitioned scaling the partition holds back creations, the last names first. */
function holdByPartition(creations: readonly Creation[], { set, desired }: Observed) {
  const partition = set.isScalingPartitioned ? partitionOf(set, desired.length) : 0;
  if (partition === 0) return { creations, held: [] };
  const having = desired.filter(({ current, old }) => current.length > 0 || old.some(isPreparingDelete)).length;
  const room = Math.max(0, desired.length - having - partition);
  const because = `the partition keeps ${partition} of ${desired.length} nodes from the newest revision`;
  const held = creations.slice(room).map(({ node }): Hold => ({ node, reason: "RolloutPartitioned", because }));
  return { creations: creations.slice(0, room), held };
}

function revisionsInUse(pods: readonly DaemonPod[]): ReadonlySet<string> {
  const used = new Set<string>();
  for (const { labels } of pods) {
    const hash = labels[REVISION_HASH];
    if (hash !== undefined) used.add(hash);
  }
  return used;
}

function statusSteps(object: StoredObject, status: ReturnType<typeof statusOf>): readonly Step[] {
  const isStored = canonicalJson(status) === canonicalJson(objectAt(object.object, "status"));
  return isStored ? [] : [{ do: "status", target: setRef(object), status, why: "the counts or conditions changed" }];
}

function looking(at: number | undefined): { readonly lookAgainAtMs?: number } {
  return at === undefined ? {} : { lookAgainAtMs: at };
}

// The advanced DaemonSet as a kind: one object, one rollout, and pods that differ by the labels of their nodes.
//
// Read the folder in the order of the pipeline:
//   api/parse.ts, api/validate.ts: the door; schema, defaults, conversion, gates
//   observe.ts, pods/claim.ts: the set in one snapshot: its pods, revisions, nodes
//   resolve.ts, match-patches.ts, render.ts: what each node should run
//   revision/history.ts, revision/revision.ts: what the set said before
//   pods/manage.ts, rollout/update.ts, in-place/in-place.ts: which pods change, and how
//   decide.ts: one plan of all that
//   explain.ts, status.ts, counts.ts, events.ts, review.ts: what people hear
//   set-memory.ts: what is kept between decisions

import { emptyPlan } from "../../core/decision/plan.ts";
import type { Problem } from "../../core/decision/problem.ts";
import type { Snapshot, StoredObject } from "../../core/decision/snapshot.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import type { Kind, Observation, Rival } from "../kind.ts";
import { explainInvalid } from "../schema/explain-invalid.ts";
import { specOf } from "../schema/json-parts.ts";
import { newerToOlder, olderToNewer } from "./api/convert.ts";
import { withDefaults } from "./api/defaults.ts";
import { DEFAULT_GATES, type Gates } from "./api/gates.ts";
import { parseDaemonSet } from "./api/parse.ts";
import { isSurging } from "./api/spec.ts";
import { validateDaemonSet } from "./api/validate.ts";
import { type DecideOptions, decideInvalid, decideSet } from "./decide.ts";
import { type ExplainGround, explainNode } from "./explain.ts";
import { type Observed, type ObserveInput, observeSet } from "./observe.ts";
import type { Binding } from "./pods/pod-body.ts";
import type { Placement } from "./resolve.ts";
import { reviewPass } from "./review.ts";
import { isSameRecording, recordingOf } from "./revision/revision.ts";
import { createSetMemory } from "./set-memory.ts";

export type DaemonSetOptions = {
  readonly gates?: Partial<Gates>;
  /** Who chooses the node of a pod: the scheduler, which is told the only one, or we ourselves. */
  readonly binding?: Binding;
  /** The server lets memory be taken from containers that run. */
  readonly canShrinkMemory?: boolean;
};

/** Kruise's manager serves the kind wherever it is defined. Its webhook would also strip patches from what is written. */
const KRUISE: Rival = Object.freeze({
  name: "Kruise",
  lease: { namespace: "kruise-system", name: "kruise-manager" },
  webhooks: {
    mutating: ["kruise-mutating-webhook-configuration"],
    validating: ["kruise-validating-webhook-configuration"],
  },
});

/** The kind. It remembers what it has read and rendered, so one value should serve a process. */
export function createDaemonSetKind(wish: DaemonSetOptions = {}): Kind {
  const { gates, binding = "scheduler", canShrinkMemory = false } = wish;
  const { AdvancedDaemonSetNodeLabelPatches: arePatchesEnabled, InPlaceWorkloadVerticalScaling: canResize } = {
    ...DEFAULT_GATES,
    ...gates,
  };
  const options: DecideOptions = { binding, resizing: resizingOf(canResize, canShrinkMemory) };
  const memory = createSetMemory({ arePatchesEnabled });
  return {
    ...{ group: "apps.kruise.io", version: "v1beta1", kind: "DaemonSet", plural: "daemonsets" },
    reads: ["pods", "controllerrevisions"],
    rival: KRUISE,
    review: reviewPass,
    conversion: {
      otherVersions: ["v1alpha1"],
      convert: (object, version) => (version === "v1alpha1" ? newerToOlder(object) : olderToNewer(object)),
    },
    withDefaults,
    admit: (object, before) => validateDaemonSet(object, before, { arePatchesEnabled }),
    observe: (snapshot, object) => {
      const read = memory.read(object);
      if (!read.ok) return invalidObservation(snapshot, object, read.problems);
      const input = { snapshot, object, ...read.value, memory, arePatchesEnabled };
      return {
        decide: (nowMs) => {
          if (isEnding(snapshot, object)) return { plan: emptyPlan, asks: [] };
          return { plan: decideSet(observeSet(input), nowMs, options), asks: [] };
        },
        explain: createExplainer(input, options),
      };
    },
    isSameWish: ({ object: was }, { object: now }) => saysSame(was, now),
    concerns: (object, was, now) => {
      if (was === undefined || now === undefined || was.uid !== now.uid) return true;
      const read = memory.read(object);
      return read.ok && differs(read.value.resolver.place(was), read.value.resolver.place(now), was, now);
    },
  };
}

/**
 * Strategy, partition and the like say when pods change; what pods are is said by template and patches. But where one comes beside another, and not
 * after it, it has another name.
 */
function saysSame(was: JsonObject, now: JsonObject): boolean {
  const [before, after] = [recordingOf(specOf(was)), recordingOf(specOf(now))];
  if (before === undefined || after === undefined || !isSameRecording(before, after)) return false;
  return surges(was) === surges(now);
}

function surges(object: JsonObject): boolean {
  const parsed = parseDaemonSet(object);
  return parsed.ok && isSurging(parsed.value);
}

function resizingOf(canResize: boolean, canShrinkMemory: boolean): DecideOptions["resizing"] {
  if (!canResize) return "none";
  return canShrinkMemory ? "free" : "growing";
}

/** Explains nodes of one observation; what is decided about the whole set is worked out once, however many nodes are asked for. */
function createExplainer(input: ObserveInput, options: DecideOptions): Observation["explain"] {
  const { nodes } = input.snapshot;
  let known: ExplainGround | undefined;
  return (name, nowMs) => {
    const node = nodes.find((one) => one.name === name);
    if (node === undefined) return undefined;
    known = known?.nowMs === nowMs ? known : explainGround(observeSet(input), nowMs, options);
    return explainNode(known, node);
  };
}

function explainGround(observed: Observed, nowMs: number, options: DecideOptions): ExplainGround {
  const { held } = decideSet(observed, nowMs, options);
  const views = [...observed.desired, ...observed.others];
  return {
    ...{ observed, nowMs },
    views: new Map(views.map((view) => [view.node.name, view])),
    held: new Map(held.map((hold) => [hold.node, hold])),
  };
}

function isEnding(snapshot: Snapshot, object: StoredObject): boolean {
  return object.isLeaving || snapshot.isTerminating(object.namespace);
}

function invalidObservation(snapshot: Snapshot, object: StoredObject, problems: readonly Problem[]): Observation {
  return {
    decide: (nowMs) => ({ plan: object.isLeaving ? emptyPlan : decideInvalid(object, problems, nowMs), asks: [] }),
    explain: explainInvalid(snapshot, problems),
  };
}

function differs(before: Placement, after: Placement, was: NodeFacts, now: NodeFacts): boolean {
  return (
    before.shouldRun !== after.shouldRun ||
    before.shouldContinueRunning !== after.shouldContinueRunning ||
    before.isNodeLost !== after.isNodeLost ||
    before.isCandidate !== after.isCandidate ||
    before.rendering !== after.rendering ||
    (was.ready === true) !== (now.ready === true) ||
    was.isLeaving !== now.isLeaving
  );
}

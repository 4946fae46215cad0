// VariantSet as a kind: the door, the decision, the explanation, and what is left on nodes by sets that are gone.
//
// Read the folder in the order of the pipeline:
//   api/parse.ts, api/validate.ts: the door
//   observe.ts, own-workloads.ts, survey.ts: what of the cluster concerns a set
//   resolve.ts, resolver.ts, match.ts, label-reads.ts: the variant for each node
//   cell.ts, render.ts: one DaemonSet per variant, and per kernel where images need it
//   decide.ts, decide-cells.ts, set-labels.ts: one plan of all that
//   explain.ts, explain-fields.ts, node-outcome.ts: what people hear of a node
//   status.ts, status-conditions.ts, count-nodes.ts: what people hear of the set
//   memory.ts: what is kept between decisions

import type { Plan } from "../../core/decision/plan.ts";
import type { Snapshot, StoredObject } from "../../core/decision/snapshot.ts";
import type { Step } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Labels } from "../../core/labels/label-requirement.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { labelStep } from "../../core/node/node-label.ts";
import type { Decision, Kind, ObjectName, Observation } from "../kind.ts";
import { explainInvalid } from "../schema/explain-invalid.ts";
import { parseVariantSet } from "./api/parse.ts";
import { validateVariantSet } from "./api/validate.ts";
import { type Decided, decideSet, planSet } from "./decide.ts";
import { imageQuestions } from "./decide-cells.ts";
import { explainNode } from "./explain.ts";
import { createMemory, type KnownSet, type Memory } from "./memory.ts";
import { observeSet } from "./observe.ts";
import { nodeLabelKeys, setsOn } from "./set-labels.ts";
import { invalidStep, leavingStep } from "./status.ts";

/** Makes the kind; it remembers what it has worked out about sets and nodes that do not change. */
export function createVariantSetKind(): Kind {
  const memory = createMemory();
  return {
    ...{ group: "farrier.dev", version: "v1alpha1", kind: "VariantSet", plural: "variantsets" },
    reads: ["daemonsets", "pods", "controllerrevisions", "images"],
    admit: validateVariantSet,
    observe: (snapshot, stored) => observation(snapshot, stored, memory),
    concerns: (stored, was, now) => concerns(stored, memory, was, now),
    traces: { leftOn: ({ labels }) => setsOn(labels), keysOf, clear: clearTraces },
  };
}

const decisionOf = (steps: readonly Step[]): Decision => ({ plan: { steps, held: [] }, asks: [] });

function observation(snapshot: Snapshot, stored: StoredObject, memory: Memory): Observation {
  const known = memory.recall(stored);
  if (!known.ok) {
    const decide = (nowMs: number): Decision =>
      decisionOf(stored.isLeaving ? leavingStep(stored, nowMs) : invalidStep(stored, known.problems, nowMs));
    return { decide, explain: explainInvalid(snapshot, known.problems) };
  }
  const decidedAt = (nowMs: number): Decided => decideSet(observeSet(known.value, stored, snapshot, memory), nowMs);
  return {
    decide: (nowMs) => {
      // What it owns is collected, and its labels are traces then.
      if (stored.isLeaving) return decisionOf(leavingStep(stored, nowMs));
      const decided = decidedAt(nowMs);
      return { plan: planSet(decided), asks: imageQuestions(decided.observed) };
    },
    explain: (node, nowMs) => explainNode(decidedAt(nowMs), node),
  };
}

/** Readiness matters for the budget, our own label for what a node is bound to; all else through what the node gets. */
function concerns(
  stored: StoredObject,
  memory: Memory,
  was: NodeFacts | undefined,
  now: NodeFacts | undefined,
): boolean {
  const known = memory.recall(stored);
  if (!known.ok) return false;
  if (was === undefined || now === undefined || was.uid !== now.uid) return true;
  if ((was.ready === true) !== (now.ready === true)) return true;
  return isLabelChanged(known.value, was.labels, now.labels) || known.value.resolve(was) !== known.value.resolve(now);
}

function isLabelChanged({ set }: KnownSet, was: Labels, now: Labels): boolean {
  return nodeLabelKeys(set).some((key) => was[key] !== now[key]);
}

function keysOf(object: JsonObject): readonly string[] {
  const parsed = parseVariantSet(object);
  return parsed.ok ? nodeLabelKeys(parsed.value) : [];
}

/** Every label that was applied in the name of the set goes, whichever key it had. */
function clearTraces(snapshot: Snapshot, gone: ObjectName): Plan {
  const steps = snapshot.nodes.flatMap((node) => {
    const isMarked = setsOn(node.labels).some(
      ({ namespace, name }) => namespace === gone.namespace && name === gone.name,
    );
    if (!isMarked) return [];
    const keys = Object.keys(node.labels).filter((key) => setsOn({ [key]: "" }).length > 0);
    const step = labelStep({ node, labels: {}, keys, why: `VariantSet ${gone.namespace}/${gone.name} is gone` });
    return step === undefined ? [] : [step];
  });
  return { steps, held: [] };
}

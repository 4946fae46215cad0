// What every node wants of a set: the variant that suits it, as a cell, unless the pods could not run there. Nodes that agree in all that
// the rules read share one answer, and a node whose facts did not change is not even compared.

import type { NodeFacts } from "../../core/node/node-facts.ts";
import type { Wish } from "../../core/rollout/berth.ts";
import {
  compileDaemonEligibility,
  type DaemonEligibility,
  explainDaemonEligibility,
} from "../../core/scheduling/daemon-eligibility.ts";
import { taintText } from "../../core/scheduling/taints.ts";
import { objectAt } from "../schema/json-parts.ts";
import type { VariantSet } from "./api/spec.ts";
import { type Cell, cellOf } from "./cell.ts";
import { labelReads, requiredTerms } from "./label-reads.ts";
import { renderTemplate } from "./render.ts";
import { type Outcome, resolveNode } from "./resolve.ts";

/** Distinct kinds of nodes that are remembered; a fleet has far fewer. */
export const CLASSES_MAX = 4096;

export type Resolved = {
  readonly outcome: Outcome;
  /** Undefined when the node gets no variant, or cannot run it. */
  readonly cell: Cell | undefined;
  readonly wish: Wish;
};

export type Resolve = (node: NodeFacts) => Resolved;

const NOTHING: Wish = Object.freeze({ kind: "nothing" });
const SAME: Wish = Object.freeze({ kind: "same" });
const UNTOUCHED: Wish = Object.freeze({ kind: "untouched" });

/** Makes the resolver of one version of a set. */
export function createResolver(set: VariantSet): Resolve {
  const byFacts = new WeakMap<NodeFacts, Resolved>();
  const byClass = new Map<string, Resolved>();
  const cells = new Map<string, { readonly cell: Cell; readonly eligibility: DaemonEligibility }>();
  const reads = readsOf(set);
  const known = (cell: Cell) => {
    const kept = cells.get(cell.key);
    if (kept !== undefined) return kept;
    const { spec } = renderTemplate(set, cell);
    const made = { cell, eligibility: compileDaemonEligibility(spec, { comparisonOperators: true }) };
    if (cells.size >= CLASSES_MAX) cells.clear();
    cells.set(cell.key, made);
    return made;
  };
  return (node) => {
    const before = byFacts.get(node);
    if (before !== undefined) return before;
    const nodeClass = classOf(node, reads);
    const resolved = byClass.get(nodeClass) ?? resolve(set, node, known);
    if (byClass.size >= CLASSES_MAX) byClass.clear();
    byClass.set(nodeClass, resolved);
    byFacts.set(node, resolved);
    return resolved;
  };
}

type Known = (cell: Cell) => { readonly cell: Cell; readonly eligibility: DaemonEligibility };

function resolve(set: VariantSet, node: NodeFacts, known: Known): Resolved {
  const outcome = resolveNode(set, node);
  if (outcome.reason === "NodeLeaving") return { outcome, cell: undefined, wish: UNTOUCHED };
  if (outcome.gets.kind !== "variant") {
    return { outcome, cell: undefined, wish: outcome.gets.kind === "same" ? SAME : NOTHING };
  }
  const parsed = cellOf(set, outcome.gets.variant, node);
  if (!parsed.ok) {
    const because = parsed.problems.map(({ message }) => message).join("; ");
    return {
      outcome: { ...outcome, gets: { kind: "same" }, reason: "ImageInvalid", because },
      cell: undefined,
      wish: SAME,
    };
  }
  const { cell, eligibility } = known(parsed.value);
  const { eligibility: answer, trail } = explainDaemonEligibility(eligibility, node);
  if (answer.shouldRun) return { outcome, cell, wish: { kind: "workload", key: cell.key } };
  const whole = { ...outcome, trail: [...outcome.trail, ...trail] };
  if (answer.isNodeLost) {
    const because = trail.at(-1)?.because ?? "the node is not Ready";
    return { outcome: { ...whole, reason: "NodeNotReady", because }, cell: undefined, wish: UNTOUCHED };
  }
  return barred(whole, trail.at(-1)?.rule === "tolerations", trail.at(-1)?.because ?? "");
}

/** A taint may go again, and lets pods stay or drives them away by itself; a selector that does not match is a matter of scope. */
function barred(outcome: Outcome, isTaint: boolean, because: string): Resolved {
  const reason = isTaint ? "TaintNotTolerated" : "AffinityMismatch";
  const kept = { ...outcome, gets: { kind: "nothing" as const }, isExcluded: true, reason, because } as const;
  return { outcome: kept, cell: undefined, wish: isTaint ? UNTOUCHED : NOTHING };
}

type Reads = { readonly labelKeys: readonly string[]; readonly needsName: boolean };

/** What of a node besides its system the rules read. */
function readsOf(set: VariantSet): Reads {
  const keys = labelReads(set).flatMap((read) => read.keys);
  const { nodeName } = objectAt(set.template, "spec");
  const needsName =
    nodeName !== undefined || requiredTerms(set.template).some((term) => term.matchFields !== undefined);
  return { labelKeys: [...new Set(keys)].sort(), needsName };
}

function classOf(node: NodeFacts, { labelKeys, needsName }: Reads): string {
  const { kernel, os, runtime, architecture, operatingSystem, isLeaving, taints, labels, name } = node;
  const read = labelKeys.map((key) => (Object.hasOwn(labels, key) ? labels[key] : null));
  const system = [kernel.raw, os.raw, runtime, architecture, operatingSystem, isLeaving];
  // The name of a node is in the words of a taint's verdict.
  return JSON.stringify([system, taints.map(taintText), read, needsName || taints.length > 0 ? name : ""]);
}

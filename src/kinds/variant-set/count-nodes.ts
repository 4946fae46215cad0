// Counting the fleet for the status: every node under its one outcome, and what keeps nodes from being fitted, by variant and cause with
// a few examples.
import { EXAMPLE_NODES_MAX } from "../schema/status-schema.ts";
import type { Decided } from "./decide.ts";
import { isPassing, type NodeOutcome, type OutcomeKind, outcomeOfNode, waitsOf } from "./node-outcome.ts";
import type { Resolved } from "./resolver.ts";

export type NodeCounts = Readonly<Record<OutcomeKind, number>> & { readonly inScope: number };

/** Nodes that have the same trouble. */
export type Trouble = {
  /** As it is on the first of them. */
  readonly outcome: NodeOutcome;
  /** The variant that they should have; undefined where nobody can tell, or where it is none. */
  readonly variant: string | undefined;
  readonly nodes: number;
  readonly examples: readonly string[];
};

/** Counts every node; troubles that wait for somebody come before those that pass, then by cause and variant. */
export function countNodes(decided: Decided): { readonly counts: NodeCounts; readonly troubles: readonly Trouble[] } {
  const { fleet } = decided;
  const waits = waitsOf(decided);
  const counts = { inScope: 0, fitted: fleet.fitted, held: 0, unknown: 0, none: 0, excluded: fleet.bystanders };
  const troubles = new Map<string, Trouble & { nodes: number; examples: string[] }>();
  const note = ({ outcome: { variant } }: Resolved, outcome: NodeOutcome, name: string) => {
    counts[outcome.is] += 1;
    if (outcome.is === "fitted" || outcome.reason === "NotSelected" || outcome.reason === "NodeLeaving") return;
    const group = `${isPassing(outcome.reason) ? "passing" : "lasting"} ${outcome.reason} ${variant ?? ""}`;
    const there = troubles.get(group) ?? { outcome, variant, nodes: 0, examples: [] };
    there.nodes += 1;
    if (there.examples.length < EXAMPLE_NODES_MAX) there.examples.push(name);
    troubles.set(group, there);
  };
  for (const { resolved, facts } of fleet.idle) note(resolved, outcomeOfNode(resolved, undefined), facts.name);
  for (const { resolved, facts } of fleet.restless)
    note(resolved, outcomeOfNode(resolved, waits.get(facts.name)), facts.name);
  const inScope = counts.fitted + counts.held + counts.unknown + counts.none;
  const sorted = [...troubles].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, trouble]) => trouble);
  return { counts: { ...counts, inScope }, troubles: sorted };
}

// What `status` tells, as a value: one row for each object, what needs attention and how to ask on, and the fleet by kernel.
import type { Snapshot } from "../../core/decision/snapshot.ts";
import { type KnownObject, objectText } from "../input/named-object.ts";
import { badConditions, conditionSaid, fittedCounts, isUnseen, nodeProblems } from "../input/object-condition.ts";
import { fleetMatrix, type KernelRow, unservedNode } from "./fleet-matrix.ts";

export type StatusReport = {
  readonly nodes: number;
  readonly objects: readonly ObjectRow[];
  readonly attention: readonly Attention[];
  readonly kernels: readonly KernelRow[];
};

export type ObjectRow = {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  /** Nodes that the object is for, and of them those that have what they should; undefined while it has no status. */
  readonly nodes: number | undefined;
  readonly fitted: number | undefined;
  /** As the condition has it; Unknown also while it speaks of an earlier spec. */
  readonly ready: string;
  readonly reason: string;
};

export type Attention = {
  readonly object: string;
  readonly reason: string;
  readonly message: string;
  /** How many nodes have it; 0 where it is not about nodes. */
  readonly nodes: number;
  /** What to ask next, without the program's own name; empty when nothing tells more. */
  readonly ask: string;
};

/** Makes the report of these objects. */
export function reportStatus(snapshot: Snapshot, objects: readonly KnownObject[]): StatusReport {
  return {
    nodes: snapshot.nodes.length,
    objects: objects.map(rowOf),
    attention: objects.flatMap((known) => attentionFor(snapshot, known)),
    kernels: fleetMatrix(snapshot, objects),
  };
}

function rowOf({ kind, stored }: KnownObject): ObjectRow {
  const ready = conditionSaid(stored, "Ready");
  const isKnown = ready !== undefined && !isUnseen(stored);
  const { nodes, fitted } = fittedCounts(stored) ?? {};
  return {
    ...{ namespace: stored.namespace, kind: kind.kind, name: stored.name, nodes, fitted },
    ready: isKnown ? ready.status : "Unknown",
    reason: isKnown ? ready.reason : "",
  };
}

/** Groups of nodes with an example each, then conditions that say something else. */
function attentionFor(snapshot: Snapshot, known: KnownObject): readonly Attention[] {
  const { stored } = known;
  const object = objectText(known);
  if (isUnseen(stored)) return [unseen(object, known)];
  const problems = nodeProblems(stored).map(({ reason, message, nodes, examples: [example] }) => ({
    ...{ object, reason, message, nodes, ask: example === undefined ? "" : `explain node ${example}` },
  }));
  const told = new Set(problems.map(({ reason }) => reason));
  const node = unservedNode(snapshot, known);
  const conditions = badConditions(stored).flatMap(({ type, reason, message }): readonly Attention[] => {
    if (told.has(reason)) return [];
    told.add(reason);
    const said = message === "" ? `${type} is not as it should be` : message;
    return [{ object, reason, message: said, nodes: 0, ask: node === undefined ? "" : `explain node ${node}` }];
  });
  return [...problems, ...conditions];
}

function unseen(object: string, { stored }: KnownObject): Attention {
  const said =
    conditionSaid(stored, "Ready") === undefined ? "it has no status yet" : "its status is of an earlier spec";
  const message = `the operator has not seen generation ${stored.generation}: ${said}; is farrier running?`;
  return { object, reason: "NotObserved", message, nodes: 0, ask: "" };
}

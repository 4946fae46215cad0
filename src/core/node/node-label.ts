// Our labels on nodes, as steps of a plan: server-side apply in the name of one object, so that nobody else's labels are touched.

import type { ApplyStep } from "../decision/step.ts";
import type { Labels } from "../labels/label-requirement.ts";
import type { NodeFacts } from "./node-facts.ts";

export type LabelWish = {
  readonly node: NodeFacts;
  /** All labels that the object should have on the node: what it applied before and does not name here is taken away. */
  readonly labels: Labels;
  /** Keys that the object may have applied before. */
  readonly keys: readonly string[];
  readonly why: string;
  /** Ids of steps that must have succeeded first: no label points to a DaemonSet that is not there. */
  readonly after?: readonly string[];
  /** It only tells what is so already. */
  readonly isPatient?: boolean;
  /** What follows depends on it that the labels which are taken away are gone. */
  readonly mustClear?: boolean;
};

/** The step that brings the node there; undefined when it is as it should be, or is being deleted. */
export function labelStep({
  node,
  labels,
  keys,
  why,
  after = [],
  isPatient = false,
  mustClear = false,
}: LabelWish): ApplyStep | undefined {
  if (node.isLeaving) return undefined;
  const isThere = [...keys, ...Object.keys(labels)].every((key) => ownText(node.labels, key) === ownText(labels, key));
  if (isThere) return undefined;
  const { name, uid } = node;
  // With the UID: an apply that comes too late must not make a node.
  const object = { apiVersion: "v1", kind: "Node", metadata: { name, uid, labels } };
  const order = { ...(after.length === 0 ? {} : { after }), ...(isPatient ? { isPatient } : {}) };
  const taken = mustClear ? keys.filter((key) => !Object.hasOwn(labels, key) && Object.hasOwn(node.labels, key)) : [];
  const gone = Object.fromEntries(taken.map((key) => [key, node.labels[key] ?? ""]));
  return { do: "apply", object, why, ...order, ...(taken.length === 0 ? {} : { gone }) };
}

function ownText(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

// One look over the nodes that should run a pod, with which every decision begins: those at rest are numbers from then on, and only
// the others are looked at again.

import type { Observed } from "../observe.ts";
import type { NodeView } from "../pods/node-pods.ts";
import { type Rest, restAt } from "./rest.ts";

export type Survey = {
  /** How many nodes are at rest and how, by the places of the patches that apply to them. */
  readonly resting: ReadonlyMap<string, RestCount>;
  /** All nodes that should run a pod but those that have the right one at rest, by name. */
  readonly unsettled: readonly NodeView[];
  /** Those of them that are not at rest: something has to be done for them, or may have to be when time has passed. */
  readonly restless: readonly NodeView[];
};

export type RestCount = Readonly<Record<Rest["is"], number>>;

/** A set of which the nodes have been looked over. */
export type Surveyed = Observed & Survey;

/** Looks over the nodes of a set as they are at an instant. */
export function surveyNodes(observed: Observed, nowMs: number): Surveyed {
  const resting = new Map<string, Record<Rest["is"], number>>();
  const unsettled: NodeView[] = [];
  const restless: NodeView[] = [];
  for (const view of observed.desired) {
    const rest = restAt(view, nowMs);
    if (rest !== "fitted") unsettled.push(view);
    if (rest === undefined) restless.push(view);
    else countOf(view.placement.places, resting)[rest] += 1;
  }
  return { ...observed, resting, unsettled, restless };
}

function countOf(places: string, counts: Map<string, Record<Rest["is"], number>>): Record<Rest["is"], number> {
  const known = counts.get(places);
  if (known !== undefined) return known;
  const made = { fitted: 0, outdated: 0, pending: 0 };
  counts.set(places, made);
  return made;
}

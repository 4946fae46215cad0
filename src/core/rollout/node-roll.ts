// The roll of a fleet: how many nodes are in which class, and which are in none. It is kept from one decision to the next, so that a
// decision looks at the nodes that changed and at those that nobody could put into a class; all others are numbers.
//
// Guarantees: it says what a new roll of the same fleet would say, as long as what a class was told from stays true of nodes that are the
// very same value and are not touched. If anything throws on the way, all is forgotten and looked at anew.
// Assumes: nodes come in the order of their names.
import type { NodeFacts } from "../node/node-facts.ts";
import { placeOf } from "./place-of.ts";

export type NodeRoll<Class> = {
  /** Brings the roll up to date. What it returns holds until the next call. */
  readonly follow: (nodes: readonly NodeFacts[], questions: RollQuestions<Class>) => Enrolled<Class>;
};

export type RollQuestions<Class> = {
  /** The class of a node; undefined for one that has to be looked at in every decision. */
  readonly classOf: (node: NodeFacts) => Class | undefined;
  /** Names of nodes for which something besides the node changed. */
  readonly touched?: Iterable<string>;
};

export type Enrolled<Class> = {
  /** How many nodes are in each class; none is empty. */
  readonly counts: ReadonlyMap<Class, number>;
  /** The nodes without a class, in the order of their names. */
  readonly open: readonly NodeFacts[];
};

type State<Class> = {
  readonly nodes: readonly NodeFacts[];
  /** By the place of the node in the list. */
  readonly classes: (Class | undefined)[];
  readonly counts: Map<Class, number>;
  /** The places without a class. */
  readonly open: ReadonlySet<number>;
};

/** Makes an empty roll. */
export function createNodeRoll<Class extends object | string>(): NodeRoll<Class> {
  let last: State<Class> | undefined;
  return {
    follow: (nodes, { classOf, touched = [] }) => {
      const state = broughtTo(nodes, last ?? { nodes: [], classes: [], counts: new Map(), open: new Set() });
      last = undefined;
      const due = new Set(state.open);
      for (const name of touched) {
        const place = placeOf(name, nodes);
        if (nodes[place]?.name !== name) continue;
        strike(place, state);
        due.add(place);
      }
      const stillOpen = [...due].sort((a, b) => a - b).filter((place) => !enrol(place, state, classOf));
      last = { ...state, open: new Set(stillOpen) };
      return { counts: state.counts, open: stillOpen.flatMap((place) => nodes[place] ?? []) };
    },
  };
}

/** The roll for another list: whoever is in it as the very same value keeps its class. */
function broughtTo<Class>(nodes: readonly NodeFacts[], state: State<Class>): State<Class> {
  if (nodes === state.nodes) return state;
  const changed = changedPlaces(state.nodes, nodes);
  if (changed === undefined) return movedTo(nodes, state);
  for (const place of changed) strike(place, state);
  return { ...state, nodes, open: new Set([...state.open, ...changed]) };
}

/** Where other values stand now; undefined when nodes came or went, so that others have moved. */
function changedPlaces(before: readonly NodeFacts[], after: readonly NodeFacts[]): readonly number[] | undefined {
  if (before.length !== after.length) return undefined;
  const changed: number[] = [];
  for (let place = 0; place < after.length; place++) {
    if (before[place] === after[place]) continue;
    if (before[place]?.name !== after[place]?.name) return undefined;
    changed.push(place);
  }
  return changed;
}

function movedTo<Class>(nodes: readonly NodeFacts[], { nodes: before, classes: known }: State<Class>): State<Class> {
  const classOf = new Map(before.map((node, place) => [node, known[place]]));
  const classes = nodes.map((node) => classOf.get(node));
  const counts = new Map<Class, number>();
  const open = new Set<number>();
  for (const [place, found] of classes.entries()) {
    if (found === undefined) open.add(place);
    else counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  return { nodes, classes, counts, open };
}

function strike<Class>(place: number, { classes, counts }: State<Class>): void {
  const found = classes[place];
  if (found === undefined) return;
  classes[place] = undefined;
  const left = (counts.get(found) ?? 1) - 1;
  if (left > 0) counts.set(found, left);
  else counts.delete(found);
}

/** Puts a node into its class; false when it has none. */
function enrol<Class>(
  place: number,
  { nodes, classes, counts }: State<Class>,
  classOf: (node: NodeFacts) => Class | undefined,
): boolean {
  const node = nodes[place];
  const found = node && classOf(node);
  if (found === undefined) return false;
  classes[place] = found;
  counts.set(found, (counts.get(found) ?? 0) + 1);
  return true;
}

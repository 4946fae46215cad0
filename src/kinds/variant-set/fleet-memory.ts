// What the last look at the fleet found, by the place of a node in the list. A node that is the very same value in the same place, beside
// the same pods and templates, is where it was: a look at an unchanged fleet compares and counts, and makes nothing.
import type { NodeFacts } from "../../core/node-facts.ts";
import type { Resolve, Resolved } from "./resolver.ts";

export type FleetMemory = {
  readonly resolveAll: (nodes: readonly NodeFacts[]) => Answers;
  /** The nodes that were at rest in this picture: pods by node, and what tells the cells and their templates. */
  readonly restIn: (pods: unknown, cells: string) => Rest;
};

export type Answers = {
  /** What each node gets, in the order of the list. */
  readonly all: readonly Resolved[];
  readonly distinct: ReadonlySet<Resolved>;
};

export type Rest = {
  /** The number of the cell in which a node rests; undefined when that must be found out. */
  readonly cellAt: (place: number, node: NodeFacts) => number | undefined;
  readonly note: (place: number, node: NodeFacts, cell: number) => void;
};

/** Makes the memory of one version of a set. */
export function createFleetMemory(resolve: Resolve): FleetMemory {
  let known: { readonly nodes: readonly NodeFacts[]; readonly answers: Answers } | undefined;
  let picture: { readonly pods: unknown; readonly cells: string } | undefined;
  let resting: NodeFacts[] = [];
  let cellsOfResting: number[] = [];
  const rest: Rest = {
    cellAt: (place, node) => (resting[place] === node ? cellsOfResting[place] : undefined),
    note: (place, node, cell) => {
      resting[place] = node;
      cellsOfResting[place] = cell;
    },
  };
  return {
    resolveAll: (nodes) => {
      const last = known;
      if (last?.nodes === nodes) return last.answers;
      const all = nodes.map((node, place) => {
        const before = last?.nodes[place] === node ? last.answers.all[place] : undefined;
        return before ?? resolve(node);
      });
      known = { nodes, answers: { all, distinct: new Set(all) } };
      return known.answers;
    },
    restIn: (pods, cells) => {
      const isSame = picture !== undefined && picture.pods === pods && picture.cells === cells;
      if (!isSame) {
        resting = [];
        cellsOfResting = [];
      }
      picture = { pods, cells };
      return rest;
    },
  };
}

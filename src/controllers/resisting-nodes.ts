// Which nodes did not take the label that was last written to them, for each object of ours. A decision takes others before them, so that
// a node on which a write fails again and again costs nobody else the budget.
import type { NodeFacts } from "../core/node-facts.ts";
import type { Cache } from "../kube/cache.ts";

/** Nodes that are remembered, over all objects; beyond this the oldest is forgotten, and is tried in its turn. */
export const RESISTING_MAX = 10_000;

export class ResistingNodes {
  /** Ids of an object and a node, the oldest first. */
  readonly #ids = new Set<string>();

  constructor(cache: Pick<Cache<NodeFacts, never>, "changes">) {
    cache.changes(({ key, now }) => {
      if (now !== undefined || this.#ids.size === 0) return;
      for (const id of this.#ids) if (id.endsWith(`/${key}`)) this.#ids.delete(id);
    });
  }

  has(ownerUid: string, node: string): boolean {
    return this.#ids.size > 0 && this.#ids.has(idOf(ownerUid, node));
  }

  /** Takes in what came of a write to a node; true when it is news that the node resists. */
  note(ownerUid: string, node: string, isResisting: boolean): boolean {
    const id = idOf(ownerUid, node);
    if (!isResisting) this.#ids.delete(id);
    if (!isResisting || this.#ids.has(id)) return false;
    const [oldest] = this.#ids;
    if (oldest !== undefined && this.#ids.size >= RESISTING_MAX) this.#ids.delete(oldest);
    this.#ids.add(id);
    return true;
  }
}

function idOf(ownerUid: string, node: string): string {
  return `${ownerUid}/${node}`;
}

// Which nodes did not take the label that was last written to them, for each object of ours, and why. A decision takes others before them, so
// that a node on which a write fails again and again costs nobody else the budget; and it tells of them what keeps them.
import type { NodeFacts } from "../core/node-facts.ts";
import type { Refusal } from "../core/snapshot.ts";
import type { Cache } from "../kube/cache.ts";

/** Nodes that are remembered, over all objects; beyond this the oldest is forgotten, and is tried in its turn. */
export const RESISTING_MAX = 10_000;

export class ResistingNodes {
  /** By the ids of an object and a node, the oldest first. */
  readonly #refusals = new Map<string, Refusal>();

  constructor(cache: Pick<Cache<NodeFacts, never>, "changes">) {
    cache.changes(({ key, now }) => {
      if (now !== undefined || this.#refusals.size === 0) return;
      for (const id of this.#refusals.keys()) if (id.endsWith(`/${key}`)) this.#refusals.delete(id);
    });
  }

  /** Why the node did not take its label; undefined when it did. */
  get(ownerUid: string, node: string): Refusal | undefined {
    return this.#refusals.size === 0 ? undefined : this.#refusals.get(idOf(ownerUid, node));
  }

  /** Takes in what came of a write to a node, which is no refusal if it succeeded; true when it is news that the node resists. */
  note(ownerUid: string, node: string, refusal: Refusal | undefined): boolean {
    const id = idOf(ownerUid, node);
    if (refusal === undefined) {
      this.#refusals.delete(id);
      return false;
    }
    const isNews = !this.#refusals.has(id);
    const [oldest] = this.#refusals.keys();
    if (isNews && oldest !== undefined && this.#refusals.size >= RESISTING_MAX) this.#refusals.delete(oldest);
    this.#refusals.set(id, refusal);
    return isNews;
  }
}

function idOf(ownerUid: string, node: string): string {
  return `${ownerUid}/${node}`;
}

// Which nodes and DaemonSets did not take what was last written to them, for each object of ours, and why. A decision takes other nodes
// before such a one, so that a write that fails again and again costs nobody else the budget; and it tells what keeps nodes waiting.

import type { Refusable, Refusal } from "../../core/decision/snapshot.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import type { Cache } from "../../kube/cache/cache.ts";

/** Refusals that are remembered, over all objects; beyond this the oldest is forgotten, and is found out once more. */
export const REFUSALS_MAX = 10_000;

export type Refuser = { readonly kind: Refusable; readonly name: string };

export class Refusals {
  /** By the ids of an object and what did not take its write, the oldest first. */
  readonly #refusals = new Map<string, Refusal>();

  constructor(cache: Pick<Cache<NodeFacts, never>, "changes">) {
    cache.changes(({ key, now }) => {
      if (now !== undefined || this.#refusals.size === 0) return;
      for (const id of this.#refusals.keys()) if (id.endsWith(`/Node/${key}`)) this.#refusals.delete(id);
    });
  }

  /** Why the write was not taken; undefined when it was. */
  get(ownerUid: string, kind: Refusable, name: string): Refusal | undefined {
    return this.#refusals.size === 0 ? undefined : this.#refusals.get(idOf(ownerUid, { kind, name }));
  }

  /** Takes in what came of a write, which is no refusal if it succeeded; true when it is news that it was not taken. */
  note(ownerUid: string, by: Refuser, refusal: Refusal | undefined): boolean {
    const id = idOf(ownerUid, by);
    if (refusal === undefined) {
      this.#refusals.delete(id);
      return false;
    }
    const isNews = !this.#refusals.has(id);
    const [oldest] = this.#refusals.keys();
    if (isNews && oldest !== undefined && this.#refusals.size >= REFUSALS_MAX) this.#refusals.delete(oldest);
    this.#refusals.set(id, refusal);
    return isNews;
  }
}

function idOf(ownerUid: string, { kind, name }: Refuser): string {
  return `${ownerUid}/${kind}/${name}`;
}

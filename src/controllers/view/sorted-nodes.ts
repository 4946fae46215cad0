// The nodes in the order of their names, with our own labels that the cache has not shown yet. Sorted when nodes come and go; one that
// changes is put into its place, and a decision about an unchanged fleet gets the very same list.
import { createFactsParser, type NodeFacts } from "../../core/node/node-facts.ts";
import { placeOf } from "../../core/rollout/place-of.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import { type Ledger, withWrites } from "./ledger.ts";

export type SortedNodesOptions = {
  readonly resource: string;
  readonly cache: Pick<Cache<NodeFacts, never>, "values" | "get" | "changes">;
  readonly ledger: Ledger;
};

export class SortedNodes {
  readonly #options: SortedNodesOptions;
  readonly #parse = createFactsParser();
  #sorted: readonly NodeFacts[] = [];
  /** Names of nodes that changed since the list was made. */
  readonly #changed = new Set<string>();
  /** Nodes came or went since then. */
  #isOutOfOrder = true;

  constructor(options: SortedNodesOptions) {
    this.#options = options;
    options.cache.changes(({ key, was, now }) => {
      if (was === undefined || now === undefined) this.#isOutOfOrder = true;
      this.#changed.add(key);
    });
    options.ledger.changes(({ resource, key }) => {
      if (resource === options.resource) this.#changed.add(key);
    });
  }

  /** All nodes. A list that was handed out is never changed. */
  list(): readonly NodeFacts[] {
    if (this.#isOutOfOrder) this.#sorted = this.#sort();
    else if (this.#changed.size > 0) this.#sorted = this.#replaceChanged();
    this.#isOutOfOrder = false;
    this.#changed.clear();
    return this.#sorted;
  }

  #sort(): readonly NodeFacts[] {
    const nodes = [...this.#options.cache.values()].map((node) => this.#seen(node));
    return nodes.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  }

  #replaceChanged(): readonly NodeFacts[] {
    const nodes = this.#sorted.slice();
    for (const name of this.#changed) {
      const node = this.#options.cache.get(name);
      const place = placeOf(name, nodes);
      if (node !== undefined && nodes[place]?.name === name) nodes[place] = this.#seen(node);
    }
    return nodes;
  }

  #seen(node: NodeFacts): NodeFacts {
    const { ledger, resource } = this.#options;
    const entries = ledger.at(resource, node.name);
    return entries.length === 0 ? node : (withWrites(node, entries, this.#parse) ?? node);
  }
}

// The nodes in the order of their names, with our own labels that the cache has not shown yet. Sorted once per change, not per decision.
import { createFactsParser, type NodeFacts } from "../core/node-facts.ts";
import type { Cache } from "../kube/cache.ts";
import { type Ledger, withWrites } from "./ledger.ts";

export type SortedNodesOptions = {
  readonly resource: string;
  readonly cache: Pick<Cache<NodeFacts, never>, "values" | "get" | "changes">;
  readonly ledger: Ledger;
};

export class SortedNodes {
  readonly #options: SortedNodesOptions;
  readonly #parse = createFactsParser();
  #sorted: readonly NodeFacts[] | undefined;

  constructor(options: SortedNodesOptions) {
    this.#options = options;
    const stale = () => {
      this.#sorted = undefined;
    };
    options.cache.changes(stale);
    options.ledger.changes(({ resource }) => {
      if (resource === options.resource) stale();
    });
  }

  /** All nodes; the very same list as long as nothing changes. */
  list(): readonly NodeFacts[] {
    this.#sorted ??= this.#read();
    return this.#sorted;
  }

  #read(): readonly NodeFacts[] {
    const { cache, ledger, resource } = this.#options;
    const unseen = ledger.of(resource);
    const nodes = [...cache.values()].map((node) => {
      const entries = unseen.get(node.name);
      return entries === undefined ? node : (withWrites(node, entries, this.#parse) ?? node);
    });
    return nodes.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  }
}

// What an oracle is told: the writes that one act of a story takes, in the order that they need. It decides nothing.
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";

export type OracleStep =
  | { readonly do: "create"; readonly resource: Resource; readonly object: KubeObject }
  /** Server-side apply, as the operator does it. */
  | { readonly do: "apply"; readonly resource: Resource; readonly object: KubeObject }
  | { readonly do: "merge"; readonly resource: Resource; readonly key: string; readonly body: Record<string, unknown> }
  /** The pod of the node is deleted; done when it is gone. */
  | { readonly do: "removePod" }
  /** Done when the node has a ready pod that stays. */
  | { readonly do: "awaitReady" };

export type NodeErrand = { readonly node: string; readonly steps: readonly OracleStep[] };

export type OracleOrder = {
  /** One after the other, before the nodes' turn. */
  readonly first: readonly OracleStep[];
  readonly errands: readonly NodeErrand[];
  /** Errands under way at once: the budget of the rollout. */
  readonly errandsMax: number;
};

export type OracleJob = { readonly url: string; readonly ca: string; readonly token: string };

/** What an oracle is sent: first where the server is, then its orders, each of which is taken in before it is begun. */
export type OracleMessage =
  | ({ readonly is: "job" } & OracleJob)
  | ({ readonly is: "order" } & OracleOrder)
  | { readonly is: "go" };

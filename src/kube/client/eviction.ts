// Asks the server to remove a pod as far as the disruption budgets of its owner allow. A refusal is an answer, not an error:
// who evicts has to wait, and must never delete instead.

import { type Key, objectPath, splitKey } from "../resource.ts";
import { ApiError } from "./api-error.ts";
import { pods } from "./built-in-resources.ts";
import type { CallOptions, Client } from "./client.ts";

export type EvictOptions = CallOptions & {
  /** Evict this pod and no successor of the same name. */
  readonly uid: string;
  readonly gracePeriodSeconds?: number;
};

export type Eviction =
  | { readonly evicted: true }
  | {
      readonly evicted: false;
      readonly reason: "Gone" | "BudgetSpent";
      readonly because: string;
      readonly retryAfterMs?: number;
    };

/** Evicts a pod, or says why it stays; a pod that is gone, also when another one has its name, needs no eviction. */
export async function evict(client: Client, key: Key, options: EvictOptions): Promise<Eviction> {
  const { uid, gracePeriodSeconds } = options;
  try {
    await client.call({
      verb: "create",
      resource: "pods/eviction",
      method: "POST",
      path: objectPath(pods, key, "eviction"),
      body: {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: splitKey(key),
        deleteOptions: { preconditions: { uid }, gracePeriodSeconds },
      },
      repeatable: true,
      retriesTooMany: false,
      signal: options.signal,
      timeoutMs: options.timeoutMs,
    });
    return { evicted: true };
  } catch (error) {
    if (error instanceof ApiError) return refusalOf(error);
    throw error;
  }
}

function refusalOf(error: ApiError): Eviction {
  const because = error.message;
  if (error.status === 404 || error.status === 409) return { evicted: false, reason: "Gone", because };
  if (error.status !== 429) throw error;
  const wait = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs };
  return { evicted: false, reason: "BudgetSpent", because, ...wait };
}

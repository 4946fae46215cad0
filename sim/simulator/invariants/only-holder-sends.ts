// S9, the part that a fence can promise: who does not hold the lease sends no write. What was sent before the lease was lost may
// still arrive later; that those writes do no harm is for the other invariants.
import { objectAt, textAt } from "../../api-server/api-object.ts";
import type { RequestRule } from "../commit.ts";

/** The store's name for leases. */
export const LEASES = "leases.coordination.k8s.io";

/** Every write but those to the lease itself is sent by the process that the lease names. */
export function onlyHolderSends(roles: readonly string[], leaseKey: string): RequestRule {
  return {
    name: "OnlyHolderSends",
    roles,
    check: ({ request, by }, state) => {
      if (request.method === "GET" || request.lane === "lease") return undefined;
      const holder = textAt(objectAt(state.object(LEASES, leaseKey) ?? {}, "spec"), "holderIdentity");
      return holder === by ? undefined : `${request.method} ${request.path}, but the lease is held by "${holder}"`;
    },
  };
}

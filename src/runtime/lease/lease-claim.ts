// What a candidate does about the Lease it has just read: the decision of leader election, as a pure function.
import { isFree, type LeaseRecord } from "./lease-record.ts";

/** A record and when this process first saw it unchanged, on its own monotonic clock: clocks of others are never compared. */
export type SeenLease = { readonly record: LeaseRecord; readonly sinceMs: number };

export type Claim =
  | { readonly do: "create"; readonly why: string }
  | { readonly do: "renew" | "take"; readonly record: LeaseRecord; readonly why: string }
  | { readonly do: "wait"; readonly record: LeaseRecord; readonly why: string };

/** Remembers since when a record has stood unchanged. */
export function seeLease(before: SeenLease | undefined, record: LeaseRecord, nowMs: number): SeenLease {
  return before?.record.mark === record.mark ? before : { record, sinceMs: nowMs };
}

/** Decides whether `identity` may claim the Lease. `durationMs` stands in where the record names no usable duration. */
export function decideClaim(
  seen: SeenLease | undefined,
  self: { readonly identity: string; readonly nowMs: number; readonly durationMs: number },
): Claim {
  if (seen === undefined) return { do: "create", why: "there is no lease" };
  const { record, sinceMs } = seen;
  if (record.holder === self.identity) return { do: "renew", record, why: "the lease is ours" };
  if (isFree(record)) return { do: "take", record, why: "the lease is free" };
  const untilMs = sinceMs + (record.durationMs ?? self.durationMs);
  if (self.nowMs >= untilMs) return { do: "take", record, why: `${quote(record)} showed no sign of life` };
  return { do: "wait", record, why: `${quote(record)} holds the lease` };
}

const HOLDER_LENGTH_MAX = 253;

function quote({ holder }: LeaseRecord): string {
  return JSON.stringify(holder.slice(0, HOLDER_LENGTH_MAX));
}

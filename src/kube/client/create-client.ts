// Puts the client together: the verbs over one way to call, which sends through the transport port.

import type { Clock } from "../clock.ts";
import type { Rand } from "../rand.ts";
import type { Transport } from "../transport.ts";
import { type CallReport, createCaller } from "./api-caller.ts";
import type { Client, UnreadAnswers } from "./client.ts";
import { readVerbs } from "./client-reads.ts";
import { writeVerbs } from "./client-writes.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { RETRY_LIMITS, type RetryLimits } from "./retry.ts";

/** For one attempt; shorter than the 60 s after which an API server gives up itself. */
export const CALL_TIMEOUT_MS = 30_000;
/** The store holds objects up to 1.5 MiB, and an answer that explains why one is invalid can be longer than the object. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

export type ClientOptions = {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  /** Who owns the fields we write; also our name in the server's audit log unless `userAgent` says more. */
  readonly fieldManager: string;
  readonly userAgent?: string;
  /** "lease" has a connection of its own and no limit in flight: a renewal must not wait behind other writes. */
  readonly lane?: "calls" | "lease";
  /** Clients of one server may share their limit. */
  readonly concurrency?: ConcurrencyLimit;
  readonly retry?: RetryLimits;
  readonly timeoutMs?: number;
  readonly unreadAnswers?: UnreadAnswers;
  readonly onCall?: (report: CallReport) => void;
};

/** Makes a client. It holds no connection, and no state but its concurrency limit. */
export function createClient(options: ClientOptions): Client {
  const lane = options.lane ?? "calls";
  const call = createCaller({
    transport: options.transport,
    clock: options.clock,
    rand: options.rand,
    lane,
    concurrency: lane === "lease" ? undefined : (options.concurrency ?? new ConcurrencyLimit()),
    retry: options.retry ?? RETRY_LIMITS,
    timeoutMs: options.timeoutMs ?? CALL_TIMEOUT_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
    userAgent: options.userAgent ?? options.fieldManager,
    onCall: options.onCall ?? (() => undefined),
  });
  return { call, ...readVerbs(call), ...writeVerbs(call, options.fieldManager, options.unreadAnswers) };
}

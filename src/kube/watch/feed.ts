// What a reflector reads and where it puts it: one resource of one server, and the store that mirrors it.

import type { CacheLimits } from "../cache/cache-limits.ts";
import type { Entry, Store } from "../cache/store.ts";
import type { CallReport } from "../client/api-caller.ts";
import type { ApiError } from "../client/api-error.ts";
import { apiErrorOf } from "../client/status-answer.ts";
import type { Clock } from "../clock.ts";
import type { Rand } from "../rand.ts";
import { collectionPath, type Query, type Resource, resourceName } from "../resource.ts";
import type { Transport } from "../transport.ts";
import { TransportError } from "../transport-error.ts";
import type { ObjectCodec, WireObject } from "../wire/codec.ts";
import { GuardedStream } from "./guarded-stream.ts";

export type Feed<V> = {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly resource: Resource;
  /** Our name in the server's audit log. */
  readonly userAgent?: string;
  /** All namespaces unless one is named. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limits: CacheLimits;
  readonly store: Store<V>;
  readonly codec: ObjectCodec;
  /** What the store shall hold of an object; undefined, and reported, when that cannot be told. */
  readonly read: (wire: WireObject) => Entry<V> | undefined;
  /** An object that cannot be held, or not whole. It costs nobody else: all others are taken in. */
  readonly unreadable: (message: string) => void;
  /** A request was answered, or will not be. */
  readonly called: (report: CallReport) => void;
  /** Some bytes came. */
  readonly heard: () => void;
  /** What came is as new as what we hold, or newer. */
  readonly alive: () => void;
};

/** An answer that says no is read up to here. */
const STATUS_BYTES_MAX = 64 * 1024;

export type FeedRequest = {
  readonly query: Query;
  /** From the request to the end of the answer. */
  readonly totalMs: number;
  readonly signal: AbortSignal;
};

/** Sends a GET for the feed's collection; throws what the server says when it is not 200. */
export async function openFeed<V>(feed: Feed<V>, { query, totalMs, signal }: FeedRequest): Promise<GuardedStream> {
  const { labelSelector, fieldSelector, limits, userAgent } = feed;
  const path = collectionPath(feed.resource, feed.namespace, { labelSelector, fieldSelector, ...query });
  const times = { answerMs: limits.answerMs, silenceMs: limits.silenceMs, totalMs };
  const get = { path, times, signal, ...(userAgent === undefined ? {} : { userAgent }) };
  const stream = await reported(feed, query, GuardedStream.open(feed, get));
  feed.heard();
  if (stream.status === 200) return stream;
  stream.endWithin(limits.answerMs);
  try {
    throw await readRefusal(stream, path);
  } finally {
    stream.close();
  }
}

async function reported<V>(feed: Feed<V>, query: Query, opening: Promise<GuardedStream>): Promise<GuardedStream> {
  const { clock, resource } = feed;
  const startMs = clock.monotonicMs();
  let code = "aborted";
  try {
    const stream = await opening;
    code = `${stream.status}`;
    return stream;
  } catch (error) {
    if (error instanceof TransportError) code = error.reason;
    throw error;
  } finally {
    const verb = query.watch === true ? "watch" : "list";
    const durationMs = clock.monotonicMs() - startMs;
    feed.called({ verb, resource: resourceName(resource), code, durationMs, waitedMs: 0, attempt: 1 });
  }
}

async function readRefusal(stream: GuardedStream, path: string): Promise<ApiError> {
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < STATUS_BYTES_MAX) {
    // A body that breaks or does not end costs the server's words; its status says no all the same.
    const chunk = await stream.next().catch(() => undefined);
    if (chunk === undefined) break;
    parts.push(chunk);
    length += chunk.length;
  }
  const answer = { status: stream.status, headers: stream.headers, body: Buffer.concat(parts) };
  return apiErrorOf({ method: "GET", path, attempts: 1 }, answer);
}

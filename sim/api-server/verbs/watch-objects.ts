// Opens watches: where each begins, and what it shows before the first change.

import type { Replica } from "../replica.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { readWatchQuery, type WatchQuery } from "../request/list-query.ts";
import { readSelectors } from "../request/selectors.ts";
import type { ServerParts, Target } from "../server-parts.ts";
import type { Change } from "../store/store.ts";
import { prefixOf, readPage } from "./list-objects.ts";
import { tooOld, WatchStream } from "./watch-stream.ts";

/** A watch that does not say how long it lasts gets between one and two of these. */
const DEFAULT_TIMEOUT_MS = 1_800_000;

/** The stream of a watch; one that begins too far back is told so in its first and only event. */
export async function watchObjects(
  parts: ServerParts,
  replica: Replica,
  target: Target,
  request: ApiRequest,
): Promise<AsyncIterable<Uint8Array>> {
  const { store, clock, rand } = parts;
  const selects = readSelectors(request.query, target.endpoint.type);
  const query = readWatchQuery(request.query);
  const start = await startOf(parts, replica, query);
  if (start.revision < store.compactedTo && !start.hasInitial) return only(tooOld(start.revision, store.compactedTo));
  const from = { revision: start.revision, from: prefixOf(target), limit: 0, selects };
  const initial: readonly Change[] = start.hasInitial ? readPage(store, target, from).changes : [];
  const timeoutMs =
    query.timeoutSeconds === undefined || query.timeoutSeconds === 0
      ? DEFAULT_TIMEOUT_MS * (1 + rand.next())
      : query.timeoutSeconds * 1000;
  return new WatchStream({
    ...{ store, replica, clock, endpoint: target.endpoint, prefix: prefixOf(target), selects, initial, timeoutMs },
    revision: start.revision,
    wantsBookmarks: query.wantsBookmarks,
    marksEnd: query.sendsInitialEvents && query.wantsBookmarks,
    signal: request.signal,
  });
}

type Start = { readonly revision: number; readonly hasInitial: boolean };

async function startOf({ store }: ServerParts, replica: Replica, query: WatchQuery): Promise<Start> {
  const { revision, sendsInitialEvents } = query;
  // Without a version, the present is meant: nothing older than this moment.
  const isPresent = revision === undefined;
  if (isPresent || sendsInitialEvents) await replica.sees(isPresent ? store.revision : revision);
  if (isPresent || sendsInitialEvents || revision === 0) return { revision: replica.seen, hasInitial: true };
  return { revision, hasInitial: false };
}

async function* only(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

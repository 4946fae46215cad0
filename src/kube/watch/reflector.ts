// Keeps a store equal to a resource of the API server: list, then watch, for ever. This loop does; reflector-policy.ts decides.
//
// Guarantees: the store is only ever replaced by whole lists and moved by events, never cleared and never back in time, also
// when a reconnect meets a server that lags behind. Every wait has an end.
// Assumes: lists without a version are quorum reads; events of one stream come in the order of their versions.
//
// Beside this file:
//   reflector-policy.ts, attempt-end.ts, attempt-log.ts: decides what follows an attempt
//   feed.ts: which resource to read, and into which store
//   list-reader.ts, list-draft.ts: a list, page by page
//   watch-reader.ts, guarded-stream.ts: a watch, with limits on silence

import { pause } from "../clock.ts";
import { isOlder } from "../resource-version.ts";
import { AttemptFault, endOf } from "./attempt-end.ts";
import { AttemptLog } from "./attempt-log.ts";
import type { Feed } from "./feed.ts";
import { ListDraft } from "./list-draft.ts";
import { readList } from "./list-reader.ts";
import {
  type Attempt,
  type AttemptEnd,
  decideNext,
  isDoubtful,
  isSetBack,
  type Move,
  type Position,
  startPosition,
} from "./reflector-policy.ts";
import { WatchReader } from "./watch-reader.ts";

export type Progress = {
  /** A whole list has come in. */
  readonly listed: () => void;
  /** An attempt is over and this is what comes next. */
  readonly moved: (attempt: Attempt, move: Move) => void;
};

/** Runs until the signal is aborted; trouble is reported, waited out and never thrown. */
export async function runReflector<V>(feed: Feed<V>, progress: Progress, signal: AbortSignal): Promise<void> {
  const { clock, rand, limits } = feed;
  let position = startPosition(clock.monotonicMs());
  while (!signal.aborted) {
    const attempt = await makeAttempt(feed, progress, position, signal);
    if (signal.aborted) return;
    const move = decideNext(position, attempt, limits, { nowMs: clock.monotonicMs(), chance: rand.next() });
    position = move.position;
    progress.moved(attempt, move);
    if (move.delayMs > 0) await pause(clock, move.delayMs, signal).catch(stopped);
  }
}

async function makeAttempt<V>(
  feed: Feed<V>,
  progress: Progress,
  position: Position,
  signal: AbortSignal,
): Promise<Attempt> {
  const log = new AttemptLog(feed.clock, () => feed.store.resourceVersion);
  const draft = new ListDraft(feed, { reusesEntries: position.staleLists === 0 });
  const adopt = (resourceVersion: string) => {
    adoptList(feed, position, draft, resourceVersion);
    log.listed();
    feed.alive();
    progress.listed();
  };
  try {
    return log.close(await take(feed, log, position, draft, adopt, signal));
  } catch (error) {
    return log.close(endOf(error));
  }
}

async function take<V>(
  feed: Feed<V>,
  log: AttemptLog,
  position: Position,
  draft: ListDraft<V>,
  adopt: (resourceVersion: string) => void,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  switch (position.step) {
    case "watch":
      await new WatchReader(feed, log, { behind: feed.store.resourceVersion }).read(signal);
      return { reason: "Ended", message: "the server ended the watch" };
    case "streamed-list":
      await new WatchReader(feed, log, { draft, adopt }).read(signal);
      return { reason: "Ended", message: "the server ended the watch" };
    case "paged-list":
      adopt(await readList(feed, draft, feed.limits.pageSize, signal));
      return { reason: "Listed", message: "listed in pages" };
    case "whole-list":
      adopt(await readList(feed, draft, undefined, signal));
      return { reason: "Listed", message: "listed at once" };
  }
}

/** Lets a whole list into the store, unless it would take us back in time or takes away more than we believe at once. */
function adoptList<V>(feed: Feed<V>, position: Position, draft: ListDraft<V>, resourceVersion: string): void {
  const { store, limits, clock } = feed;
  const isOld = isOlder(resourceVersion, store.resourceVersion);
  if (isOld && !isSetBack(position, limits, clock.monotonicMs())) {
    const seen = `version ${store.resourceVersion} was seen already`;
    throw new AttemptFault("StaleList", `the list is at version ${resourceVersion}, but ${seen}`);
  }
  const missing = store.missingFrom(draft.entries);
  if (!position.doubts && isDoubtful(store.size, missing, limits)) {
    throw new AttemptFault("DoubtedList", `the list lacks ${missing} of ${store.size} objects; asking once more`);
  }
  store.replace(draft.entries, resourceVersion);
}

/** The loop sees the aborted signal itself. */
function stopped(): void {}

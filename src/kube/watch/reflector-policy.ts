// What the reflector does next: pure rules over what its last attempt brought. The loop in reflector.ts only follows them.
//
// Guarantees: news is followed up at once from where it ended; attempts that bring none come ever more slowly, so no answer
// of a server makes a hot loop; what cannot be resumed is listed again.
import type { CacheLimits } from "../cache/cache-limits.ts";

/** How an attempt ended; also the word in logs and metrics. */
export type EndReason =
  /** The paged list is in the store. */
  | "Listed"
  /** The server ended the watch. */
  | "Ended"
  /** The connection broke, or there was none. */
  | "Broken"
  | "Unreachable"
  | "Untrusted"
  /** No answer or no byte in time. */
  | "Silent"
  /** The version or list position is too old for the server. */
  | "Expired"
  /** The server does not accept the request as it is, denies it, knows no such resource, or says no for another reason. */
  | "Invalid"
  | "Denied"
  | "NotFound"
  | "Refused"
  | "Overloaded"
  | "ServerFailed"
  /** What came is not what an API server sends. */
  | "Garbled"
  /** The server keeps sending news that is older than what we have seen. */
  | "Behind"
  /** An event is older than others of the same stream. */
  | "OutOfOrder"
  | "TooManyObjects"
  /** The list is older than what we have seen. */
  | "StaleList"
  /** The list lacks so many objects that a second one must confirm it. */
  | "DoubtedList"
  /** Our own mistake. */
  | "Fault";

export type AttemptEnd = {
  readonly reason: EndReason;
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
};

export type Attempt = {
  /** A whole list has reached the store. */
  readonly listed: boolean;
  /** The server accepted the request. */
  readonly answered: boolean;
  /** The watch moved the store's version forward. */
  readonly advanced: boolean;
  /** From the request to the last sign of a healthy stream, and to the end. */
  readonly aliveMs: number;
  readonly tookMs: number;
  readonly end: AttemptEnd;
};

/** A list as a stream of events, in pages, or in one page; or the changes since the last version. */
export type Step = "streamed-list" | "paged-list" | "whole-list" | "watch";

export type Position = {
  readonly step: Step;
  /** False once the server has refused to stream lists. */
  readonly streamsLists: boolean;
  /** Attempts in a row that brought nothing. */
  readonly failures: number;
  readonly barrenWatches: number;
  readonly listedAtMs: number;
  /** Lists in a row that were older than what we have seen, and when the first of them came. */
  readonly staleLists: number;
  readonly staleSinceMs: number;
  /** The last list lacked too much to be believed at once. */
  readonly doubts: boolean;
};

export type Move = {
  readonly position: Position;
  readonly delayMs: number;
  /** The attempt brought nothing, and what we hold is getting old. */
  readonly isFailure: boolean;
};

/** A Retry-After is stretched by up to this part, so that clients turned away together do not come back together. */
const RETRY_AFTER_STRETCH = 0.25;

/** Where a reflector begins. */
export function startPosition(nowMs: number): Position {
  return {
    step: "streamed-list",
    streamsLists: true,
    failures: 0,
    barrenWatches: 0,
    listedAtMs: nowMs,
    staleLists: 0,
    staleSinceMs: nowMs,
    doubts: false,
  };
}

/** Decides where to go on after an attempt, and after which delay; `chance` in [0, 1) is the jitter. */
export function decideNext(
  position: Position,
  attempt: Attempt,
  limits: CacheLimits,
  at: { readonly nowMs: number; readonly chance: number },
): Move {
  const { reason } = attempt.end;
  const isHealthy = attempt.advanced || attempt.aliveMs >= limits.healthyAfterMs;
  const isRefusal = position.step === "streamed-list" && reason === "Invalid";
  const isFailure = !isHealthy && !isRefusal && reason !== "Listed";
  const after: Position = {
    step: position.step,
    streamsLists: position.streamsLists && !isRefusal,
    failures: isHealthy ? 0 : position.failures + (isFailure ? 1 : 0),
    barrenWatches: barrenAfter(position, attempt, isHealthy),
    listedAtMs: attempt.listed ? listedAtMs(attempt, at.nowMs) : position.listedAtMs,
    staleLists: reason === "StaleList" ? position.staleLists + 1 : attempt.listed ? 0 : position.staleLists,
    staleSinceMs: position.staleLists === 0 ? at.nowMs : position.staleSinceMs,
    doubts: reason === "DoubtedList" || (position.doubts && !attempt.listed),
  };
  const step = stepAfter(after, attempt, limits, at.nowMs);
  const delayMs = isFailure ? backoffMs(after.failures, limits, at.chance) : spacingMs(attempt, limits);
  const askedMs =
    Math.min(attempt.end.retryAfterMs ?? 0, limits.retryAfterMaxMs) * (1 + RETRY_AFTER_STRETCH * at.chance);
  return {
    position: { ...after, step, barrenWatches: step === "watch" ? after.barrenWatches : 0 },
    delayMs: Math.round(Math.max(delayMs, askedMs)),
    isFailure,
  };
}

/** True when so many lists for so long were older than what we have seen that the server's history was set back. */
export function isSetBack(position: Position, limits: CacheLimits, nowMs: number): boolean {
  return position.staleLists >= limits.setBackLists && nowMs - position.staleSinceMs >= limits.setBackAfterMs;
}

/** True when a list lacks so many of the objects held that we would rather ask twice than believe it. */
export function isDoubtful(held: number, missing: number, limits: CacheLimits): boolean {
  return missing > limits.doubtedMin && missing > held * limits.doubtedShare;
}

/** A streamed list goes on as a watch, for minutes: it is as old as its beginning. */
function listedAtMs({ end, tookMs }: Attempt, nowMs: number): number {
  return end.reason === "Listed" ? nowMs : nowMs - tookMs;
}

function barrenAfter(position: Position, attempt: Attempt, isHealthy: boolean): number {
  if (isHealthy || attempt.listed) return 0;
  return position.barrenWatches + (position.step === "watch" && attempt.answered ? 1 : 0);
}

function stepAfter(position: Position, attempt: Attempt, limits: CacheLimits, nowMs: number): Step {
  const { reason } = attempt.end;
  const isInSync = position.step === "watch" || attempt.listed;
  const isLost = reason === "Expired" || reason === "OutOfOrder" || reason === "TooManyObjects";
  const isDue = nowMs - position.listedAtMs >= limits.relistMs;
  if (isInSync && !isLost && !isDue && position.barrenWatches < limits.barrenWatchesMax) return "watch";
  // A position that expired in the middle of a list will do so again: next time all comes at once.
  if (position.step === "paged-list" && reason === "Expired") return "whole-list";
  // A server that answers a streamed list but never completes it may well serve pages, so the two take turns.
  if (position.step === "streamed-list" && !attempt.listed) return "paged-list";
  return position.streamsLists ? "streamed-list" : "paged-list";
}

/** Half of it fixed, half of it jitter, so that clients which failed together do not come back together. */
function backoffMs(failures: number, limits: CacheLimits, chance: number): number {
  return Math.min(limits.delayMaxMs, limits.delayMinMs * 2 ** (failures - 1)) * (0.5 + 0.5 * chance);
}

/** A list is followed by its watch at once, news by more news no faster than the spacing. */
function spacingMs(attempt: Attempt, limits: CacheLimits): number {
  const isWatchOver = attempt.end.reason !== "Listed" && attempt.end.reason !== "Invalid";
  return isWatchOver ? Math.max(0, limits.spacingMs - attempt.tookMs) : 0;
}

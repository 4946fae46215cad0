// Every limit of the read side, by name. The defaults suit clusters of many thousands of nodes.

export type CacheLimits = {
  /** Objects held. More stop the cache loudly: it keeps what it has and says so, rather than hold half of the truth. */
  readonly objectsMax: number;
  /** One object as it comes over the wire; servers store up to 1.5 MiB unless told otherwise. */
  readonly objectBytesMax: number;
  /** Objects per page of a list, and pages per list. */
  readonly pageSize: number;
  readonly pagesMax: number;
  /** A watch is asked to end after a random time in between, so that not all clients reconnect at once. */
  readonly watchMinSeconds: number;
  readonly watchMaxSeconds: number;
  /** Until the status line of an answer; the server's own limit is 60 s. */
  readonly answerMs: number;
  /** Without a byte a stream counts as dead: servers send a bookmark about once a minute. */
  readonly silenceMs: number;
  /** For one page of a list to come whole; all objects are one page where positions expire. */
  readonly pageMs: number;
  /** Back-off after an attempt that brought nothing. */
  readonly delayMinMs: number;
  readonly delayMaxMs: number;
  /** A server's wish to be left alone is granted up to here. */
  readonly retryAfterMaxMs: number;
  /** Between the starts of two watches of which the first brought news. */
  readonly spacingMs: number;
  /** A watch that lived so long was healthy even if nothing changed. */
  readonly healthyAfterMs: number;
  /** Watches in a row that were answered and brought nothing: then a list shall tell what is wrong. */
  readonly barrenWatchesMax: number;
  /** After this time the end of a watch is followed by a list: it heals what a server lost without telling. */
  readonly relistMs: number;
  /** So many lists over so long a time must all be older than what we saw until we believe that history was set back. */
  readonly setBackLists: number;
  readonly setBackAfterMs: number;
  /** A list that would take away more than this share of the objects, and more than the number, is asked for twice. */
  readonly doubtedShare: number;
  readonly doubtedMin: number;
};

export const CACHE_LIMITS: CacheLimits = {
  objectsMax: 500_000,
  objectBytesMax: 16 * 1024 * 1024,
  pageSize: 500,
  pagesMax: 5_000,
  watchMinSeconds: 180,
  watchMaxSeconds: 300,
  answerMs: 60_000,
  silenceMs: 90_000,
  pageMs: 600_000,
  delayMinMs: 800,
  delayMaxMs: 30_000,
  retryAfterMaxMs: 300_000,
  spacingMs: 500,
  healthyAfterMs: 60_000,
  barrenWatchesMax: 3,
  relistMs: 300_000,
  setBackLists: 5,
  setBackAfterMs: 120_000,
  doubtedShare: 0.1,
  doubtedMin: 10,
};

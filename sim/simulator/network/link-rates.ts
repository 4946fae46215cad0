// How likely each fault of a connection is, at its worst, at each occasion: a request, a piece of a stream, a write.

/** What can go wrong between a process and the server, at its worst. Crashes come apart from these: not everybody is restarted. */
export const linkRates = {
  jitter: 0.5,
  slow: 0.03,
  refused: 0.05,
  "request-lost": 0.05,
  "answer-lost": 0.08,
  "request-twice": 0.03,
  mute: 0.01,
  overloaded: 0.05,
  failed: 0.05,
  "failed-after": 0.05,
  "watch-broken": 0.04,
  "watch-ended": 0.04,
  "watch-silent": 0.01,
  "watch-twice": 0.04,
  "watch-garbled": 0.02,
  "stale-server": 0.3,
  "goes-away": 0.01,
  "bookmark-lost": 0.3,
  "old-server": 0.3,
  "position-expired": 0.5,
};
/** Answers of a server that will not: 401, 403, and for writes 409 and 422. */
export const refusalRates = { unauthorized: 0.02, forbidden: 0.03, conflict: 0.05, invalid: 0.03 };
export const lossRates = { "event-dropped": 0.01 };
export const crashRates = { "crash-before-write": 0.03, "crash-after-write": 0.03, "crash-at-answer": 0.02 };

export type LinkFault =
  | keyof typeof linkRates
  | keyof typeof crashRates
  | keyof typeof refusalRates
  | keyof typeof lossRates;

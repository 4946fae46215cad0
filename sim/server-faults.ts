// What a scripted server may do wrong, and how likely each of it is.

/** How likely each fault is, from 0 to 1: for each request, or for each event where it says so. */
export type ServerFaults = {
  /** No connection; no answer ever; a status of 500; a status of 429; a web page. */
  readonly unreachable: number;
  readonly mute: number;
  readonly failed: number;
  readonly overloaded: number;
  readonly webPage: number;
  /** The body breaks off, ends in the middle of a line, falls silent for ever, or holds bytes that are no JSON. */
  readonly broken: number;
  readonly truncated: number;
  readonly halfOpen: number;
  readonly garbage: number;
  /** The watch begins with events that the client has seen already, in any order. */
  readonly replay: number;
  /** Per event: it is sent twice, it is never sent, it changes places with the next one. */
  readonly duplicate: number;
  readonly lost: number;
  readonly swapped: number;
  /** The list comes from a replica, against its promise, or is empty, against the truth. */
  readonly staleList: number;
  readonly emptyList: number;
  /** The write is done, its answer is lost. */
  readonly answerLost: number;
};

export const NO_FAULTS: ServerFaults = {
  ...{ unreachable: 0, mute: 0, failed: 0, overloaded: 0, webPage: 0 },
  ...{ broken: 0, truncated: 0, halfOpen: 0, garbage: 0, replay: 0 },
  ...{ duplicate: 0, lost: 0, swapped: 0, staleList: 0, emptyList: 0, answerLost: 0 },
};

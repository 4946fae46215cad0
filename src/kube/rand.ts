// The port for randomness: jitter and identities. A simulation hands in a seeded one.

export interface Rand {
  /** A number in [0, 1). */
  next(): number;
}

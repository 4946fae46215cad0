// A fact is what a node says about itself, or Unknown with the reason: what is missing or garbled is never guessed at,
// and an Unknown is neither smaller nor larger than anything.

export type Unknown = {
  /** Why nobody can tell: a clause that can follow "because". */
  readonly unknown: string;
  /** What the node said, letter by letter; empty if it said nothing. */
  readonly raw: string;
};

export type Fact<T> = T | Unknown;

/** Returns an Unknown with its reason and the text that gave rise to it. */
export function unknownFact(reason: string, raw = ""): Unknown {
  return { unknown: reason, raw };
}

/** True if the fact is Unknown. */
export function isUnknown(fact: unknown): fact is Unknown {
  return typeof fact === "object" && fact !== null && "unknown" in fact;
}

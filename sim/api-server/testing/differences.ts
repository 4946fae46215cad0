// Where this server still answers otherwise than the real one, exchange by exchange. The contract test fails for a difference
// that is not listed here, and for one that is listed but gone.

export type Difference = {
  readonly scenario: string;
  /** The sentence of the exchange. */
  readonly shows: string;
  readonly because: string;
};

export const differences: readonly Difference[] = [
  {
    scenario: "reviews",
    shows: "may I: a review answers with a status",
    because: "the real server adds managed fields to a review, which it stores nowhere and nobody reads",
  },
];

// Dividing a number of machines in the proportion of weights: exact, and the same every time.

/** Whole parts of `total` in the proportion of the weights; what rounding leaves goes to the largest remainders. */
export function apportion(weights: readonly number[], total: number): readonly number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (sum <= 0) throw new Error("there is nothing to divide by: the weights add up to zero");
  const exact = weights.map((weight) => (total * weight) / sum);
  const parts = exact.map(Math.floor);
  const left = total - parts.reduce((all, part) => all + part, 0);
  const byRemainder = exact
    .map((share, place) => ({ place, remainder: share - Math.floor(share) }))
    .sort((one, other) => other.remainder - one.remainder || one.place - other.place);
  const luckier = new Set(byRemainder.slice(0, left).map(({ place }) => place));
  return parts.map((part, place) => (luckier.has(place) ? part + 1 : part));
}

// What is made of the values of several rounds: the middle, and how far the others stray from it.

/** The middle half of the values lies between low and high. */
export type Spread = { readonly low: number; readonly high: number };

/** The middle value; between two middle ones, their mean. Throws on an empty list. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The first and third quartile. Throws on an empty list. */
export function spreadOf(values: readonly number[]): Spread {
  return { low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const position = (sorted.length - 1) * part;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new Error("no rounds were measured");
  return below + (above - below) * (position - Math.floor(position));
}

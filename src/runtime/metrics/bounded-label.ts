// A metric label must not grow with the cluster: each new value is a new series for ever. This lets the first so many
// distinct values through and calls all later ones "other".

const OTHER = "other";

/** A function that keeps at most `valuesMax` distinct values, in the order in which they first appear. */
export function boundedLabel(valuesMax: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= valuesMax) return OTHER;
    known.add(value);
    return value;
  };
}

// Where a name stands in a list that is in the order of names.

/** The place of the name, or the one where it would stand. */
export function placeOf(name: string, sorted: readonly { readonly name: string }[]): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle]?.name ?? "") < name) from = middle + 1;
    else to = middle;
  }
  return from;
}

// Where something stands in a list that is in order.

/** The place of a name in a list in the order of names, or the one where it would stand. */
export function placeOf(name: string, sorted: readonly { readonly name: string }[]): number {
  return placeAfter(sorted, (each) => each.name < name);
}

/** The place after all those that come first, in whichever order the list is. */
export function placeAfter<T>(sorted: readonly T[], comesFirst: (each: T) => boolean): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const each = sorted[middle];
    if (each !== undefined && comesFirst(each)) from = middle + 1;
    else to = middle;
  }
  return from;
}

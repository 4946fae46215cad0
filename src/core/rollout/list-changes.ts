// What differs between two lists in the order of names, of which the second came after the first. Whoever keeps something up to date by a
// list pays for what changed in it and, for the rest, for one comparison of references.

type Named = { readonly name: string };

/** Told of one change: what was there and is not, what is there and was not, or both where one took the place of the other. */
type OnChange<T> = (was: T | undefined, now: T | undefined) => void;

/** Tells every member of one list that is not, as the very same value, in the other; both are in the order of names. */
export function eachChange<T extends Named>(before: readonly T[], after: readonly T[], onChange: OnChange<T>): void {
  if (before === after) return;
  let old = 0;
  let at = 0;
  while (old < before.length || at < after.length) {
    const was = before[old];
    const now = after[at];
    const order = was === now ? 0 : orderOf(was, now);
    if (order <= 0) old += 1;
    if (order >= 0) at += 1;
    if (was !== now) onChange(order <= 0 ? was : undefined, order >= 0 ? now : undefined);
  }
}

/** The end of a list comes after every name. */
function orderOf(was: Named | undefined, now: Named | undefined): number {
  if (was === undefined) return 1;
  return now === undefined ? -1 : byName(was, now);
}

/** Code-unit order: the same everywhere, whatever the locale. */
function byName(a: Named, b: Named): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

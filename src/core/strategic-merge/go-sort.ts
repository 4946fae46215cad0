// The stable sort of Go's standard library, comparison by comparison. With a proper ordering any stable sort gives the
// same result; the merge sometimes sorts by a comparison that is none, and then the result is what this algorithm does.

export type Less = (left: number, right: number) => boolean;

const BLOCK_LENGTH = 20;

/** Sorts in place: insertion sort in blocks of twenty, then symmetric merging (Kim and Kutzner) of ever larger blocks. */
export function goStableSort(items: number[], isLess: Less): void {
  const end = items.length;
  for (let start = 0; start < end; start += BLOCK_LENGTH)
    insertionSort(items, start, Math.min(start + BLOCK_LENGTH, end), isLess);
  for (let length = BLOCK_LENGTH; length < end; length *= 2)
    for (let start = 0; start + length < end; start += 2 * length)
      symmetricMerge(items, { start, middle: start + length, end: Math.min(start + 2 * length, end) }, isLess);
}

function insertionSort(items: number[], start: number, end: number, isLess: Less): void {
  for (let next = start + 1; next < end; next += 1)
    for (let at = next; at > start && lessAt(items, at, at - 1, isLess); at -= 1) swap(items, at, at - 1);
}

/** Two neighbouring sorted runs: [start, middle) and [middle, end). */
type Runs = { readonly start: number; readonly middle: number; readonly end: number };

function symmetricMerge(items: number[], { start, middle, end }: Runs, isLess: Less): void {
  if (middle - start === 1) {
    const at = search(middle, end, (probe) => lessAt(items, probe, start, isLess));
    rotate(items, { start, middle, end: at });
  } else if (end - middle === 1) {
    const at = search(start, middle, (probe) => !lessAt(items, middle, probe, isLess));
    rotate(items, { start: at, middle, end });
  } else mergeInHalves(items, { start, middle, end }, isLess);
}

function mergeInHalves(items: number[], { start, middle, end }: Runs, isLess: Less): void {
  const half = Math.floor((start + end) / 2);
  const sum = half + middle;
  const lowest = middle > half ? sum - end : start;
  const highest = middle > half ? half : middle;
  const from = search(lowest, highest, (probe) => !lessAt(items, sum - 1 - probe, probe, isLess));
  const to = sum - from;
  if (from < middle && middle < to) rotate(items, { start: from, middle, end: to });
  if (start < from && from < half) symmetricMerge(items, { start, middle: from, end: half }, isLess);
  if (half < to && to < end) symmetricMerge(items, { start: half, middle: to, end }, isLess);
}

/** The first place from `low` up to `high` at which the claim fails, found by halving. */
function search(low: number, high: number, holds: (probe: number) => boolean): number {
  let from = low;
  let to = high;
  while (from < to) {
    const probe = Math.floor((from + to) / 2);
    if (holds(probe)) from = probe + 1;
    else to = probe;
  }
  return from;
}

/** Exchanges two neighbouring runs, each in its own order. */
function rotate(items: number[], { start, middle, end }: Runs): void {
  const turned = [...items.slice(middle, end), ...items.slice(start, middle)];
  for (const [offset, item] of turned.entries()) items[start + offset] = item;
}

function swap(items: number[], i: number, j: number): void {
  [items[i], items[j]] = [at(items, j), at(items, i)];
}

function lessAt(items: readonly number[], i: number, j: number, isLess: Less): boolean {
  return isLess(at(items, i), at(items, j));
}

function at(items: readonly number[], index: number): number {
  const item = items[index];
  if (item === undefined) throw new RangeError(`no item ${index} among ${items.length}`);
  return item;
}

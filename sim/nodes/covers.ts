// Whether the API has already what a kubelet would write.

/** True when everything in `wanted` is in `held` with the same value; lists of conditions are compared by type. */
export function covers(held: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(held) && wanted.every((item, place) => covers(sameItem(held, item, place), item));
  }
  if (typeof wanted !== "object" || wanted === null) return (held ?? "") === wanted;
  if (typeof held !== "object" || held === null) return false;
  const fields = new Map(Object.entries(held));
  return Object.entries(wanted).every(([name, value]) => covers(fields.get(name), value));
}

function sameItem(held: readonly unknown[], item: unknown, place: number): unknown {
  const type = typeOf(item);
  return type === undefined ? held[place] : held.find((candidate) => typeOf(candidate) === type);
}

function typeOf(item: unknown): unknown {
  return typeof item === "object" && item !== null && "type" in item ? item.type : undefined;
}

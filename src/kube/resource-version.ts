// Resource versions: which of two states of a resource is newer. The store and the watch ask this to never go backwards.
//
// A version is opaque where equality is enough. Since Kubernetes 1.35 its order is part of the API as well: versions of
// one resource are decimal integers of any length that only grow. They are compared as text, by length and then by
// digits, because a Number loses bits above 2^53. A server outside that rule gives no order, and we claim none.

const DECIMAL = /^(0|[1-9][0-9]*)$/;

/** Below 0 when `a` is older than `b`, 0 when equal, above 0 when newer; undefined when the server's versions have no order. */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** True only when the order is known and `a` comes first. */
export function isOlder(a: string, b: string): boolean {
  const order = compareVersions(a, b);
  return order !== undefined && order < 0;
}

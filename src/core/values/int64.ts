// Signed 64-bit integers written as decimal text, as label values, taints and percentages carry them.
// Most fit a number; those beyond 2^53 become bigint, so that no digit is lost and comparisons stay exact.

/** A whole number within int64: a number where that is exact, a bigint beyond. Compare with < and >. */
export type Int64 = number | bigint;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const INT64_DIGITS_MAX = 19;

const plus = 0x2b;
const minus = 0x2d;
const zero = 0x30;

/** Reads an optional sign and decimal digits (leading zeros allowed); undefined when it is no int64. */
export function parseInt64(text: string): Int64 | undefined {
  const first = text.charCodeAt(0);
  const isNegative = first === minus;
  const start = isNegative || first === plus ? 1 : 0;
  if (start === text.length) return undefined;
  let value = 0;
  for (let at = start; at < text.length; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  // Subtracting from zero instead of negating keeps "-0" from becoming the number -0.
  if (value <= Number.MAX_SAFE_INTEGER) return isNegative ? 0 - value : value;
  return exactInt64(text, start, isNegative);
}

/** Reads "0", or an optional minus and digits without leading zero; undefined for every other spelling. */
export function parseCanonicalInt64(text: string): Int64 | undefined {
  const isNegative = text.charCodeAt(0) === minus;
  const leading = text.charCodeAt(isNegative ? 1 : 0);
  if (leading === plus) return undefined;
  if (leading === zero && text !== "0") return undefined;
  return parseInt64(text);
}

function exactInt64(text: string, start: number, isNegative: boolean): bigint | undefined {
  let from = start;
  while (text.charCodeAt(from) === zero) from++;
  // Checked before BigInt() sees the text: its cost grows faster than the number of digits.
  if (text.length - from > INT64_DIGITS_MAX) return undefined;
  const magnitude = BigInt(text.slice(from));
  const value = isNegative ? -magnitude : magnitude;
  return value < INT64_MIN || value > INT64_MAX ? undefined : value;
}

/** Says whether a number that may be missing lies strictly above (`Gt`) or below (`Lt`) the bound. */
export function isBeyond(op: "Gt" | "Lt", value: Int64 | undefined, bound: Int64): boolean {
  if (value === undefined) return false;
  return op === "Gt" ? value > bound : value < bound;
}

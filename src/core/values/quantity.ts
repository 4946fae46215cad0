// Resource quantities ("500m", "1.5Gi", "1e3") read as Kubernetes reads them, into exact numbers that can be compared.
// A quantity is mantissa × 10^exponent; both stay as small as the text, so that "1e1000000000" costs nothing.

import type { Parsed } from "../decision/problem.ts";
import { parseInt64 } from "./int64.ts";
import { quoted } from "./shown.ts";

export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

export type Quantity = {
  readonly mantissa: bigint;
  readonly exponent: number;
  /** The family of suffixes the author used, and the canonical text uses again. */
  readonly format: QuantityFormat;
  /** The text as written where Kubernetes takes it for canonical, else empty. */
  readonly written: string;
  /** Whether Kubernetes would hold it as an int64 with a scale, as it does for all but very long or odd numbers. */
  readonly isInt64: boolean;
};

/** Longer texts are refused: arithmetic on their digits would cost more than any quantity is worth. */
export const QUANTITY_CHARS_MAX = 1024;

/** Kubernetes holds up to this many digits as an int64, and never more precision than this exponent. */
const INT64_DIGITS = 18;
const NANO = -9;
const BINARY_DIGITS = 15;
const INT64_MAX = 2n ** 63n - 1n;

type Suffix = { readonly base: 2 | 10; readonly exponent: number; readonly format: QuantityFormat };
type Pieces = {
  readonly sign: bigint;
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
  readonly hasDigit: boolean;
};

const digitChars = "0123456789";
const suffixChars = "eEinumkKMGTP";

const suffixes: ReadonlyMap<string, Suffix> = new Map<string, Suffix>([
  ["n", { base: 10, exponent: -9, format: "DecimalSI" }],
  ["u", { base: 10, exponent: -6, format: "DecimalSI" }],
  ["m", { base: 10, exponent: -3, format: "DecimalSI" }],
  ["", { base: 10, exponent: 0, format: "DecimalSI" }],
  ["k", { base: 10, exponent: 3, format: "DecimalSI" }],
  ["M", { base: 10, exponent: 6, format: "DecimalSI" }],
  ["G", { base: 10, exponent: 9, format: "DecimalSI" }],
  ["T", { base: 10, exponent: 12, format: "DecimalSI" }],
  ["P", { base: 10, exponent: 15, format: "DecimalSI" }],
  ["E", { base: 10, exponent: 18, format: "DecimalSI" }],
  ["Ki", { base: 2, exponent: 10, format: "BinarySI" }],
  ["Mi", { base: 2, exponent: 20, format: "BinarySI" }],
  ["Gi", { base: 2, exponent: 30, format: "BinarySI" }],
  ["Ti", { base: 2, exponent: 40, format: "BinarySI" }],
  ["Pi", { base: 2, exponent: 50, format: "BinarySI" }],
  ["Ei", { base: 2, exponent: 60, format: "BinarySI" }],
]);

/** Reads a quantity with all the leniency of the API server ("-", ".5", "1.Gi" and "k" are numbers to it). */
export function parseQuantity(text: string, path = "quantity"): Parsed<Quantity> {
  if (text.length > QUANTITY_CHARS_MAX)
    return refused(path, text, `must be at most ${QUANTITY_CHARS_MAX} characters long`);
  if (text === "") return refused(path, text, "must not be empty");
  if (text === "0") {
    return { ok: true, value: { mantissa: 0n, exponent: 0, format: "DecimalSI", written: "0", isInt64: true } };
  }
  const pieces = piecesOf(text);
  const suffix = pieces === undefined ? undefined : suffixOf(pieces.suffix);
  if (pieces === undefined || suffix === undefined) {
    return refused(path, text, 'must be a number with an optional suffix, such as "500m", "2Gi" or "1e3"');
  }
  const small = int64Quantity(text, pieces, suffix);
  if (small !== undefined) return { ok: true, value: small };
  if (!pieces.hasDigit) return refused(path, text, "must have a digit");
  return { ok: true, value: decimalQuantity(pieces, suffix) };
}

/** Orders two quantities by their exact values: negative, zero or positive. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const signs = order(signOf(a.mantissa), signOf(b.mantissa));
  if (signs !== 0 || a.mantissa === 0n) return signs;
  // Numbers of different magnitude are told apart before anything is multiplied by a power of ten.
  const magnitudes = order(magnitudeOf(a), magnitudeOf(b));
  if (magnitudes !== 0) return a.mantissa > 0n ? magnitudes : order(magnitudeOf(b), magnitudeOf(a));
  const exponent = Math.min(a.exponent, b.exponent);
  return order(shifted(a, exponent), shifted(b, exponent));
}

function int64Quantity(text: string, pieces: Pieces, suffix: Suffix): Quantity | undefined {
  const digits = pieces.whole + pieces.fraction;
  if (!fitsInt64(pieces, suffix)) return undefined;
  const exponent = ((suffix.base === 10 ? suffix.exponent : 0) - pieces.fraction.length) | 0;
  if (exponent < NANO) return undefined;
  const value = BigInt(digits);
  const isCanonical =
    suffix.base === 2 ? value % 8n !== 0n : exponent % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  const mantissa = pieces.sign * (suffix.base === 2 ? value << BigInt(suffix.exponent) : value);
  return { mantissa, exponent, format: suffix.format, written: isCanonical ? text : "", isInt64: true };
}

function fitsInt64(pieces: Pieces, suffix: Suffix): boolean {
  if (suffix.base === 10) return pieces.whole.length + pieces.fraction.length <= INT64_DIGITS;
  // A binary suffix costs three decimal digits per step of 1024, and Kubernetes keeps one in reserve.
  return pieces.fraction === "" && pieces.whole.length + (suffix.exponent * 3) / 10 + 1 <= BINARY_DIGITS;
}

/** Everything an int64 cannot hold: rounded up to a billionth, and capped where it has a binary suffix. */
function decimalQuantity(pieces: Pieces, suffix: Suffix): Quantity {
  const digits = BigInt(pieces.whole + pieces.fraction);
  const power = suffix.base === 10 ? suffix.exponent : 0;
  const magnitude = suffix.base === 2 ? digits << BigInt(suffix.exponent) : digits;
  const rounded = roundedUp(magnitude, power - pieces.fraction.length);
  const isBinary = suffix.format === "BinarySI";
  const whole = isBinary ? shiftedDown(rounded.mantissa, -rounded.exponent) : 0n;
  if (isBinary && whole >= INT64_MAX) {
    return { mantissa: pieces.sign * INT64_MAX, exponent: 0, format: "BinarySI", written: "", isInt64: false };
  }
  const isFraction = isBinary && whole === 0n && rounded.mantissa !== 0n;
  const format = isFraction ? "DecimalSI" : suffix.format;
  return { mantissa: pieces.sign * rounded.mantissa, exponent: rounded.exponent, format, written: "", isInt64: false };
}

/** Whoever asks for some of a resource gets some, so what is below a billionth is rounded away from zero. */
function roundedUp(mantissa: bigint, exponent: number): { readonly mantissa: bigint; readonly exponent: number } {
  const excess = NANO - exponent;
  if (mantissa === 0n || excess <= 0) return { mantissa, exponent };
  if (excess > digitCount(mantissa)) return { mantissa: 1n, exponent: NANO };
  const kept = shiftedDown(mantissa, excess);
  const isExact = kept * 10n ** BigInt(excess) === mantissa;
  return { mantissa: isExact ? kept : kept + 1n, exponent: NANO };
}

function shiftedDown(mantissa: bigint, digits: number): bigint {
  return mantissa / 10n ** BigInt(digits);
}

function suffixOf(suffix: string): Suffix | undefined {
  const known = suffixes.get(suffix);
  if (known !== undefined || suffix.length < 2) return known;
  if (!suffix.startsWith("e") && !suffix.startsWith("E")) return undefined;
  const exponent = parseInt64(suffix.slice(1));
  if (exponent === undefined) return undefined;
  // Kubernetes keeps the low 32 bits of an exponent, so 1e4294967297 is ten to it; both sides must agree on the value.
  return { base: 10, exponent: Number(BigInt.asIntN(32, BigInt(exponent))), format: "DecimalExponent" };
}

/** Cuts sign, digits, fraction and suffix; undefined when something else follows. */
function piecesOf(text: string): Pieces | undefined {
  const start = skip(text, 0, "+-", 1);
  const wholeStart = skip(text, start, "0");
  const wholeEnd = skip(text, wholeStart, digitChars);
  const fractionStart = skip(text, wholeEnd, ".", 1);
  const fractionEnd = fractionStart === wholeEnd ? wholeEnd : skip(text, fractionStart, digitChars);
  const lettersEnd = skip(text, fractionEnd, suffixChars);
  const end = skip(text, skip(text, lettersEnd, "+-", 1), digitChars);
  if (end < text.length) return undefined;
  const fraction = text.slice(fractionStart, fractionEnd);
  return {
    sign: text.startsWith("-") ? -1n : 1n,
    whole: text.slice(wholeStart, wholeEnd) || "0",
    fraction,
    suffix: text.slice(fractionEnd),
    hasDigit: wholeEnd > start || fraction !== "",
  };
}

/** The index behind the characters of this set that stand at the index, at most so many of them. */
function skip(text: string, from: number, chars: string, max = text.length): number {
  let at = from;
  while (at < text.length && at - from < max && chars.includes(text.charAt(at))) at++;
  return at;
}

function signOf(mantissa: bigint): number {
  return mantissa > 0n ? 1 : mantissa < 0n ? -1 : 0;
}

function magnitudeOf(quantity: Quantity): number {
  return digitCount(quantity.mantissa) + quantity.exponent;
}

function digitCount(mantissa: bigint): number {
  return (mantissa < 0n ? -mantissa : mantissa).toString().length;
}

function shifted(quantity: Quantity, exponent: number): bigint {
  return quantity.mantissa * 10n ** BigInt(quantity.exponent - exponent);
}

function order<T extends number | bigint>(a: T, b: T): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0;
}

function refused(path: string, text: string, why: string): Parsed<never> {
  return { ok: false, problems: [{ path, message: `quantity ${quoted(text)} ${why}` }] };
}

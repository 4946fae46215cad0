// Counts that a user writes as a number or as a percentage: how many nodes may be down, surge, or be held back.
// Read once, then scaled to the fleet's size; rounding is the caller's choice, because budgets round up and holds round down.

import type { Parsed, Problem } from "../decision/problem.ts";
import { parseInt64 } from "./int64.ts";
import { quoted } from "./shown.ts";

export type IntOrPercent =
  | { readonly kind: "count"; readonly count: number }
  | { readonly kind: "percent"; readonly percent: number };

export type Rounding = "up" | "down";

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** Reads a whole number within 32 bits, or a text such as "25%"; signs are allowed, blanks and bare digits are not. */
export function parseIntOrPercent(
  value: unknown,
  path: string,
  options: { readonly fractions: boolean } = { fractions: false },
): Parsed<IntOrPercent> {
  if (typeof value === "number" && Number.isInteger(value) && value >= INT32_MIN && value <= INT32_MAX) {
    return { ok: true, value: { kind: "count", count: value + 0 } };
  }
  if (typeof value !== "string") return refused(path, value, "must be a whole number within 32 bits or a percentage");
  if (!value.endsWith("%")) return refused(path, value, 'must end in "%", or be written without quotes as a number');
  const digits = value.slice(0, -1);
  const percent = options.fractions ? parseFraction(digits) : parseInt64(digits);
  if (percent === undefined) return refused(path, value, 'must be digits followed by "%"');
  return { ok: true, value: { kind: "percent", percent: Number(percent) } };
}

/** The count itself, or that share of the total: never clamped, so 150% is more than all. */
export function scaled(value: IntOrPercent, total: number, rounding: Rounding): number {
  if (value.kind === "count") return value.count;
  // Multiplied first, as Kubernetes does: 0.57 × 100 would fall short of 57.
  const share = (value.percent * total) / 100;
  // Adding zero turns -0 into 0.
  return (rounding === "up" ? Math.ceil(share) : Math.floor(share)) + 0;
}

/** Says why a value is neither a count from zero up nor plain digits with "%", or nothing when it is. */
export function nonNegativeFault(value: unknown): string | undefined {
  if (typeof value === "string") {
    return percentDigits(value) === undefined ? 'must be digits followed by "%"' : undefined;
  }
  const parsed = parseIntOrPercent(value, "");
  if (!parsed.ok) return "must be a whole number within 32 bits or a percentage";
  return parsed.value.kind === "count" && parsed.value.count < 0 ? "must not be negative" : undefined;
}

/** Says that a percentage is above 100%, or nothing when it is not, or is none. */
export function hundredPercentFault(value: unknown): string | undefined {
  const digits = typeof value === "string" ? percentDigits(value)?.replace(/^0+/, "") : undefined;
  if (digits === undefined) return undefined;
  return digits.length > 3 || Number(digits) > 100 ? "must not be greater than 100%" : undefined;
}

function parseFraction(text: string): number | undefined {
  const [whole = "", fraction, rest] = text.split(".");
  if (rest !== undefined) return undefined;
  const isNumber = fraction === undefined ? parseInt64(whole) !== undefined : isSigned(whole) && isDigits(fraction);
  return isNumber ? Number(text) : undefined;
}

function isSigned(text: string): boolean {
  return isDigits(text.startsWith("-") || text.startsWith("+") ? text.slice(1) : text);
}

function percentDigits(text: string): string | undefined {
  const digits = text.slice(0, -1);
  return text.endsWith("%") && isDigits(digits) ? digits : undefined;
}

function isDigits(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char < 0x30 || char > 0x39) return false;
  }
  return text !== "";
}

function refused(
  path: string,
  value: unknown,
  why: string,
): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems: [{ path, message: `${why}, not ${quoted(value)}` }] };
}

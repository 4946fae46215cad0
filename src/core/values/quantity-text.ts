// The canonical text of a quantity: what the API server stores and kubectl prints, so that two spellings of one amount
// compare as equal texts.

import type { Quantity } from "./quantity.ts";

const siSuffixes: ReadonlyMap<number, string> = new Map([
  [-9, "n"],
  [-6, "u"],
  [-3, "m"],
  [0, ""],
  [3, "k"],
  [6, "M"],
  [9, "G"],
  [12, "T"],
  [15, "P"],
  [18, "E"],
]);
const binarySuffixes: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** Writes the quantity as Kubernetes does. Caveat: amounts from 10^21 up lose their power of ten there, and so here. */
export function quantityText(quantity: Quantity): string {
  if (quantity.written !== "") return quantity.written;
  if (quantity.mantissa === 0n) return "0";
  switch (quantity.format) {
    case "DecimalExponent":
    case "DecimalSI":
      return decimalText(quantity, quantity.format);
    case "BinarySI":
      return binaryText(quantity) ?? decimalText(quantity, "DecimalSI");
  }
}

/** Undefined where a binary suffix would hide digits: below 1024, or with a fraction. */
function binaryText(quantity: Quantity): string | undefined {
  const divisor = 10n ** BigInt(-quantity.exponent);
  const whole = quantity.mantissa / divisor;
  if (whole * divisor !== quantity.mantissa) return undefined;
  if (whole > -1024n && whole < 1024n) return undefined;
  let amount = whole;
  let steps = 0;
  while (amount % 1024n === 0n) {
    amount /= 1024n;
    steps++;
  }
  return `${amount}${binarySuffixes[steps] ?? ""}`;
}

/** The fewest digits with an exponent that is a multiple of three. */
function decimalText(quantity: Quantity, format: "DecimalSI" | "DecimalExponent"): string {
  const digits = quantity.mantissa.toString();
  let end = digits.length;
  while (digits.charAt(end - 1) === "0") end--;
  // Kubernetes computes exponents in 32 bits.
  const exponent = (quantity.exponent + digits.length - end) | 0;
  const padding = ((exponent % 3) + 3) % 3;
  const number = `${digits.slice(0, end)}${"0".repeat(padding)}`;
  return `${number}${suffixText((exponent - padding) | 0, format)}`;
}

function suffixText(exponent: number, format: "DecimalSI" | "DecimalExponent"): string {
  if (format === "DecimalSI") return siSuffixes.get(exponent) ?? "";
  return exponent === 0 ? "" : `e${exponent}`;
}

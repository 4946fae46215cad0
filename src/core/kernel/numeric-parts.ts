// Dotted integers, the part of a kernel release or an OS version that has an order: 5.12 comes after 5.4.

/** 15 digits are exact in a double, so comparing never rounds; a longer number is refused, not approximated. */
export const PART_DIGITS_MAX = 15;
export const PARTS_MAX = 8;

export type NumericParts = readonly number[];
export type ScannedParts = { readonly parts: NumericParts; readonly end: number } | { readonly error: string };

/** Reads the longest `number.number…` that begins at `start`; no digit there gives no parts. */
export function scanParts(text: string, start: number): ScannedParts {
  const parts: number[] = [];
  let position = start;
  for (;;) {
    const digitsEnd = skipDigits(text, position);
    if (digitsEnd === position) break;
    if (digitsEnd - position > PART_DIGITS_MAX) {
      return {
        error: `part ${parts.length + 1} has ${digitsEnd - position} digits; at most ${PART_DIGITS_MAX} compare`,
      };
    }
    if (parts.length === PARTS_MAX) return { error: `more than ${PARTS_MAX} numeric parts` };
    parts.push(Number(text.slice(position, digitsEnd)));
    position = digitsEnd;
    if (text[position] !== "." || !isDigit(text, position + 1)) break;
    position += 1;
  }
  return { parts, end: position };
}

/** Returns the parts if the whole text is a dotted number, else undefined. */
export function parseParts(text: string): NumericParts | undefined {
  const scanned = scanParts(text, 0);
  if ("error" in scanned || scanned.parts.length === 0 || scanned.end !== text.length) return undefined;
  return scanned.parts;
}

/** Returns the sign of `a - b`, part by part; a part that is not written counts as 0. */
export function compareParts(a: NumericParts, b: NumericParts): -1 | 0 | 1 {
  const length = Math.max(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return 0;
}

function skipDigits(text: string, start: number): number {
  let position = start;
  while (isDigit(text, position)) position += 1;
  return position;
}

function isDigit(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  return code >= 48 && code <= 57;
}

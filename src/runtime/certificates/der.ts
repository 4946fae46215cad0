// The few forms of DER (X.690) that a certificate is made of. Each function returns one complete element.

export type Der = Uint8Array;

const SHORT_LENGTH_MAX = 0x7f;
/** UTCTime has two digits for the year and ends in 2049 (RFC 5280, 4.1.2.5). */
const GENERALIZED_FROM_YEAR = 2050;

export function sequence(...parts: readonly Der[]): Der {
  return element(0x30, concat(parts));
}

export function setOf(part: Der): Der {
  return element(0x31, part);
}

export function boolean(value: boolean): Der {
  return element(0x01, Uint8Array.of(value ? 0xff : 0x00));
}

/** A non-negative integer from its big-endian bytes. */
export function integer(bytes: Uint8Array): Der {
  const first = bytes.findIndex((byte) => byte !== 0);
  const shortest = first === -1 ? Uint8Array.of(0) : bytes.subarray(first);
  const isNegativeLooking = ((shortest[0] ?? 0) & 0x80) !== 0;
  return element(0x02, isNegativeLooking ? concat([Uint8Array.of(0), shortest]) : shortest);
}

/** `unusedBits` counts from the end of the last byte. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Der {
  return element(0x03, concat([Uint8Array.of(unusedBits), bytes]));
}

export function octetString(bytes: Uint8Array): Der {
  return element(0x04, bytes);
}

export function utf8String(text: string): Der {
  return element(0x0c, new TextEncoder().encode(text));
}

/** An object identifier in its dotted form. */
export function objectId(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(0x06, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** A point in time, to the second. */
export function time(wallMs: number): Der {
  const digits = new Date(wallMs).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  const isGeneralized = new Date(wallMs).getUTCFullYear() >= GENERALIZED_FROM_YEAR;
  const text = new TextEncoder().encode(isGeneralized ? digits : digits.slice(2));
  return element(isGeneralized ? 0x18 : 0x17, text);
}

/** An element inside a context tag, e.g. [3] EXPLICIT. */
export function explicit(tag: number, part: Der): Der {
  return element(0xa0 | tag, part);
}

/** Bytes under a context tag instead of their own, e.g. [2] IMPLICIT IA5String. */
export function implicit(tag: number, bytes: Uint8Array): Der {
  return element(0x80 | tag, bytes);
}

function element(tag: number, content: Uint8Array): Der {
  return concat([Uint8Array.of(tag, ...lengthBytes(content.length)), content]);
}

function lengthBytes(length: number): readonly number[] {
  if (length <= SHORT_LENGTH_MAX) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

function base128(value: number): readonly number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 0x80);
  return bytes;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

// MurmurHash3 (x86, 128 bits) over blocks of four words: quick and well spread in 32-bit arithmetic, no defence against somebody who looks for
// collisions. `fingerprint.ts` says what the blocks of a value are.

/** The four words of the state, and how many blocks they have taken in. */
export type Lanes = { a: number; b: number; c: number; d: number; blocks: number };

export type Digest = readonly [number, number, number, number];

const FACTOR_A = 0x239b961b;
const FACTOR_B = 0xab0e9789 | 0;
const FACTOR_C = 0x38b34ae5;
const FACTOR_D = 0xa1e38b93 | 0;
const BLOCK_BYTES = 16;
/** UTF-16 units in the first block of a text, beside its kind and length, and in each other one. */
const FIRST_UNITS = 4;
const BLOCK_UNITS = 8;

/** The state before any block. */
export function beginDigest(): Lanes {
  return { a: 0, b: 0, c: 0, d: 0, blocks: 0 };
}

/** Takes in one block; names of the steps are those of the published code. */
export function absorb(lanes: Lanes, first: number, second: number, third: number, fourth: number): void {
  const { b, c, d } = lanes;
  const a = step(lanes.a, first, FACTOR_A, 15, FACTOR_B);
  lanes.a = (Math.imul((rotated(a, 19) + b) | 0, 5) + 0x561ccd1b) | 0;
  const nextB = step(b, second, FACTOR_B, 16, FACTOR_C);
  lanes.b = (Math.imul((rotated(nextB, 17) + c) | 0, 5) + 0x0bcaa747) | 0;
  const nextC = step(c, third, FACTOR_C, 17, FACTOR_D);
  lanes.c = (Math.imul((rotated(nextC, 15) + d) | 0, 5) + 0x96cd1c35) | 0;
  const nextD = step(d, fourth, FACTOR_D, 18, FACTOR_A);
  lanes.d = (Math.imul((rotated(nextD, 13) + lanes.a) | 0, 5) + 0x32ac3b17) | 0;
  lanes.blocks += 1;
}

function step(lane: number, word: number, before: number, bits: number, after: number): number {
  return lane ^ Math.imul(rotated(Math.imul(word, before), bits), after);
}

/** Takes in a text with its length, and what kind of text it is; half a surrogate pair counts as U+FFFD, as in a canonical text. */
export function absorbText(lanes: Lanes, kind: number, text: string): void {
  const units = text.toWellFormed();
  const { length } = units;
  absorb(lanes, kind, length, wordAt(units, 0), wordAt(units, 2));
  for (let at = FIRST_UNITS; at < length; at += BLOCK_UNITS)
    absorb(lanes, wordAt(units, at), wordAt(units, at + 2), wordAt(units, at + 4), wordAt(units, at + 6));
}

/** Two units; behind the end there are zeros. */
function wordAt(text: string, at: number): number {
  return unitAt(text, at) | (unitAt(text, at + 1) << 16);
}

function unitAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

/** The digest of all blocks. */
export function endDigest(lanes: Lanes): Digest {
  const length = lanes.blocks * BLOCK_BYTES;
  const [a, b, c, d] = summed(lanes.a ^ length, lanes.b ^ length, lanes.c ^ length, lanes.d ^ length);
  return summed(spread(a), spread(b), spread(c), spread(d));
}

function summed(a: number, b: number, c: number, d: number): Digest {
  const sum = (a + b + c + d) | 0;
  return [sum, (b + sum) | 0, (c + sum) | 0, (d + sum) | 0];
}

function spread(word: number): number {
  const first = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return second ^ (second >>> 16);
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

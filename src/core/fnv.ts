// The FNV hashes, over UTF-8 bytes: the 32-bit ones because Kubernetes names revisions with them, the 64-bit one for
// names of our own. Caveat: they spread well but stop no attacker; never let a name alone prove ownership.

const OFFSET_32 = 2166136261;
const PRIME_32 = 16777619;
/** The 64-bit prime is 2^40 + 435; the offset basis is split into two halves. */
const PRIME_64_LOW = 435;
const OFFSET_64_HIGH = 0xcbf29ce4;
const OFFSET_64_LOW = 0x84222325;
const TWO_32 = 2 ** 32;

/** The bytes of a text in UTF-8; half a surrogate pair becomes U+FFFD, as Go writes it. */
export function utf8Bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** FNV-1a, 32 bit: xor, then multiply. A hash given as start is continued. */
export function fnv1a32(bytes: Uint8Array, start = OFFSET_32): number {
  let hash = start;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME_32);
  return hash >>> 0;
}

/** FNV-1, 32 bit: multiply, then xor. */
export function fnv1Hash32(bytes: Uint8Array): number {
  let hash = OFFSET_32;
  for (const byte of bytes) hash = Math.imul(hash, PRIME_32) ^ byte;
  return hash >>> 0;
}

/** FNV-1a, 64 bit, as its high and its low half. */
export function fnv1a64(bytes: Uint8Array): readonly [high: number, low: number] {
  let high = OFFSET_64_HIGH;
  let low = OFFSET_64_LOW;
  for (const byte of bytes) {
    low = (low ^ byte) >>> 0;
    // Times 2^40 moves the low half up by eight bits into the high one; the product stays far below 2^53, so it is exact.
    const carry = ((low * PRIME_64_LOW) / TWO_32) | 0;
    high = (Math.imul(high, PRIME_64_LOW) + carry + (low << 8)) | 0;
    low = Math.imul(low, PRIME_64_LOW) >>> 0;
  }
  return [high >>> 0, low];
}

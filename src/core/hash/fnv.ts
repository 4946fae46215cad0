// The 32-bit FNV hashes over UTF-8 bytes, because Kubernetes names revisions with them. Caveat: they spread well but stop
// no attacker: names of our own use content-hash.ts.

const OFFSET_32 = 2166136261;
const PRIME_32 = 16777619;

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

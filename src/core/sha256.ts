// SHA-256 (FIPS 180-4) in plain code, because the core may not ask the platform for it: hashes of hostile texts, where a
// weaker function would let somebody choose two texts with one name.

const BLOCK_BYTES = 64;
const ROUNDS = 64;
/** The mark behind the message and its length in bits take nine bytes of the last block. */
const TAIL_BYTES = 9;
const TWO_32 = 2 ** 32;

/** The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
const INITIAL: readonly number[] = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/** The same of the cube roots of the first 64 primes. */
const ROUND_CONSTANTS = Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);

/** The digest as eight unsigned 32-bit words, the first word being the start of the usual hexadecimal form. */
export function sha256(bytes: Uint8Array): Uint32Array {
  const state = new Int32Array(INITIAL);
  const schedule = new Int32Array(ROUNDS);
  const wholeBytes = bytes.length - (bytes.length % BLOCK_BYTES);
  const message = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < wholeBytes; at += BLOCK_BYTES) compress(state, schedule, message, at);
  const tail = paddedTail(bytes, wholeBytes);
  for (let at = 0; at < tail.byteLength; at += BLOCK_BYTES) compress(state, schedule, tail, at);
  return new Uint32Array(state.buffer);
}

/** What is left behind the whole blocks, the mark, zeros, and the length of the whole message in bits. */
function paddedTail(bytes: Uint8Array, from: number): DataView {
  const rest = bytes.subarray(from);
  const tail = new Uint8Array(rest.length + TAIL_BYTES > BLOCK_BYTES ? 2 * BLOCK_BYTES : BLOCK_BYTES);
  tail.set(rest);
  tail[rest.length] = 0x80;
  const view = new DataView(tail.buffer);
  const bits = bytes.length * 8;
  view.setUint32(tail.length - 8, Math.floor(bits / TWO_32));
  view.setUint32(tail.length - 4, bits % TWO_32);
  return view;
}

/** Mixes one block into the state; names are those of the standard. */
function compress(state: Int32Array, schedule: Int32Array, message: DataView, at: number): void {
  fillSchedule(schedule, message, at);
  // By index: taking the array apart as a list costs more than the sixty-four rounds.
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let d = state[3] ?? 0;
  let e = state[4] ?? 0;
  let f = state[5] ?? 0;
  let g = state[6] ?? 0;
  let h = state[7] ?? 0;
  for (let round = 0; round < ROUNDS; round++) {
    const sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + sum1 + choice + (ROUND_CONSTANTS[round] ?? 0) + (schedule[round] ?? 0)) | 0;
    const sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + sum0 + majority) | 0;
  }
  add(state, 0, a);
  add(state, 1, b);
  add(state, 2, c);
  add(state, 3, d);
  add(state, 4, e);
  add(state, 5, f);
  add(state, 6, g);
  add(state, 7, h);
}

function add(state: Int32Array, index: number, word: number): void {
  state[index] = ((state[index] ?? 0) + word) | 0;
}

function fillSchedule(schedule: Int32Array, message: DataView, at: number): void {
  for (let word = 0; word < 16; word++) schedule[word] = message.getInt32(at + 4 * word);
  for (let word = 16; word < ROUNDS; word++) {
    const near = schedule[word - 2] ?? 0;
    const far = schedule[word - 15] ?? 0;
    const sigma1 = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10);
    const sigma0 = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3);
    schedule[word] = ((schedule[word - 16] ?? 0) + sigma0 + (schedule[word - 7] ?? 0) + sigma1) | 0;
  }
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

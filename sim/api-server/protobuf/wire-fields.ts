// The wire format of protobuf: a message is a sequence of numbered values, each a number or a run of bytes.

export type WireField = { readonly number: number; readonly value: bigint | Uint8Array };

const VARINT = 0;
const FIXED64 = 1;
const RUN = 2;
const FIXED32 = 5;
/** Seven bits in each byte: no more than ten hold 64 of them. */
const VARINT_BYTES_MAX = 10;

/** The fields of a message in their order; undefined for bytes that are none. */
export function wireFields(bytes: Uint8Array): readonly WireField[] | undefined {
  const fields: WireField[] = [];
  for (let at = 0; at < bytes.length; ) {
    const key = readVarint(bytes, at);
    const read = key && readValue(bytes, key.next, Number(key.value & 7n));
    if (key === undefined || read === undefined) return undefined;
    fields.push({ number: Number(key.value >> 3n), value: read.value });
    at = read.next;
  }
  return fields;
}

type Read<T> = { readonly value: T; readonly next: number };

function readValue(bytes: Uint8Array, at: number, form: number): Read<bigint | Uint8Array> | undefined {
  switch (form) {
    case VARINT:
      return readVarint(bytes, at);
    case RUN: {
      const length = readVarint(bytes, at);
      return length && take(bytes, length.next, Number(length.value));
    }
    case FIXED64:
      return take(bytes, at, 8);
    case FIXED32:
      return take(bytes, at, 4);
    default:
      return undefined;
  }
}

function take(bytes: Uint8Array, from: number, length: number): Read<Uint8Array> | undefined {
  const next = from + length;
  return next > bytes.length ? undefined : { value: bytes.subarray(from, next), next };
}

function readVarint(bytes: Uint8Array, at: number): Read<bigint> | undefined {
  let value = 0n;
  for (let count = 0; count < VARINT_BYTES_MAX; count++) {
    const byte = bytes[at + count];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * count);
    if (byte < 0x80) return { value, next: at + count + 1 };
  }
  return undefined;
}

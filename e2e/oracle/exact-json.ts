// JSON text in which no digit of a 64-bit integer is lost: what goes over the pipe to the oracle and comes back.
import type { Json } from "../../src/core/json.ts";

/** Writes a value as one line of JSON; bigint becomes a plain number. */
export function encodeExact(value: Json): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(encodeExact).join(",")}]`;
  const entries = Object.entries(value).map(([key, element]) => `${JSON.stringify(key)}:${encodeExact(element)}`);
  return `{${entries.join(",")}}`;
}

/** Reads JSON; whole numbers beyond 2^53 become bigint. */
export function decodeExact(text: string): Json {
  return JSON.parse(text, (_key, value: Json, context?: { readonly source?: string }) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const source = context?.source ?? "";
    return /^-?\d+$/.test(source) ? BigInt(source) : value;
  });
}

/** True when two values are the same JSON: the order of keys is irrelevant, the order of list elements is not. */
export function isSameJson(left: Json, right: Json): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return left === right;
  if (isList(left) || isList(right)) {
    if (!isList(left) || !isList(right)) return false;
    return left.length === right.length && left.every((element, at) => isSameJson(element, right[at] ?? null));
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isSameJson(left[key] ?? null, right[key] ?? null));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

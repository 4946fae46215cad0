// The operators and functions of CEL over JSON values. An int is a number, or a bigint beyond 2^53; a double is a number.
// What an operator cannot do with its operands is an error of the evaluation, in the words of the real evaluator.

import { isJsonList, isJsonObject, type Json, type JsonList } from "../../../src/core/json/json.ts";
import { compareUtf8 } from "../../../src/core/json/utf8-order.ts";
import { compileGoRegexp, type GoRegexp } from "../../../src/core/values/go-regexp.ts";
import { parseInt64 } from "../../../src/core/values/int64.ts";
import { isSameJson } from "../same-json.ts";

/** A rule could not be evaluated for this object. */
export class CelError extends Error {}

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

const noOverload = () => new CelError("no such overload");

/** `left op right` for everything but the logical operators. */
export function operate(op: string, left: Json, right: Json, isDouble: boolean): Json {
  switch (op) {
    case "==":
      return isSameJson(left, right);
    case "!=":
      return !isSameJson(left, right);
    case "<":
      return compare(left, right) < 0;
    case "<=":
      return compare(left, right) <= 0;
    case ">":
      return compare(left, right) > 0;
    case ">=":
      return compare(left, right) >= 0;
    case "in":
      if (isJsonObject(right)) return Object.hasOwn(right, asText(left));
      return itemsOf(right).some((item) => isSameJson(item, left));
  }
  if (op === "+" && typeof left === "string") return left + asText(right);
  if (op === "+" && isJsonList(left)) return [...left, ...itemsOf(right)];
  return calculate(op, left, right, isDouble);
}

function compare(left: Json, right: Json): number {
  if (typeof left === "string") return compareUtf8(left, asText(right));
  if (typeof left === "boolean") return Number(left) - Number(truth(right));
  const [a, b] = [asNumber(left), asNumber(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function calculate(op: string, left: Json, right: Json, isDouble: boolean): Json {
  const [x, y] = [asNumber(left), asNumber(right)];
  if (isDouble || !isInt(x) || !isInt(y)) {
    const [a, b] = [Number(x), Number(y)];
    if (op === "%") throw noOverload();
    return op === "+" ? a + b : op === "-" ? a - b : op === "*" ? a * b : a / b;
  }
  const [a, b] = [BigInt(x), BigInt(y)];
  if (b === 0n && (op === "/" || op === "%")) throw new CelError(op === "/" ? "division by zero" : "modulus by zero");
  return int64(op === "+" ? a + b : op === "-" ? a - b : op === "*" ? a * b : op === "/" ? a / b : a % b);
}

function int64(value: bigint): Json {
  if (value < INT64_MIN || value > INT64_MAX) throw new CelError("integer overflow");
  const short = Number(value);
  return Number.isSafeInteger(short) ? short : value;
}

/** `size(value)`: characters, elements or keys. */
export function size(value: Json): number {
  if (typeof value === "string") return [...value].length;
  return isJsonObject(value) ? Object.keys(value).length : itemsOf(value).length;
}

/** `string(value)`. */
export function toText(value: Json): string {
  return typeof value === "string" || typeof value === "boolean" ? String(value) : String(asNumber(value));
}

/** `int(value)`: the digits of a text, or a double without its fraction. */
export function toInt(value: Json): Json {
  if (typeof value !== "string") return typeof value === "number" ? Math.trunc(value) : asNumber(value);
  const parsed = parseInt64(value);
  if (parsed === undefined) throw new CelError("type conversion error from 'string' to 'int'");
  return parsed;
}

/** `type(value)`: a name that compares with int, string, …. */
export function typeOf(value: Json): string {
  if (isJsonList(value)) return "list";
  if (isJsonObject(value)) return "map";
  if (typeof value === "number" || typeof value === "bigint") return isInt(value) ? "int" : "double";
  return value === null ? "null_type" : typeof value === "boolean" ? "bool" : "string";
}

/** `collection[at]`. */
export function itemAt(collection: Json, at: Json): Json {
  if (isJsonObject(collection)) return fieldOf(collection, asText(at));
  const item = itemsOf(collection)[Number(asNumber(at))];
  if (item === undefined) throw new CelError(`index out of bounds: ${at}`);
  return item;
}

/** `object.key`, which must be there. */
export function fieldOf(object: Json, key: string): Json {
  const value = isPresent(object, key) && isJsonObject(object) ? object[key] : undefined;
  if (value === undefined) throw new CelError(`no such key: ${key}`);
  return value;
}

/** `has(object.key)`; what is null is not there. */
export function isPresent(object: Json, key: string): boolean {
  if (!isJsonObject(object)) throw noOverload();
  return Object.hasOwn(object, key) && object[key] !== null;
}

/** What a macro runs over: the elements of a list, the keys of a map. */
export function itemsOf(collection: Json): JsonList {
  if (isJsonObject(collection)) return Object.keys(collection);
  if (!isJsonList(collection)) throw noOverload();
  return collection;
}

/** True if one of them holds; an error of one counts only when none does. */
export function someHold<T>(candidates: readonly T[], holds: (candidate: T) => boolean): boolean {
  let failure: CelError | undefined;
  for (const candidate of candidates) {
    try {
      if (holds(candidate)) return true;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return false;
}

/** A pattern of `matches`, compiled; an error of the evaluation when Go could not read it. */
export function regexpOf(pattern: string): GoRegexp {
  const compiled = compileGoRegexp(pattern);
  if (compiled.ok) return compiled.value;
  throw new CelError(compiled.problems.map(({ message }) => message).join("; "));
}

/** A value that must be a text. */
export function asText(value: Json): string {
  if (typeof value !== "string") throw noOverload();
  return value;
}

/** A value that must be true or false. */
export function truth(value: Json): boolean {
  if (typeof value !== "boolean") throw noOverload();
  return value;
}

function asNumber(value: Json): number | bigint {
  if (typeof value !== "number" && typeof value !== "bigint") throw noOverload();
  return value;
}

function isInt(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

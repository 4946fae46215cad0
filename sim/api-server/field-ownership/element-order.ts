// The order in which a set lists its path elements, which is the order of the real server's fieldpath.PathElement: fields by
// name, then list elements by their keys, members by their values, indexes. Sets are built in it, so that nobody sorts them later.
import { isJsonObject, type Json } from "../../../src/core/json/json.ts";
import { parseJson } from "../../../src/core/json/parse-json.ts";
import { compareUtf8 } from "../../../src/core/json/utf8-order.ts";

const FIELD = "f".charCodeAt(0);
/** Elements whose texts sort as their values do: single keys and values that are plain texts. */
const plainElement = /^(k:\{"\w+":"[\w./-]*"\}|v:"[\w./-]*")$/;
/** The kinds of elements in the order in which sets list them; "." comes before all. */
const kinds = ".fkvi";

/** Compares two elements: negative, zero or positive. */
export function compareElements(a: string, b: string): number {
  if (a.charCodeAt(0) === FIELD && b.charCodeAt(0) === FIELD) return compareUtf8(a, b);
  if (plainElement.test(a) && plainElement.test(b)) return a < b ? -1 : Number(a !== b);
  const kind = a.charAt(0);
  const order = kinds.indexOf(kind) - kinds.indexOf(b.charAt(0));
  if (order !== 0) return order;
  if (kind === "i") return Number(a.slice(2)) - Number(b.slice(2));
  return kind === "v" ? compareValues(jsonOf(a.slice(2)), jsonOf(b.slice(2))) : compareKeys(a.slice(2), b.slice(2));
}

/** The keys of a list's element, by their names. */
export function keysOf(text: string): readonly (readonly [string, Json])[] {
  const keys = jsonOf(text);
  return isJsonObject(keys) ? Object.entries(keys).sort(([a], [b]) => compareUtf8(a, b)) : [];
}

/** The value that an element quotes. */
export function jsonOf(text: string): Json {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}

function compareKeys(a: string, b: string): number {
  const [left, right] = [keysOf(a), keysOf(b)];
  for (const [at, [name, value]] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    const order = compareUtf8(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Numbers before texts before booleans. */
function compareValues(a: Json, b: Json): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left !== right) return left - right;
  if (typeof a === "string" && typeof b === "string") return compareUtf8(a, b);
  return Number(a) - Number(b);
}

function rankOf(value: Json): number {
  const at = ["number", "string", "boolean"].indexOf(typeof value === "bigint" ? "number" : typeof value);
  return at < 0 ? 3 : at;
}

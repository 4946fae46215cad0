// One step of a path to a field, written as managed fields write it: `f:name` for a field or key of a map, `k:{"name":"a"}`
// for an element of a list by its keys, `v:"a"` for a member of a set, `i:0` for an index. Their order and their form in
// messages are those of the real server's fieldpath.PathElement.
import { canonicalJson } from "../../../src/core/canonical-json.ts";
import { isJsonObject, type Json } from "../../../src/core/json.ts";
import { parseJson } from "../../../src/core/parse-json.ts";
import { compareUtf8 } from "../../../src/core/utf8-order.ts";
import {
  type FieldSet,
  type FieldSetDraft,
  finishBranch,
  hasFieldsBelow,
  isEmptySet,
  isMember,
  leaf,
  noFields,
  startBranch,
} from "./field-set.ts";

const plainText = /^[\w./-]*$/;
/** Elements whose texts sort as their values do: names, and single keys and values that are plain texts. */
const plainElement = /^(f:[ -~]*|k:\{"\w+":"[\w./-]*"\}|v:"[\w./-]*")$/;
/** The kinds of elements in the order in which sets list them; "." comes before all. */
const kinds = ".fkvi";

/** A value inside an element, as Go writes it. */
export function elementJson(value: Json): string {
  return typeof value === "string" && plainText.test(value) ? `"${value}"` : canonicalJson(value);
}

/** An element as messages show it: `.name`, `[name="a"]`, `[="a"]`, `[0]`. */
export function elementText(element: string): string {
  const rest = element.slice(2);
  switch (element.charAt(0)) {
    case "f":
      return `.${rest}`;
    case "k":
      return `[${keysOf(rest)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${valueText(jsonOf(rest))}]`;
    default:
      return `[${rest}]`;
  }
}

function valueText(value: Json): string {
  return typeof value === "string" ? JSON.stringify(value) : canonicalJson(value);
}

function jsonOf(text: string): Json {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}

function keysOf(text: string): readonly (readonly [string, Json])[] {
  const keys = jsonOf(text);
  return isJsonObject(keys) ? Object.entries(keys).sort(([a], [b]) => compareUtf8(a, b)) : [];
}

/** The element as our server writes it; undefined for text that is none, "" for kinds that nobody knows yet. */
function readElement(text: string): string | undefined {
  if (text.charAt(1) !== ":") return undefined;
  const rest = text.slice(2);
  switch (text.charAt(0)) {
    case "f":
      return text;
    case "i":
      return /^[-+]?\d+$/.test(rest) ? `i:${Number(rest)}` : undefined;
    case "v": {
      const parsed = parseJson(rest);
      return parsed.ok ? `v:${canonicalJson(parsed.value)}` : undefined;
    }
    case "k": {
      const parsed = parseJson(rest);
      return parsed.ok && isJsonObject(parsed.value) ? `k:${canonicalJson(parsed.value)}` : undefined;
    }
    default:
      return "";
  }
}

/** A set that somebody else wrote; undefined if it is none. */
export function readFieldSet(written: Json): FieldSet | undefined {
  if (!isJsonObject(written)) return undefined;
  const set: FieldSetDraft = {};
  for (const [text, value] of Object.entries(written)) {
    // Nobody owns the object as a whole.
    if (text === ".") continue;
    const element = readElement(text);
    const below = value === null ? noFields : readFieldSet(value);
    if (element === undefined || below === undefined) return undefined;
    const isField = isJsonObject(value) && Object.hasOwn(value, ".");
    if (element !== "") set[element] = finishBranch({ ...startBranch(isField), ...below }) ?? leaf;
  }
  return set;
}

/** The set with its elements in the order in which the real server writes them. */
export function inElementOrder(set: FieldSet): FieldSet {
  const elements = Object.keys(set);
  let isNew = elements.some((element, at) => at > 0 && compareElements(elements[at - 1] ?? "", element) > 0);
  if (isNew) elements.sort(compareElements);
  const ordered: FieldSetDraft = {};
  for (const element of elements) {
    const branch = set[element] ?? leaf;
    ordered[element] = isEmptySet(branch) ? branch : inElementOrder(branch);
    isNew ||= ordered[element] !== branch;
  }
  return isNew ? ordered : set;
}

function compareElements(a: string, b: string): number {
  if (plainElement.test(a) && plainElement.test(b)) return a < b ? -1 : Number(a !== b);
  const kind = a.charAt(0);
  const order = kinds.indexOf(kind) - kinds.indexOf(b.charAt(0));
  if (order !== 0 || kind === "f") return order || compareUtf8(a, b);
  if (kind === "i") return Number(a.slice(2)) - Number(b.slice(2));
  return kind === "v" ? compareValues(jsonOf(a.slice(2)), jsonOf(b.slice(2))) : compareKeys(a.slice(2), b.slice(2));
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

/** The paths of a set as messages show them: the fields of a level before those below it. */
export function pathTexts(set: FieldSet, prefix = ""): readonly string[] {
  const branches = Object.entries(inElementOrder(set)).filter(([element]) => element !== ".");
  const shown = branches.map(([element, branch]) => ({ path: `${prefix}${elementText(element)}`, branch }));
  return [
    ...shown.filter(({ branch }) => isMember(branch)).map(({ path }) => path),
    ...shown.filter(({ branch }) => hasFieldsBelow(branch)).flatMap(({ path, branch }) => pathTexts(branch, path)),
  ];
}

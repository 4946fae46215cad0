// One step of a path to a field, written as managed fields write it: `f:name` for a field or key of a map, `k:{"name":"a"}`
// for an element of a list by its keys, `v:"a"` for a member of a set, `i:0` for an index. Their form in messages is that of
// the real server's fieldpath.PathElement.
import { canonicalJson } from "../../../src/core/json/canonical-json.ts";
import { isJsonObject, type Json } from "../../../src/core/json/json.ts";
import { parseJson } from "../../../src/core/json/parse-json.ts";
import { jsonOf, keysOf } from "./element-order.ts";
import {
  type FieldSet,
  type FieldSetDraft,
  finishBranch,
  hasFieldsBelow,
  isMember,
  leaf,
  noFields,
  startBranch,
} from "./field-set.ts";

const plainText = /^[\w./-]*$/;

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
  return finishBranch(set) ?? noFields;
}

/** The paths of a set as messages show them: the fields of a level before those below it. */
export function pathTexts(set: FieldSet, prefix = ""): readonly string[] {
  const branches = Object.entries(set).filter(([element]) => element !== ".");
  const shown = branches.map(([element, branch]) => ({ path: `${prefix}${elementText(element)}`, branch }));
  return [
    ...shown.filter(({ branch }) => isMember(branch)).map(({ path }) => path),
    ...shown.filter(({ branch }) => hasFieldsBelow(branch)).flatMap(({ path, branch }) => pathTexts(branch, path)),
  ];
}

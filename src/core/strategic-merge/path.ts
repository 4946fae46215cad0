// Where in a document something is: a chain from the leaf to the root, built for every step of a merge and written out
// only when somebody asks.
import type { Json } from "../json/json.ts";
import { escaped } from "../values/shown.ts";

/** A place in a document; undefined is the root. */
export type FieldPath =
  | {
      readonly parent: FieldPath;
      /** The field's name, or the merge key of a list whose element this is. */
      readonly key: string;
      /** The merge key's value, which tells the element; undefined for a field. */
      readonly element: Json | undefined;
    }
  | undefined;

const PLAIN_NAME = /^[\w$-]+$/;
const PLAIN_VALUE = /^[\w.:/@-]+$/;
const SCALAR_WORD = /^(true|false|null)$/;

/** The place of a field inside the object at a path. */
export function fieldAt(parent: FieldPath, key: string): FieldPath {
  return { parent, key, element: undefined };
}

/** The place of the element of a list that is told by the value of its merge key. */
export function elementAt(parent: FieldPath, mergeKey: string, value: Json): FieldPath {
  return { parent, key: mergeKey, element: value };
}

/** Says whether a field is the merge key of the list element at a path: part of its address, which no patch sets. */
export function isMergeKeyOf(path: FieldPath, key: string): boolean {
  return path?.element !== undefined && path.key === key;
}

/** The path as people write it, `spec.containers[name=a].ports`: different places have different texts. */
export function pathText(path: FieldPath): string {
  const steps: string[] = [];
  for (let at = path; at !== undefined; at = at.parent) steps.push(stepText(at, at.parent === undefined));
  return steps.reverse().join("");
}

function stepText(step: NonNullable<FieldPath>, isFirst: boolean): string {
  if (step.element !== undefined) return `[${step.key}=${elementText(step.element)}]`;
  if (!PLAIN_NAME.test(step.key)) return `[${escaped(step.key)}]`;
  return isFirst ? step.key : `.${step.key}`;
}

/** A text that could be taken for another type's value is quoted: `"80"` and 80 are different elements. */
function elementText(value: Json): string {
  if (typeof value !== "string") return typeof value === "object" && value !== null ? "…" : String(value);
  const readsAsText = PLAIN_VALUE.test(value) && Number.isNaN(Number(value)) && !SCALAR_WORD.test(value);
  return readsAsText ? value : escaped(value);
}

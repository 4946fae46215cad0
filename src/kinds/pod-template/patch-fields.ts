// Unknown fields in a strategic merge patch of a pod template. Kubernetes drops them without a word when the pod is made,
// so a misspelt patch would seem to work; here it is a problem with the name that was probably meant.

import { PROBLEMS_MAX, type Problem } from "../../core/decision/problem.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { podTemplateSchema } from "../../core/strategic-merge/pod-template-schema.generated.ts";
import type { StructSchema } from "../../core/strategic-merge/schema.ts";
import { quoted, shown } from "../../core/values/shown.ts";

const DIRECTIVE = /^\$(patch|retainKeys|setElementOrder\/.+|deleteFromPrimitiveList\/.+)$/;
const EDITS_MAX = 2;
const NAME_CHARS_MAX = 64;

/** Lists the fields that no pod template has. Assumes a patch of bounded depth (template-patch.ts checks it before). */
export function unknownPatchFields(patch: JsonObject, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  for (const problem of unknownIn(patch, podTemplateSchema, path)) {
    problems.push(problem);
    // A patch may hold a hundred thousand of them, and nobody reads so many.
    if (problems.length === PROBLEMS_MAX) break;
  }
  return problems;
}

function* unknownIn(object: JsonObject, struct: StructSchema, path: string): Generator<Problem, void> {
  for (const [key, value] of Object.entries(object)) {
    const at = `${path}.${shown(key)}`;
    const field = struct.fields.get(key);
    if (key.startsWith("$")) {
      if (!DIRECTIVE.test(key)) yield { path: at, message: badDirective };
    } else if (field === undefined) yield { path: at, message: unknownMessage(key, struct) };
    else if (isJsonObject(value) && field.object !== undefined) yield* unknownIn(value, field.object, at);
    else if (isJsonList(value)) yield* unknownInList(value, field.list?.element, at);
  }
}

function* unknownInList(
  list: readonly Json[],
  element: StructSchema | undefined,
  path: string,
): Generator<Problem, void> {
  if (element === undefined) return;
  for (const [index, item] of list.entries())
    if (isJsonObject(item)) yield* unknownIn(item, element, `${path}[${index}]`);
}

const badDirective =
  "is no directive of a strategic merge patch; there are $patch, $retainKeys, $setElementOrder/… and $deleteFromPrimitiveList/…";

function unknownMessage(key: string, struct: StructSchema): string {
  const near = nearest(key, [...struct.fields.keys()]);
  const advice = near === undefined ? "remove it" : `did you mean ${near}?`;
  return `${struct.name} has no field ${quoted(key)}; ${advice}`;
}

/** The name that the fewest edits make of this one; undefined when it takes more than a few, or nothing of a short one would be left. */
function nearest(key: string, names: readonly string[]): string | undefined {
  const editsMax = Math.min(EDITS_MAX, Math.ceil(key.length / 2));
  const ranked = names.map((name) => ({ name, edits: editsBetween(key, name) })).sort((a, b) => a.edits - b.edits);
  return ranked.find(({ edits }) => edits <= editsMax)?.name;
}

/** How many edits make one name of the other, told exactly as far as they are few; case is no difference to a typist. */
function editsBetween(a: string, b: string): number {
  if (a.length > NAME_CHARS_MAX || Math.abs(a.length - b.length) > EDITS_MAX) return EDITS_MAX + 1;
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? EDITS_MAX + 1;
}

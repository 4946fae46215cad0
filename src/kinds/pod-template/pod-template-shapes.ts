// The shapes of a pod template's fields: where the API has a list, an object will not do, nor the other way round, and a flag in quotes
// is none. The API server would refuse every pod of such a template, by which time the old pods may be gone.

import { PROBLEMS_MAX, type Problem } from "../../core/decision/problem.ts";
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "../../core/json/json.ts";
import { podTemplateSchema } from "../../core/strategic-merge/pod-template-schema.generated.ts";
import type { FieldSchema, StructSchema } from "../../core/strategic-merge/schema.ts";
import { quoted } from "../../core/values/shown.ts";
import { isOfType, SCALARS, type ScalarType } from "./pod-template-scalars.ts";
import { NOTHING_SOUND, type ShapedParts, type SoundParts } from "./sound-parts.ts";

/** Structs of Go that are written as a text or a number. */
const WRITTEN_PLAIN: ReadonlySet<string> = new Set(["Time", "MicroTime", "Quantity", "IntOrString"]);

type Shape = "list" | "object" | "plain" | "not a list" | "not an object";

const WORDS: Readonly<Record<Shape | ScalarType, string>> = Object.freeze({
  flag: "must be true or false",
  text: "must be a text",
  number: "must be a number",
  list: "must be a list",
  object: "must be an object",
  plain: "must be a text or a number",
  "not a list": "takes no list",
  "not an object": "takes no object",
});

/** Lists the fields of a template at a path that have another shape than in the API; fields that nobody knows are passed over. */
export function shapeProblems(
  template: JsonObject,
  path: string,
  sound: SoundParts = NOTHING_SOUND,
): readonly Problem[] {
  const walk: Walk = { base: path, trail: [], sound, found: [], visited: undefined };
  collect(template, podTemplateSchema, walk);
  return walk.found.slice(0, PROBLEMS_MAX);
}

/**
 * The lists and objects of a patch that were looked at, and as what, if all of them have the shapes of the API's. What stands under a key that nobody
 * knows, as directives do, is not among them: a merge may bring it to a place where it matters.
 */
export function shapedParts(patch: JsonObject): ShapedParts {
  const visited = new Map<Json, FieldSchema | StructSchema>();
  const walk: Walk = { base: "", trail: [], sound: NOTHING_SOUND, found: [], visited };
  collect(patch, podTemplateSchema, walk);
  return walk.found.length === 0 ? visited : new Map();
}

/** Where a walk through a template is, and what it has found. Paths are written down for problems only: there are hundreds of fields. */
type Walk = {
  readonly base: string;
  readonly trail: (string | number)[];
  readonly sound: SoundParts;
  readonly found: Problem[];
  /** What was looked at, and as what; undefined where nobody asks. */
  readonly visited: Map<Json, FieldSchema | StructSchema> | undefined;
};

function collect(object: JsonObject, { name, fields }: StructSchema, walk: Walk): void {
  const types = SCALARS[name];
  for (const key of Object.keys(object)) {
    const value = object[key];
    const field = fields.get(key);
    // Nothing stands for an absent field everywhere.
    if (field === undefined || value === undefined || value === null || isSound(value, field, walk)) continue;
    const shape = shapeOf(field);
    if (!hasShape(value, shape)) note(shape, key, value, walk);
    else if (typeof value === "object") collectUnder(value, key, field, walk);
    else if (types !== undefined) collectScalar(value, key, types[key], walk);
  }
}

function isSound(value: Json, at: FieldSchema | StructSchema, { sound }: Walk): boolean {
  return sound.has(value) || sound.shapedAt(value) === at;
}

function collectScalar(value: Json, key: string, type: ScalarType | undefined, walk: Walk): void {
  if (type !== undefined && !isOfType(value, type)) note(type, key, value, walk);
}

function collectUnder(value: JsonObject | JsonList, key: string, field: FieldSchema, walk: Walk): void {
  const { object, list } = field;
  walk.trail.push(key);
  walk.visited?.set(value, field);
  if (isJsonList(value)) {
    if (list?.element !== undefined) collectIn(value, list.element, walk);
  } else if (object !== undefined) collect(value, object, walk);
  walk.trail.pop();
}

function collectIn(list: JsonList, element: StructSchema, walk: Walk): void {
  let index = 0;
  for (const item of list) {
    if (item !== null && !isSound(item, element, walk)) {
      if (isJsonObject(item)) {
        walk.trail.push(index);
        walk.visited?.set(item, element);
        collect(item, element, walk);
        walk.trail.pop();
      } else note("object", index, item, walk);
    }
    index += 1;
  }
}

function note(wanted: Shape | ScalarType, at: string | number, value: Json, { base, trail, found }: Walk): void {
  const steps = [...trail, at].map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
  found.push({ path: `${base}${steps.join("")}`, message: `${WORDS[wanted]}, not ${quoted(value)}` });
}

/** A pointer to a struct has both an object and a list, a pointer to anything else a list: Go's merge lets it hold one, the API does not. */
function shapeOf({ object, list }: FieldSchema): Shape {
  if (object !== undefined) return WRITTEN_PLAIN.has(object.name) ? "plain" : "object";
  if (list === undefined) return "not a list";
  return list.element !== undefined || list.isMerged ? "list" : "not an object";
}

function hasShape(value: Json, shape: Shape): boolean {
  switch (shape) {
    case "list":
      return isJsonList(value);
    case "object":
      return isJsonObject(value);
    case "plain":
      return !isJsonList(value) && !isJsonObject(value);
    case "not a list":
      return !isJsonList(value);
    case "not an object":
      return !isJsonObject(value);
  }
}

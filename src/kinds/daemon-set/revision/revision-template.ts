// A pod template as a revision records it: as Go writes the types of Kubernetes 1.32, which is what Kruise compares byte by byte.
// Spellings that mean one thing become one, so that equal templates have equal texts whoever wrote them.
//
// Caveat: fields that no known release has are kept as they stand. Kruise would lose them; losing a user's edit is worse.
import { createFingerprint, fingerprint } from "../../../core/hash/fingerprint.ts";
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "../../../core/json/json.ts";
import { draftOf, finishDraft, readDraft, removeFromDraft, setInDraft } from "../../../core/strategic-merge/draft.ts";
import { podTemplateSchema } from "../../../core/strategic-merge/pod-template-schema.generated.ts";
import type { FieldSchema, StructSchema } from "../../../core/strategic-merge/schema.ts";
import { parseQuantity } from "../../../core/values/quantity.ts";
import { quantityText } from "../../../core/values/quantity-text.ts";
import { writtenWhenEmpty } from "./revision-written-fields.ts";

/** Kruise marks the template of a revision with it; a rollback by merge patch stores it in the set. */
const DIRECTIVE = "$patch";

const NO_FIELDS: JsonObject = Object.freeze({});

/** Maps whose values are quantities. */
const QUANTITY_MAPS: ReadonlySet<string> = new Set(["limits", "requests", "overhead"]);

/** The template without the directive that a rollback by merge patch leaves in it: what pods are made of. */
export function withoutDirective(template: JsonObject): JsonObject {
  if (!Object.hasOwn(template, DIRECTIVE)) return template;
  return Object.fromEntries(Object.entries(template).filter(([key]) => key !== DIRECTIVE));
}

/** The template as Go would write it, without the directive; never throws, and leaves alone what is no template. */
export function recordedTemplate(template: JsonObject): JsonObject {
  return structOf(podTemplateSchema, withoutDirective(template), nothingKept());
}

/** The identity of a template: one for all spellings of it. */
export type TemplateIdentity = (template: JsonObject) => string;

/** The identity of a template by itself. */
export function templateIdentity(template: JsonObject): string {
  return fingerprint(recordedTemplate(template));
}

/**
 * Returns `templateIdentity` for the templates that these patches make of this one: what they leave alone, and what they bring as it is, is recorded
 * and digested once. Assumes that nobody changes a template in place.
 */
export function createTemplateIdentity(base: JsonObject, patches: readonly JsonObject[]): TemplateIdentity {
  const learning = { ...nothingKept(), isLearning: true };
  const layers = [withoutDirective(base), ...patches].map((layer) => structOf(podTemplateSchema, layer, learning));
  const identityOf = createFingerprint(layers);
  const kept = { ...learning, isLearning: false };
  return (template) => identityOf(structOf(podTemplateSchema, withoutDirective(template), kept));
}

/** The template as Kruise stores it in a revision: what it replaces, it replaces whole. */
export function markedTemplate(recorded: JsonObject): JsonObject {
  return { ...recorded, [DIRECTIVE]: "replace" };
}

type Kept = {
  /** What lists and objects are recorded as; where they stood is told too, since it depends on that. */
  readonly parts: Map<JsonList | JsonObject, Part>;
  /** What Go writes for absent fields of a struct. */
  readonly blanks: Map<StructSchema, readonly Blank[]>;
  /** Parts are added. */
  readonly isLearning: boolean;
};
type Part = { readonly at: FieldSchema | StructSchema; readonly key: string; readonly recorded: Json };
type Blank = readonly [key: string, value: Json];

function nothingKept(): Kept {
  return { parts: new Map(), blanks: new Map(), isLearning: false };
}

/** What stands in the text as it does here comes out as it is, so that its digest can be kept too. */
function structOf(schema: StructSchema, value: JsonObject, kept: Kept): JsonObject {
  const draft = draftOf(value);
  const always = writtenWhenEmpty[schema.name] ?? NO_FIELDS;
  for (const key of Object.keys(value)) {
    const member = value[key] ?? null;
    const field = schema.fields.get(key);
    const after = field === undefined || member === null ? member : fieldOf(field, key, member, kept);
    const isWritten = field === undefined || Object.hasOwn(always, key) || !isEmpty(field, after);
    if (isWritten && after !== null) setInDraft(draft, key, member, after);
    else removeFromDraft(draft, key);
  }
  for (const [key, blank] of blanksOf(schema, kept)) {
    if (readDraft(draft, key) === undefined) setInDraft(draft, key, undefined, blank);
  }
  return finishDraft(draft);
}

function fieldOf(field: FieldSchema, key: string, value: Json, kept: Kept): Json {
  if (field.object?.name === "Quantity") return quantityOf(value);
  if (isJsonList(value)) return keptPart(kept, value, { at: field, key }, () => listOf(field, value, kept));
  if (!isJsonObject(value)) return value;
  return keptPart(kept, value, { at: field, key }, () => objectOf(field, key, value, kept));
}

function objectOf({ object }: FieldSchema, key: string, value: JsonObject, kept: Kept): Json {
  if (object !== undefined) return structOf(object, value, kept);
  return QUANTITY_MAPS.has(key) ? quantitiesOf(value) : textsOf(value);
}

function listOf({ list }: FieldSchema, value: JsonList, kept: Kept): JsonList {
  const element = list?.element;
  if (element === undefined) return value;
  const items = value.map((each) => elementOf(element, each, kept));
  return items.every((item, index) => item === value[index]) ? value : items;
}

function elementOf(element: StructSchema, value: Json, kept: Kept): Json {
  if (value === null) return structOf(element, {}, kept);
  if (!isJsonObject(value)) return value;
  return keptPart(kept, value, { at: element, key: "" }, () => structOf(element, value, kept));
}

function keptPart(
  { parts, isLearning }: Kept,
  value: JsonList | JsonObject,
  { at, key }: Omit<Part, "recorded">,
  make: () => Json,
): Json {
  const known = parts.get(value);
  if (known !== undefined && known.at === at && known.key === key) return known.recorded;
  const recorded = make();
  if (isLearning) parts.set(value, { at, key, recorded });
  return recorded;
}

function blanksOf(schema: StructSchema, kept: Kept): readonly Blank[] {
  const known = kept.blanks.get(schema);
  if (known !== undefined) return known;
  const blanks: Blank[] = [];
  for (const [key, field] of schema.fields) {
    const blank = emptyOf(schema, key, field, kept);
    if (blank !== undefined) blanks.push([key, blank]);
  }
  kept.blanks.set(schema, blanks);
  return blanks;
}

/** What Go leaves out: nothing, and of what is no pointer also zero, the empty text, false and what has no members. */
function isEmpty({ object, list }: FieldSchema, value: Json): boolean {
  if (value === null) return true;
  if (isJsonList(value)) return value.length === 0;
  if (object !== undefined || list !== undefined) return false;
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === "" || value === false || value === 0 || value === 0n;
}

/** What Go writes for a field that is not there; undefined when it leaves it out. */
function emptyOf(schema: StructSchema, key: string, { object, list }: FieldSchema, kept: Kept): Json | undefined {
  const isStruct = object !== undefined && list === undefined;
  if (!isStruct) return writtenWhenEmpty[schema.name]?.[key];
  switch (object.name) {
    case "Time":
      return null;
    case "Quantity":
      return "0";
    case "IntOrString":
      return 0;
    case "ClaimSource":
      // Only releases before 1.31 have it.
      return undefined;
    default:
      return structOf(object, {}, kept);
  }
}

/** Go holds no null in a map of texts. */
function textsOf(map: JsonObject): JsonObject {
  if (!Object.values(map).includes(null)) return map;
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value ?? ""]));
}

function quantitiesOf(map: JsonObject): JsonObject {
  const draft = draftOf(map);
  for (const [key, value] of Object.entries(map)) setInDraft(draft, key, value, quantityOf(value));
  return finishDraft(draft);
}

/** The amount in Kubernetes' own spelling; what is no amount stays. */
function quantityOf(value: Json): Json {
  if (value === null) return "0";
  const isAmount = typeof value === "string" || typeof value === "number" || typeof value === "bigint";
  const parsed = isAmount ? parseQuantity(`${value}`.trim()) : undefined;
  return parsed?.ok === true ? quantityText(parsed.value) : value;
}

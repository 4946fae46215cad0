// A pod template as a revision records it: as Go writes the types of Kubernetes 1.32, which is what Kruise compares byte by byte.
// Spellings that mean one thing become one, so that equal templates have equal texts whoever wrote them.
//
// Caveat: fields that no known release has are kept as they stand. Kruise would lose them; losing a user's edit is worse.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { podTemplateSchema } from "../../core/pod-template-schema.generated.ts";
import { parseQuantity } from "../../core/quantity.ts";
import { quantityText } from "../../core/quantity-text.ts";
import type { FieldSchema, StructSchema } from "../../core/strategic-merge-schema.ts";
import { writtenWhenEmpty } from "./revision-written-fields.ts";

/** Kruise marks the template of a revision with it; a rollback by merge patch stores it in the set. */
const DIRECTIVE = "$patch";

/** Maps whose values are quantities. */
const QUANTITY_MAPS: ReadonlySet<string> = new Set(["limits", "requests", "overhead"]);

/** The template without the directive that a rollback by merge patch leaves in it: what pods are made of. */
export function withoutDirective(template: JsonObject): JsonObject {
  if (!Object.hasOwn(template, DIRECTIVE)) return template;
  return Object.fromEntries(Object.entries(template).filter(([key]) => key !== DIRECTIVE));
}

/** The template as Go would write it, without the directive; never throws, and leaves alone what is no template. */
export function recordedTemplate(template: JsonObject): JsonObject {
  return structOf(podTemplateSchema, withoutDirective(template));
}

/** The template as Kruise stores it in a revision: what it replaces, it replaces whole. */
export function markedTemplate(recorded: JsonObject): JsonObject {
  return { ...recorded, [DIRECTIVE]: "replace" };
}

function structOf(schema: StructSchema, value: JsonObject): JsonObject {
  const written: (readonly [string, Json])[] = [];
  for (const [key, member] of Object.entries(value)) {
    const field = schema.fields.get(key);
    const kept = field === undefined || member === null ? member : fieldOf(field, key, member);
    const isWritten =
      field === undefined || Object.hasOwn(writtenWhenEmpty[schema.name] ?? {}, key) || !isEmpty(field, kept);
    if (isWritten && kept !== null) written.push([key, kept]);
  }
  const present = new Set(written.map(([key]) => key));
  for (const [key, field] of schema.fields) {
    const empty = present.has(key) ? undefined : emptyOf(schema, key, field);
    if (empty !== undefined) written.push([key, empty]);
  }
  return Object.fromEntries(written);
}

function fieldOf({ object, list }: FieldSchema, key: string, value: Json): Json {
  if (object?.name === "Quantity") return quantityOf(value);
  if (isJsonObject(value)) {
    if (object !== undefined) return structOf(object, value);
    return QUANTITY_MAPS.has(key) ? quantitiesOf(value) : textsOf(value);
  }
  const element = list?.element;
  if (element === undefined || !isJsonList(value)) return value;
  return value.map((each) => (isJsonObject(each) || each === null ? structOf(element, each ?? {}) : each));
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
function emptyOf(schema: StructSchema, key: string, { object, list }: FieldSchema): Json | undefined {
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
      return structOf(object, {});
  }
}

/** Go holds no null in a map of texts. */
function textsOf(map: JsonObject): JsonObject {
  if (!Object.values(map).includes(null)) return map;
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value ?? ""]));
}

function quantitiesOf(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, quantityOf(value)]));
}

/** The amount in Kubernetes' own spelling; what is no amount stays. */
function quantityOf(value: Json): Json {
  if (value === null) return "0";
  const isAmount = typeof value === "string" || typeof value === "number" || typeof value === "bigint";
  const parsed = isAmount ? parseQuantity(`${value}`.trim()) : undefined;
  return parsed?.ok === true ? quantityText(parsed.value) : value;
}

// A schema as the OpenAPI documents of the real server publish it. Ours are the same schemas with references of another form and
// with notes of our own; references beside other words become `allOf`, as version 3.0 wants it.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import type { Schema } from "../schema.ts";

const OURS = "#/definitions/";
const PUBLISHED = "#/components/schemas/";

/** Texts that stand for more than texts; the real server publishes them as a choice. */
const choices: Readonly<Record<string, JsonObject>> = {
  "int-or-string": { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  quantity: { oneOf: [{ type: "string" }, { type: "number" }] },
  "micro-time": { type: "string", format: "date-time" },
};

export type Component = {
  readonly schema: JsonObject;
  /** The names of the components that it refers to. */
  readonly refers: ReadonlySet<string>;
};

/** The published form of a schema, and what it refers to. */
export function componentOf(schema: Schema): Component {
  const refers = new Set<string>();
  return { schema: published(schema, refers), refers };
}

function published(schema: Schema, refers: Set<string>): JsonObject {
  const { $ref, "x-go": _note, properties, items, additionalProperties, allOf, anyOf, oneOf, not, ...words } = schema;
  const inner = (child: Schema) => published(child, refers);
  const all = (children: readonly Schema[] | undefined, key: string) =>
    children === undefined ? {} : { [key]: children.map(inner) };
  const whole: JsonObject = {
    ...plainWords(words),
    ...(properties === undefined ? {} : { properties: eachOf(properties, inner) }),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === "boolean" ? additionalProperties : inner(additionalProperties),
        }),
    ...all(allOf, "allOf"),
    ...all(anyOf, "anyOf"),
    ...all(oneOf, "oneOf"),
    ...(not === undefined ? {} : { not: inner(not) }),
  };
  if ($ref === undefined) return whole;
  const name = $ref.slice(OURS.length);
  refers.add(name);
  const reference = { $ref: `${PUBLISHED}${name}` };
  return Object.keys(whole).length === 0 ? reference : { ...whole, allOf: [reference] };
}

function eachOf(children: Readonly<Record<string, Schema>>, inner: (child: Schema) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(children).map(([name, child]) => [name, inner(child)]));
}

/** What a schema says without other schemas, in the words of OpenAPI. */
function plainWords(words: object): JsonObject {
  const told = Object.fromEntries(Object.entries(words).filter((entry): entry is [string, Json] => isJson(entry[1])));
  const choice = typeof told.format === "string" ? choices[told.format] : undefined;
  if (choice === undefined) return told;
  const { type: _type, format: _format, "x-kubernetes-int-or-string": _either, ...rest } = told;
  return { ...rest, ...choice };
}

function isJson(value: unknown): value is Json {
  if (typeof value === "object" && value !== null) return isJsonObject(value) || Array.isArray(value);
  return value !== undefined;
}

// From a zod schema to the structural OpenAPI schema of a custom resource definition: zod's own translation, without the
// words that such schemas may not hold. Metadata of the zod schema (kube-schema.ts) passes through as it is.
import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";

const dropped: readonly string[] = ["$schema", "propertyNames", "id"];
/** Limits that say nothing. */
const idle: Readonly<Record<string, Json>> = {
  minLength: 0,
  minItems: 0,
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};

/** The structural schema of what clients may send: fields with defaults are not required. */
export function structuralSchema(schema: z.ZodType): JsonObject {
  const translated: unknown = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    unrepresentable: "any",
    cycles: "throw",
  });
  return isJsonObject(translated) ? cleaned(translated) : {};
}

function cleaned(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
    if (dropped.includes(key) || (Object.hasOwn(idle, key) && idle[key] === value)) return [];
    if (key === "additionalProperties" && value === false) return [];
    if (key === "properties" && isJsonObject(value)) return [[key, cleanedEach(value)]];
    const isSchema = (key === "items" || key === "additionalProperties") && isJsonObject(value);
    return [[key, isSchema ? cleaned(value) : value]];
  });
  return Object.fromEntries(entries);
}

function cleanedEach(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, isJsonObject(schema) ? cleaned(schema) : schema]),
  );
}

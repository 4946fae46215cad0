// The door of every kind: an object of unknown origin becomes the spec that the schema describes, or problems.
import type { z } from "zod";
import type { Parsed } from "../../core/decision/problem.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { quoted } from "../../core/values/shown.ts";
import { problem } from "./admission.ts";
import { schemaProblems } from "./schema-problems.ts";

/** An object that has a name and a spec of the schema's shape; nothing inside opaque fields has been looked at. */
export type ReadObject<Spec> = {
  readonly name: string;
  readonly namespace: string;
  readonly metadata: JsonObject;
  readonly spec: Spec;
};

/** Reads an object of a kind; unknown fields, and nulls, are left out, as the API server does. Never throws. */
export function readObject<Schema extends z.ZodType>(
  schema: Schema,
  object: unknown,
): Parsed<ReadObject<z.output<Schema>>> {
  if (!isJsonObject(object))
    return { ok: false, problems: problem("object", `must be an object, not ${quoted(object)}`) };
  const { spec } = object;
  if (spec === undefined) return { ok: false, problems: problem("spec", "is required: give an object") };
  const first = schema.safeParse(spec);
  const sound = first.success ? spec : withoutNulls(spec, placesOf(first.error.issues));
  const parsed = first.success ? first : schema.safeParse(sound);
  if (!parsed.success) return { ok: false, problems: schemaProblems(parsed.error.issues, sound, "spec") };
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const value = { name: textOf(metadata.name), namespace: textOf(metadata.namespace), metadata, spec: parsed.data };
  return { ok: true, value };
}

/** Where in a value something was found, step by step. */
type Places = Map<PropertyKey, Places>;

function placesOf(issues: readonly z.core.$ZodIssue[]): Places {
  const root: Places = new Map();
  for (const { path } of issues) {
    let at = root;
    for (const step of path) {
      const next: Places = at.get(step) ?? new Map();
      at.set(step, next);
      at = next;
    }
  }
  return root;
}

/** The value without the nulls that a schema stumbled over. The API server takes them for absent fields, before anybody sees them. */
function withoutNulls(value: Json, places: Places): Json {
  const inner = (key: PropertyKey, each: Json): Json => {
    const there = places.get(key);
    return there === undefined ? each : withoutNulls(each, there);
  };
  if (isJsonList(value)) return value.map((item, index) => inner(index, item));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([key, each]) => each !== null || !places.has(key));
  return Object.fromEntries(entries.map(([key, each]) => [key, inner(key, each)]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

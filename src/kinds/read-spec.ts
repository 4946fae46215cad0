// The door of every kind: an object of unknown origin becomes the spec that the schema describes, or problems.
import type { z } from "zod";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { Parsed } from "../core/problem.ts";
import { quoted } from "../core/shown.ts";
import { problem } from "./admission.ts";
import { schemaProblems } from "./schema-problems.ts";

/** An object that has a name and a spec of the schema's shape; nothing inside opaque fields has been looked at. */
export type ReadObject<Spec> = {
  readonly name: string;
  readonly namespace: string;
  readonly metadata: JsonObject;
  readonly spec: Spec;
};

/** Reads an object of a kind; unknown fields are left out, as the API server does. Never throws. */
export function readObject<Schema extends z.ZodType>(
  schema: Schema,
  object: unknown,
): Parsed<ReadObject<z.output<Schema>>> {
  if (!isJsonObject(object))
    return { ok: false, problems: problem("object", `must be an object, not ${quoted(object)}`) };
  const { spec } = object;
  if (spec === undefined) return { ok: false, problems: problem("spec", "is required: give an object") };
  const parsed = schema.safeParse(spec);
  if (!parsed.success) return { ok: false, problems: schemaProblems(parsed.error.issues, spec, "spec") };
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const value = { name: textOf(metadata.name), namespace: textOf(metadata.namespace), metadata, spec: parsed.data };
  return { ok: true, value };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

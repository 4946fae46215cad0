// Objects from manifests as people keep them: YAML or JSON, many documents in a file, lists of objects. Nobody vouches for the files.
import { LineCounter } from "yaml";
import type { Problem } from "../../core/decision/problem.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { parseJson } from "../../core/json/parse-json.ts";
import { parseYaml } from "./kubectl-yaml.ts";

/** Larger files are no manifests. A snapshot of five thousand nodes has a third of this. */
export const MANIFEST_BYTES_MAX = 256 * 1024 * 1024;
/** What an alias may stand for, in all: a billion laughs are no manifest. */
const ALIASES_MAX = 100;

export type Manifests = {
  readonly objects: readonly JsonObject[];
  /** What cannot be read, with the file and the line. */
  readonly problems: readonly Problem[];
};

/** Reads the objects of one file; `name` is for messages. */
export function readManifests(name: string, text: string): Manifests {
  if (text.length > MANIFEST_BYTES_MAX) return trouble(name, `is larger than ${MANIFEST_BYTES_MAX} bytes`);
  const json = text.trimStart().startsWith("{") ? parsedJson(text) : undefined;
  if (json !== undefined) return collected(name, [json]);
  const lines = new LineCounter();
  const problems: Problem[] = [];
  const values: Json[] = [];
  for (const document of parseYaml(text, lines)) {
    const [error] = document.errors;
    if (error === undefined) {
      const value = readValue(document);
      if (value instanceof Error) problems.push({ path: name, message: value.message });
      else if (value !== null) values.push(value);
    } else {
      const { line, col } = lines.linePos(error.pos[0]);
      problems.push({ path: `${name}:${line}:${col}`, message: error.message });
    }
  }
  const { objects, problems: further } = collected(name, values);
  return { objects, problems: [...problems, ...further] };
}

/** YAML holds JSON, and its parser says where a fault is: so text that is no JSON is left to it. */
function parsedJson(text: string): Json | undefined {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

function readValue(document: { toJS(options: { maxAliasCount: number }): Json }): Json | Error {
  try {
    return document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function collected(name: string, values: readonly Json[]): Manifests {
  const parts = values.map((value) => objectsOf(name, value));
  return { objects: parts.flatMap(({ objects }) => objects), problems: parts.flatMap(({ problems }) => problems) };
}

/** A list of any kind is its items. */
function objectsOf(name: string, value: Json): Manifests {
  if (!isJsonObject(value)) return trouble(name, "holds a document that is no object");
  if (typeof value.kind !== "string" || typeof value.apiVersion !== "string") {
    return trouble(name, "holds an object without apiVersion and kind");
  }
  if (value.kind.endsWith("List") && isJsonList(value.items)) {
    const { items, kind, apiVersion } = value;
    const itemKind = kind === "List" ? {} : { kind: kind.slice(0, -"List".length), apiVersion };
    return collected(
      name,
      items.map((item) => (isJsonObject(item) ? { ...itemKind, ...item } : item)),
    );
  }
  return { objects: [value], problems: [] };
}

function trouble(path: string, message: string): Manifests {
  return { objects: [], problems: [{ path, message }] };
}

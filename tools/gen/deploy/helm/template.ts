// An object of the installation as a template of the chart: the same YAML, with holes that Helm fills.
import { stringify } from "yaml";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../../src/core/json/json.ts";
import { NAMESPACE } from "../names.ts";

/** What stands in a hole: a part of a line, or lines in place of the one that holds it. */
export type Hole = { readonly inline: string } | { readonly lines: (indent: number) => readonly string[] };
export type Holes = Readonly<Record<string, Hole>>;

const MARKED = /^( *)(.*?)«([\w.-]+)»(.*)$/;
const ACTION = "{{";
const NAMESPACE_HOLE = "namespace";

/** The text that stands for a hole in an object. As the key of an entry, or as an item, it stands for lines. */
export function hole(name: string): string {
  return `«${name}»`;
}

/** The template. The namespace of the installation is that of the release, wherever it is named. */
export function template(object: Json, holes: Holes = {}): string {
  const known: Holes = { ...holes, [NAMESPACE_HOLE]: { inline: "{{ .Release.Namespace | quote }}" } };
  const text = stringify(inReleaseNamespace(object), { sortMapEntries: true, lineWidth: 120 });
  return text
    .trimEnd()
    .split("\n")
    .flatMap((line) => filled(literal(line), known))
    .map((line) => `${line}\n`)
    .join("");
}

/** A value that is there only if it is given: a list or an object under its key. */
export function optionalBlock(key: string, value: string): Hole {
  return {
    lines: (indent) => [`{{- with ${value} }}`, `${key}:`, `  {{- toYaml . | nindent ${indent + 2} }}`, "{{- end }}"],
  };
}

/** The same for what fits behind its key. */
export function optionalText(key: string, value: string): Hole {
  return { lines: () => [`{{- with ${value} }}`, `${key}: {{ . | quote }}`, "{{- end }}"] };
}

/** The entries of a map beside those that are always there. */
export function moreEntries(value: string): Hole {
  return { lines: (indent) => [`{{- with ${value} }}`, `{{- toYaml . | nindent ${indent} }}`, "{{- end }}"] };
}

/** What Helm would read as its own is printed by it as it is. */
function literal(line: string): string {
  return line.replaceAll(ACTION, `{{ "${ACTION}" }}`);
}

function filled(line: string, holes: Holes): readonly string[] {
  const [, indent = "", before = "", name, after = ""] = MARKED.exec(line) ?? [];
  if (name === undefined) return [line];
  const found = holes[name];
  if (found === undefined) throw new Error(`nothing fills the hole "${name}" of a template`);
  if ("inline" in found) return [`${indent}${before}${found.inline}${after}`];
  return found.lines(indent.length).map((each) => `${indent}${each}`);
}

function inReleaseNamespace(value: Json): Json {
  if (isJsonList(value)) return value.map(inReleaseNamespace);
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inReleaseNamespace(each)]));
  if (value === NAMESPACE) return hole(NAMESPACE_HOLE);
  if (typeof value === "string" && value.includes(NAMESPACE))
    throw new Error(`"${value}" names the namespace among other things: give it a hole of its own`);
  return value;
}

/** What lies at a path of an object, such as `spec.containers.0.image`. */
export function valueAt(value: Json, path: string): Json {
  let found: Json | undefined = value;
  for (const step of path.split(".")) {
    if (isJsonList(found)) found = found[Number(step)];
    else found = isJsonObject(found) ? found[step] : undefined;
  }
  if (found === undefined) throw new Error(`there is nothing at "${path}"`);
  return found;
}

/** The same value with another at the path, where there must be one. */
export function replacedAt(value: Json, path: string, change: (old: Json) => Json): Json {
  const [step = "", ...rest] = path.split(".");
  const next = (old: Json) => (rest.length === 0 ? change(old) : replacedAt(old, rest.join("."), change));
  const old = valueAt(value, step);
  if (isJsonList(value)) return value.with(Number(step), next(old));
  return { ...(isJsonObject(value) ? value : {}), [step]: next(old) };
}

/** The same object with holes for lines after its entries, in place of the entries of these names. */
export function withHoles(value: Json, names: readonly string[]): JsonObject {
  if (!isJsonObject(value)) throw new Error("only objects have entries");
  const kept = Object.entries(value).filter(([key]) => !names.includes(key));
  return Object.fromEntries([...kept, ...names.map((name) => [hole(name), null] as const)]);
}

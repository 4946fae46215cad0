// The reference page of a kind: its fields with type, default and meaning, and its rules, read from the definition.
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import { type CrdSource, customResourceDefinition } from "../../src/kinds/schema/crd.ts";

type Row = { readonly field: string; readonly type: string; readonly fallback: string; readonly meaning: string };

/** The whole page. */
export function specPage(source: CrdSource): string {
  const { group, kind, shortNames } = source.names;
  const versions = versionsOf(source);
  const [stored] = versions.filter(({ storage }) => storage === true);
  const others = versions.filter((version) => version !== stored).map(({ name }) => `\`${group}/${String(name)}\``);
  const schema = at(at(stored ?? {}, "schema"), "openAPIV3Schema");
  const properties = at(schema, "properties");
  const served = others.length === 0 ? "" : ` Also served: ${others.join(", ")}.`;
  return `# ${kind}

\`apiVersion: ${group}/${String(stored?.name)}\`, \`kind: ${kind}\`, short ${shortNames.map((name) => `\`${name}\``).join(", ")}.${served}
${source.description}

This page is generated from \`src/kinds\` by \`npm run gen\`. Fields marked * are required. An "object, kept" is passed on as it is
written; the API server checks it when something is made of it.

## spec

${table(rowsOf(at(properties, "spec"), ""))}
## status

${table(rowsOf(at(properties, "status"), ""))}
## Rules of the schema

${rules(at(properties, "spec"), "spec")}`;
}

function versionsOf(source: CrdSource): readonly JsonObject[] {
  const { spec } = JSON.parse(JSON.stringify(customResourceDefinition(source)));
  return spec.versions;
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ field, type, fallback, meaning }) => `| ${field} | ${type} | ${fallback} | ${meaning} |`);
  return `| field | type | default | meaning |\n|---|---|---|---|\n${lines.join("\n")}\n`;
}

function rowsOf(schema: JsonObject, path: string): readonly Row[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(at(schema, "properties")).flatMap(([name, child]) => {
    if (!isJsonObject(child)) return [];
    const field = path === "" ? name : `${path}.${name}`;
    const isRequired = required.includes(name);
    const row = {
      field: `\`${field}\`${isRequired ? " *" : ""}`,
      type: typeOf(child),
      fallback: child.default === undefined ? "" : `\`${JSON.stringify(child.default)}\``,
      meaning: cell(String(child.description ?? "")),
    };
    const items = at(child, "items");
    return [row, ...rowsOf(child, field), ...rowsOf(items, `${field}[]`)];
  });
}

function typeOf(schema: JsonObject): string {
  if (schema["x-kubernetes-int-or-string"] === true) return 'integer or "n%"';
  if (Array.isArray(schema.enum)) return schema.enum.map((each) => `\`${JSON.stringify(each)}\``).join(", ");
  if (schema.type === "array") return `list of at most ${String(schema.maxItems)}${listSuffix(at(schema, "items"))}`;
  if (isJsonObject(schema.additionalProperties)) return `map of at most ${String(schema.maxProperties)} texts`;
  if (schema["x-kubernetes-preserve-unknown-fields"] === true)
    return schema.type === undefined ? "any" : "object, kept";
  if (schema.type === "string")
    return schema.format === "date-time" ? "time" : `text of at most ${String(schema.maxLength)}`;
  if (schema.type === "integer") return rangeText(schema);
  return String(schema.type);
}

function listSuffix(items: JsonObject): string {
  return items.type === "string" ? " texts" : "";
}

function rangeText({ minimum, maximum }: JsonObject): string {
  return typeof maximum === "number" && maximum < 2 ** 31 - 1
    ? `${String(minimum)} to ${maximum}`
    : `integer from ${String(minimum)}`;
}

function rules(schema: JsonObject, path: string): string {
  const lines = rulesOf(schema, path).map(([field, message]) => `- \`${field}\`: ${cell(message)}`);
  return lines.length === 0 ? "None.\n" : `${lines.join("\n")}\n`;
}

function rulesOf(schema: JsonObject, path: string): readonly (readonly [string, string])[] {
  const own = Array.isArray(schema["x-kubernetes-validations"]) ? schema["x-kubernetes-validations"] : [];
  const here = own.map((rule): readonly [string, string] => {
    const { fieldPath = "", message = "" } = isJsonObject(rule) ? rule : {};
    return [`${path}${String(fieldPath)}`, String(message)];
  });
  const below = Object.entries(at(schema, "properties")).flatMap(([name, child]) =>
    isJsonObject(child) ? rulesOf(child, `${path}.${name}`) : [],
  );
  const { items } = schema;
  return [...here, ...below, ...(isJsonObject(items) ? rulesOf(items, `${path}[]`) : [])];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function at(object: JsonObject, key: string): JsonObject {
  const value: Json | undefined = object[key];
  return isJsonObject(value) ? value : {};
}

// Why a custom resource definition cannot be installed, in the words of kube-apiserver: its names, its scope, its versions with
// their schemas, columns and scale, and its conversion.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, nameOf, objectAt, textAt, valueAtPath } from "../api-object.ts";
import { type FieldError, invalidValue, requiredValue, unsupportedValue } from "../faults/field-error.ts";
import { dns1035LabelFaults, subdomainFaults } from "../faults/name-syntax.ts";
import { isSameJson } from "../same-json.ts";
import type { Schema } from "../schema.ts";
import { compileSchema } from "../structural/schema-node.ts";
import { structuralFaults } from "../structural/structural-faults.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const MIXED_CASE = "may have mixed case, but should otherwise match: ";
const NO_MORE =
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
const NO_SIMPLE_PATH = "must be a simple json path starting with .";

/** Everything that is wrong with a definition but its metadata. */
export function definitionFaults(definition: JsonObject): readonly FieldError[] {
  const spec = objectAt(definition, "spec");
  const versions = versionsOf(definition);
  return [
    ...identityFaults(nameOf(definition), spec),
    ...scopeFaults(spec),
    ...preservationFaults(spec),
    ...schemaFaults(versions),
    ...versionFaults(versions),
    ...nameFaults(objectAt(spec, "names")),
    ...versions.flatMap((version, index) => viewFaults(version, partPath(versions, index))),
    ...conversionFaults(spec),
  ];
}

/** What a definition cannot change once its objects are served: where they are, and what they are called. */
export function settledFaults(next: JsonObject, old: JsonObject): readonly FieldError[] {
  const isServed = listAt(objectAt(old, "status"), "conditions").some(
    (each) => isJsonObject(each) && each.type === "Established" && each.status === "True",
  );
  if (!isServed) return [];
  return ["spec.scope", "spec.names.kind"].flatMap((field) => {
    const value = valueAtPath(next, field) ?? "";
    return value === valueAtPath(old, field) ? [] : [invalidValue(field, value, "field is immutable")];
  });
}

/** The versions of a definition, in its order, served or not. */
export function versionsOf(definition: JsonObject): readonly JsonObject[] {
  return listAt(objectAt(definition, "spec"), "versions").filter(isJsonObject);
}

/** The schema of a version; one without keeps everything. The definition's own type has checked its form. */
export function schemaOf(version: JsonObject): Schema {
  const schema = objectAt(version, "schema").openAPIV3Schema;
  return isJsonObject(schema) ? (schema as Schema) : { type: "object", "x-kubernetes-preserve-unknown-fields": true };
}

function identityFaults(name: string, spec: JsonObject): readonly FieldError[] {
  const group = textAt(spec, "group");
  const isNamed = name === `${textAt(objectAt(spec, "names"), "plural")}.${group}`;
  const unnamed = 'must be spec.names.plural+"."+spec.group';
  const faults = isNamed ? [] : [invalidValue("metadata.name", name, unnamed)];
  if (group === "") return [...faults, requiredValue("spec.group")];
  const wrong = subdomainFaults(group).map((words) => invalidValue("spec.group", group, words));
  if (wrong.length > 0 || group.includes(".")) return [...faults, ...wrong];
  return [...faults, invalidValue("spec.group", group, "should be a domain with at least one dot")];
}

function preservationFaults({ preserveUnknownFields }: JsonObject): readonly FieldError[] {
  return preserveUnknownFields === true ? [invalidValue("spec.preserveUnknownFields", true, NO_MORE)] : [];
}

function scopeFaults(spec: JsonObject): readonly FieldError[] {
  const scope = textAt(spec, "scope");
  if (scope === "") return [requiredValue("spec.scope")];
  const scopes = ["Cluster", "Namespaced"];
  return scopes.includes(scope) ? [] : [unsupportedValue("spec.scope", scope, scopes)];
}

/** The real server knows versions that are alike by one common part of the definition. */
function areAlike(versions: readonly JsonObject[], key: string): boolean {
  return versions.every((version) => isSameJson(version[key], versions[0]?.[key]));
}

function schemaFaults(versions: readonly JsonObject[]): readonly FieldError[] {
  const isCommon = areAlike(versions, "schema");
  const missing = versions.flatMap((version, index) =>
    isJsonObject(objectAt(version, "schema").openAPIV3Schema)
      ? []
      : [requiredValue(`spec.versions[${index}].schema.openAPIV3Schema`)],
  );
  const wrong = (isCommon ? versions.slice(0, 1) : versions).flatMap((version, index) => {
    const part = isCommon ? "spec.validation" : `spec.versions[${index}].schema`;
    const [schema, path] = [schemaOf(version), `${part}.openAPIV3Schema`];
    const compiled = compileSchema(schema, path);
    return [...structuralFaults(schema, path), ...(compiled.ok ? [] : compiled.faults)];
  });
  return [...missing, ...wrong];
}

function versionFaults(versions: readonly JsonObject[]): readonly FieldError[] {
  const names = versions.map((version) => textAt(version, "name"));
  const stored = names.filter((_, index) => versions[index]?.storage === true);
  const atVersions = (words: string) => invalidValue("spec.versions", [...versions], words);
  return [
    ...names.flatMap((name, index) => labelFaults(`spec.versions[${index}].name`, name)),
    ...(new Set(names).size === names.length ? [] : [atVersions("must contain unique version names")]),
    ...(stored.length === 1 ? [] : [atVersions("must have exactly one version marked as storage version")]),
  ];
}

function nameFaults(names: JsonObject): readonly FieldError[] {
  const [kind, listKind] = [textAt(names, "kind"), textAt(names, "listKind")];
  const several = (key: "shortNames" | "categories") =>
    listAt(names, key).flatMap((name, index) => labelFaults(`spec.names.${key}[${index}]`, String(name)));
  const singular = textAt(names, "singular");
  const alike = invalidValue("spec.names.listKind", listKind, "kind and listKind may not be the same");
  return [
    ...labelFaults("spec.names.plural", textAt(names, "plural")),
    ...(singular === "" ? [] : labelFaults("spec.names.singular", singular)),
    ...labelFaults("spec.names.kind", kind, MIXED_CASE),
    ...several("shortNames"),
    ...(listKind === "" ? [] : labelFaults("spec.names.listKind", listKind, MIXED_CASE)),
    ...(listKind === kind && kind !== "" ? [alike] : []),
    ...several("categories"),
  ];
}

function labelFaults(field: string, name: string, mixedCase = ""): readonly FieldError[] {
  if (name === "") return [requiredValue(field)];
  const judged = mixedCase === "" ? name : name.toLowerCase();
  return dns1035LabelFaults(judged).map((words) => invalidValue(field, name, `${mixedCase}${words}`));
}

type PartPath = (key: "additionalPrinterColumns" | "subresources") => string | undefined;

/** Where a part of a version stands; undefined where an earlier version stands for it. */
function partPath(versions: readonly JsonObject[], index: number): PartPath {
  return (key) => {
    if (!areAlike(versions, key)) return `spec.versions[${index}].${key}`;
    return index === 0 ? `spec.${key}` : undefined;
  };
}

/** Columns and scale show parts of an object by their paths. */
function viewFaults(version: JsonObject, pathOf: PartPath): readonly FieldError[] {
  const [columnsAt, partsAt] = [pathOf("additionalPrinterColumns"), pathOf("subresources")];
  const columns = columnsAt === undefined ? [] : listAt(version, "additionalPrinterColumns").filter(isJsonObject);
  const scale = objectAt(objectAt(version, "subresources"), "scale");
  const scalePaths = partsAt === undefined ? [] : ["specReplicasPath", "statusReplicasPath", "labelSelectorPath"];
  return [
    ...columns.flatMap((column, index) => columnFaults(column, `${columnsAt}[${index}]`)),
    ...scalePaths.flatMap((key) => pathFaults(`${partsAt}.scale.${key}`, textAt(scale, key))),
  ];
}

function columnFaults(column: JsonObject, path: string): readonly FieldError[] {
  const [type, jsonPath] = [textAt(column, "type"), textAt(column, "jsonPath")];
  return [
    ...(textAt(column, "name") === "" ? [requiredValue(`${path}.name`)] : []),
    ...(columnTypes.includes(type)
      ? []
      : [invalidValue(`${path}.type`, type, `must be one of ${columnTypes.join(",")}`)]),
    ...(jsonPath === "" ? [requiredValue(`${path}.JSONPath`)] : pathFaults(`${path}.JSONPath`, jsonPath)),
  ];
}

function pathFaults(field: string, path: string): readonly FieldError[] {
  return path === "" || path.startsWith(".") ? [] : [invalidValue(field, path, NO_SIMPLE_PATH)];
}

function conversionFaults(spec: JsonObject): readonly FieldError[] {
  const conversion = objectAt(spec, "conversion");
  const strategy = textAt(conversion, "strategy");
  if (strategy === "" || strategy === "None") return [];
  if (strategy !== "Webhook") return [unsupportedValue("spec.conversion.strategy", strategy, ["None", "Webhook"])];
  const webhook = objectAt(conversion, "webhook");
  const hasClient = isJsonObject(webhook.clientConfig);
  const noClient = "required when strategy is set to Webhook";
  return [
    ...(hasClient ? [] : [requiredValue("spec.conversion.webhookClientConfig", noClient)]),
    ...(listAt(webhook, "conversionReviewVersions").length > 0
      ? []
      : [requiredValue("spec.conversion.conversionReviewVersions")]),
  ];
}

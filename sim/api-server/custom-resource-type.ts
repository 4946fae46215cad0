// The versions of a custom resource definition as resource types: their rules are those of the structural schema.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/core/json.ts";
import { listAt, objectAt, textAt, withKnownMeta } from "./api-object.ts";
import type { FieldError } from "./field-error.ts";
import { goType } from "./json-body.ts";
import type { Decoded, KindRules, ResourceType, ScalePaths } from "./resource-type.ts";
import type { Schema } from "./schema.ts";
import { applyDefaults } from "./structural/apply-defaults.ts";
import { prune } from "./structural/prune.ts";
import { compileSchema, type SchemaNode } from "./structural/schema-node.ts";
import { validate } from "./structural/validate.ts";

/** All versions of a definition, in its order, served or not. */
export function customTypes(definition: JsonObject): readonly ResourceType[] {
  return versionsOf(definition).flatMap((version) => {
    const compiled = compileSchema(schemaOf(version));
    return compiled.ok ? [typeOf(definition, version, compiled.value)] : [];
  });
}

/** The kind of definitions with the check of their schemas; any other kind as it is. */
export function withDefinitionRules(type: ResourceType): ResourceType {
  if (type.kind !== "CustomResourceDefinition") return type;
  const { rules } = type;
  return {
    ...type,
    rules: {
      ...rules,
      validate: (definition, inMeta) => [
        ...(rules.validate?.(definition, inMeta) ?? []),
        ...definitionFaults(definition),
      ],
      validateUpdate: (next, old, inMeta) => [
        ...(rules.validateUpdate?.(next, old, inMeta) ?? []),
        ...definitionFaults(next),
      ],
    },
  };
}

/** Why the schemas of a definition cannot be used. */
function definitionFaults(definition: JsonObject): readonly FieldError[] {
  return versionsOf(definition).flatMap((version, index) => {
    const compiled = compileSchema(schemaOf(version), `spec.versions[${index}].schema.openAPIV3Schema`);
    return compiled.ok ? [] : compiled.faults;
  });
}

export function isStoredVersion(definition: JsonObject, name: string): boolean {
  return versionsOf(definition).some((version) => version.name === name && version.storage === true);
}

export function isServedVersion(definition: JsonObject, name: string): boolean {
  return versionsOf(definition).some((version) => version.name === name && version.served === true);
}

function versionsOf(definition: JsonObject): readonly JsonObject[] {
  return listAt(objectAt(definition, "spec"), "versions").filter(isJsonObject);
}

/** The definition's own rules have checked its form; a version without a schema keeps everything. */
function schemaOf(version: JsonObject): Schema {
  const schema = objectAt(version, "schema").openAPIV3Schema;
  return isJsonObject(schema) ? (schema as Schema) : { type: "object", "x-kubernetes-preserve-unknown-fields": true };
}

function typeOf(definition: JsonObject, version: JsonObject, schema: SchemaNode): ResourceType {
  const spec = objectAt(definition, "spec");
  const names = objectAt(spec, "names");
  const kind = textAt(names, "kind");
  const subresources = objectAt(version, "subresources");
  const scale = scaleOf(subresources);
  const selectable = listAt(version, "selectableFields").filter(isJsonObject);
  return {
    group: textAt(spec, "group"),
    version: textAt(version, "name"),
    kind,
    listKind: textAt(names, "listKind") || `${kind}List`,
    plural: textAt(names, "plural"),
    singular: textAt(names, "singular") || kind.toLowerCase(),
    namespaced: spec.scope === "Namespaced",
    ...textsAt(names, "shortNames"),
    ...textsAt(names, "categories"),
    isCustom: true,
    schema: schema.schema,
    definitions: {},
    subresources: ["status", "scale"].filter((name) => subresources[name] !== undefined),
    ...(scale === undefined ? {} : { scale }),
    selectableFields: selectable.map((field) => textAt(field, "jsonPath").replace(/^\./, "")),
    countsGenerations: true,
    allowsUnconditionalUpdate: false,
    returnsDeleted: false,
    rules: rulesOf(schema, scale),
  };
}

function textsAt(names: JsonObject, key: "shortNames" | "categories"): { readonly [key: string]: readonly string[] } {
  const texts = listAt(names, key).map(String);
  return texts.length === 0 ? {} : { [key]: texts };
}

function scaleOf(subresources: JsonObject): ScalePaths | undefined {
  const { scale } = subresources;
  if (!isJsonObject(scale)) return undefined;
  const labelSelectorPath = textAt(scale, "labelSelectorPath");
  return {
    specReplicasPath: textAt(scale, "specReplicasPath"),
    statusReplicasPath: textAt(scale, "statusReplicasPath"),
    ...(labelSelectorPath === "" ? {} : { labelSelectorPath }),
  };
}

function rulesOf(schema: SchemaNode, scale: ScalePaths | undefined): KindRules {
  return {
    decode: (sent) => decode(schema, sent),
    validate: (object, inMeta) => validate(schema, object, { scale, inMeta }),
    validateUpdate: (next, old, inMeta) => validate(schema, next, { scale, old, inMeta }),
    validateStatus: (next, old) => validate(schema, next, { scale, old, part: "status" }),
  };
}

function decode(schema: SchemaNode, sent: JsonObject): Decoded {
  const { metadata = {} } = sent;
  const because = isJsonObject(metadata)
    ? metaTypeFault(metadata)
    : `json: cannot unmarshal ${goType(metadata)} into Go value of type v1.ObjectMeta`;
  if (because !== undefined) return { ok: false, because };
  const pruned = prune(schema, sent);
  const value = applyDefaults(schema, pruned.value);
  return { ok: true, value: withKnownMeta(isJsonObject(value) ? value : {}), unknown: pruned.unknown };
}

const textFields = ["name", "generateName", "namespace", "uid", "resourceVersion"];
const mapFields = ["labels", "annotations"];

/** Metadata has Go types even where nothing else has. */
function metaTypeFault(meta: JsonObject): string | undefined {
  const fault = (field: string, value: Json, type: string) =>
    `json: cannot unmarshal ${goType(value)} into Go struct field ObjectMeta.metadata.${field} of type ${type}`;
  for (const field of textFields) {
    const value = meta[field];
    if (value !== undefined && typeof value !== "string") return fault(field, value, "string");
  }
  for (const field of mapFields) {
    const value = meta[field];
    if (value !== undefined && value !== null && !isJsonObject(value)) return fault(field, value, "map[string]string");
    const odd = Object.values(isJsonObject(value) ? value : {}).find((each) => typeof each !== "string");
    if (odd !== undefined) return fault(field, odd, "string");
  }
  const { finalizers } = meta;
  if (finalizers !== undefined && finalizers !== null && !isJsonList(finalizers))
    return fault("finalizers", finalizers, "[]string");
  const odd = listAt(meta, "finalizers").find((each) => typeof each !== "string");
  return odd === undefined ? undefined : fault("finalizers", odd, "string");
}

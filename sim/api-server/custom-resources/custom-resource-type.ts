// The versions of a custom resource definition as resource types: their rules are those of the structural schema.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, objectAt, textAt, withFields, withKnownMeta } from "../api-object.ts";
import { metadataReader } from "../built-in/metadata-type.ts";
import type { FieldError } from "../faults/field-error.ts";
import type { Decoded, KindRules, ResourceType, ScalePaths } from "../resource-type.ts";
import { applyDefaults } from "../structural/apply-defaults.ts";
import { type PruneOptions, prune } from "../structural/prune.ts";
import { compileSchema, type SchemaNode } from "../structural/schema-node.ts";
import { validate } from "../structural/validate.ts";
import { schemaOf, settledFaults, versionsOf } from "./definition-faults.ts";
import { compareVersions } from "./version-order.ts";

/** All versions of a definition, in its order, served or not. */
export function customTypes(definition: JsonObject): readonly ResourceType[] {
  return versionsOf(definition).flatMap((version) => {
    const compiled = compileSchema(schemaOf(version));
    return compiled.ok ? [typeOf(definition, version, compiled.value)] : [];
  });
}

/** The kind of definitions with the rules for what they define, asked of `faultsOf`; any other kind as it is. */
export function withDefinitionRules(
  type: ResourceType,
  faultsOf: (definition: JsonObject) => readonly FieldError[],
): ResourceType {
  if (type.kind !== "CustomResourceDefinition") return type;
  const { rules } = type;
  return {
    ...type,
    rules: {
      ...rules,
      validate: (definition, inMeta) => [...(rules.validate?.(definition, inMeta) ?? []), ...faultsOf(definition)],
      validateUpdate: (next, old, inMeta) => [
        ...(rules.validateUpdate?.(next, old, inMeta) ?? []),
        ...faultsOf(next),
        ...settledFaults(next, old),
      ],
    },
  };
}

export function isStoredVersion(definition: JsonObject, name: string): boolean {
  return versionsOf(definition).some((version) => version.name === name && version.storage === true);
}

export function isServedVersion(definition: JsonObject, name: string): boolean {
  return versionsOf(definition).some((version) => version.name === name && version.served === true);
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
    ...(version.deprecated === true ? { deprecationWarning: deprecationOf(definition, version) } : {}),
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

/** The definition's own words, else the version to use instead: the first that is served, younger and not deprecated. */
function deprecationOf(definition: JsonObject, version: JsonObject): string {
  const name = textAt(version, "name");
  const spec = objectAt(definition, "spec");
  const [group, kind] = [textAt(spec, "group"), textAt(objectAt(spec, "names"), "kind")];
  const own = textAt(version, "deprecationWarning");
  if (own !== "") return own;
  const better = versionsOf(definition)
    .filter((other) => other.served === true && other.deprecated !== true)
    .map((other) => textAt(other, "name"))
    .filter((other) => compareVersions(other, name) < 0)
    .sort(compareVersions)[0];
  return `${group}/${name} ${kind} is deprecated${better === undefined ? "" : `; use ${group}/${better} ${kind}`}`;
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

type ReadMeta = ReturnType<typeof metadataReader>;

function rulesOf(schema: SchemaNode, scale: ScalePaths | undefined): KindRules {
  const readMeta = metadataReader();
  return {
    decode: (sent) => decode(schema, readMeta, sent, {}),
    decodeMerged: (merged) => decode(schema, readMeta, merged, { keepsNulls: true }),
    validate: (object, inMeta) => validate(schema, object, { scale, inMeta }),
    validateUpdate: (next, old, inMeta) => validate(schema, next, { scale, old, inMeta }),
    validateStatus: (next, old) => validate(schema, next, { scale, old, part: "status" }),
  };
}

function decode(schema: SchemaNode, readMeta: ReadMeta, sent: JsonObject, options: PruneOptions): Decoded {
  const { metadata: sentMeta = {}, ...content } = sent;
  const read = readMeta(sentMeta);
  if (!read.ok) return read;
  const pruned = prune(schema, content, options);
  const value = applyDefaults(schema, pruned.value);
  const unknown = read.unknown.length === 0 ? pruned.unknown : [...read.unknown, ...pruned.unknown].sort();
  const object = withFields(isJsonObject(value) ? value : {}, read.value);
  return { ok: true, value: withKnownMeta(object), unknown };
}

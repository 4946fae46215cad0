// Why a schema is not structural, in the words of kube-apiserver: every value has one type, lists say what is in them, and
// what only judges values adds nothing to their shape. A definition with such a schema cannot be installed.
import type { Json } from "../../../src/core/json/json.ts";
import {
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../faults/field-error.ts";
import type { Schema } from "../schema.ts";

type Level = "root" | "field" | "item";

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  field: "must not be empty for specified object fields",
  item: "must not be empty for specified array items",
};
const types = ["array", "boolean", "integer", "number", "object", "string"];
const listTypes = ["atomic", "set", "map"];
/** What of an object's metadata a schema may speak of. */
const metadataProperties = new Set(["name", "generateName"]);

/** All that is wrong with the schema at this path of a definition. */
export function structuralFaults(schema: Schema, path: string): readonly FieldError[] {
  return nodeFaults(schema, path, "root");
}

function nodeFaults(schema: Schema, path: string, level: Level): readonly FieldError[] {
  const { $ref, properties = {}, additionalProperties: more, items } = schema;
  if ($ref !== undefined) return [forbiddenValue(`${path}.$ref`, "$ref is not supported")];
  const isResource = level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  return [
    ...typeFaults(schema, path, level),
    ...(isResource ? metadataFaults(schema, path) : []),
    ...unsupportedFaults(schema, path),
    ...listFaults(schema, path),
    ...judgeFaults(schema, path),
    ...Object.entries(properties).flatMap(([name, child]) => nodeFaults(child, `${path}.properties[${name}]`, "field")),
    ...(typeof more === "object" ? nodeFaults(more, `${path}.additionalProperties`, "field") : []),
    ...(items === undefined ? [] : nodeFaults(items, `${path}.items`, "item")),
  ];
}

function typeFaults(schema: Schema, path: string, level: Level): readonly FieldError[] {
  const { type = "", items } = schema;
  const isAnyType =
    schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (type === "") return isAnyType ? [] : [requiredValue(`${path}.type`, emptyType[level])];
  if (!types.includes(type)) return [unsupportedValue(`${path}.type`, type, types)];
  return [
    ...(type === "array" && items === undefined ? [requiredValue(`${path}.items`, "must be specified")] : []),
    ...(level === "root" && type !== "object"
      ? [invalidValue(`${path}.type`, type, "must be object at the root")]
      : []),
  ];
}

function metadataFaults({ properties = {} }: Schema, path: string): readonly FieldError[] {
  const { metadata } = properties;
  const words = "must not specify anything other than name and generateName, but metadata is implicitly specified";
  const isSilent = Object.keys(metadata?.properties ?? {}).every((name) => metadataProperties.has(name));
  return isSilent ? [] : [forbiddenValue(`${path}.properties[metadata]`, words)];
}

function unsupportedFaults(schema: Schema, path: string): readonly FieldError[] {
  const { uniqueItems, properties, additionalProperties } = schema;
  const hasBoth = typeof additionalProperties === "object" && Object.keys(properties ?? {}).length > 0;
  const quadratic = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
  return [
    ...(uniqueItems === true ? [forbiddenValue(`${path}.uniqueItems`, quadratic)] : []),
    ...(hasBoth
      ? [forbiddenValue(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive")]
      : []),
  ];
}

function listFaults(schema: Schema, path: string): readonly FieldError[] {
  const { items, "x-kubernetes-list-type": listType, "x-kubernetes-list-map-keys": keys = [] } = schema;
  if (listType === undefined) return [];
  if (!listTypes.includes(listType)) return [unsupportedValue(`${path}.x-kubernetes-list-type`, listType, listTypes)];
  if (listType !== "map") return [];
  const atKeys = `${path}.x-kubernetes-list-map-keys`;
  const isKnown = keys.every((key) => items?.properties !== undefined && Object.hasOwn(items.properties, key));
  const itemType = items?.type ?? "";
  return [
    ...(keys.length === 0 ? [requiredValue(atKeys, "must not be empty if x-kubernetes-list-type is map")] : []),
    ...(isKnown ? [] : [invalidValue(atKeys, [...keys], "entries must all be names of item properties")]),
    ...(itemType === "object"
      ? []
      : [
          invalidValue(
            `${path}.items.type`,
            itemType,
            "must be object if parent array's x-kubernetes-list-type is map",
          ),
        ]),
  ];
}

/** Below allOf, anyOf, oneOf and not nothing may be said of shapes, but for the two types of an int-or-string. */
function judgeFaults(schema: Schema, path: string): readonly FieldError[] {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  const mayHaveType = schema["x-kubernetes-int-or-string"] === true;
  const below = (children: readonly Schema[], step: string) =>
    children.flatMap((child, index) => judgedFaults(child, `${path}.${step}[${index}]`, mayHaveType));
  return [
    ...below(allOf, "allOf"),
    ...below(anyOf, "anyOf"),
    ...below(oneOf, "oneOf"),
    ...(not === undefined ? [] : judgedFaults(not, `${path}.not`, false)),
  ];
}

function judgedFaults(schema: Schema, path: string, mayHaveType: boolean): readonly FieldError[] {
  const { type, description, default: fallback, additionalProperties, nullable, properties = {}, items } = schema;
  const mustBe = (field: string, is: Json | undefined, what: string) =>
    is === undefined ? [] : [forbiddenValue(`${path}.${field}`, `must be ${what} to be structural`)];
  return [
    ...mustBe("type", mayHaveType ? undefined : type, "empty"),
    ...mustBe("description", description, "empty"),
    ...mustBe("default", fallback, "undefined"),
    ...(additionalProperties === undefined ? [] : mustBe("additionalProperties", true, "undefined")),
    ...mustBe("nullable", nullable === true ? true : undefined, "false"),
    ...judgeFaults({ ...schema, "x-kubernetes-int-or-string": mayHaveType }, path),
    ...Object.entries(properties).flatMap(([name, child]) => judgedFaults(child, `${path}.properties[${name}]`, false)),
    ...(items === undefined ? [] : judgedFaults(items, `${path}.items`, false)),
  ];
}

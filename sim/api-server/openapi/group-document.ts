// The OpenAPI document of one group and version: its schemas, and its paths with what kubectl looks for in them: which kind
// they serve, and that writes take a dry run and a validation of fields. Descriptions are the first sentences of the real
// server's; a custom resource has those of its definition.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Endpoint } from "../resource-table.ts";
import type { ResourceType } from "../resource-type.ts";
import type { Definitions, Schema } from "../schema.ts";
import { componentOf } from "./component-schema.ts";

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const writeParameters = ["dryRun", "fieldManager", "fieldValidation"].map(queryParameter);

function queryParameter(name: string): JsonObject {
  return { name, in: "query", schema: { type: "string", uniqueItems: true } };
}

/** The document for resources that all belong to one group and version; `shared` holds the schema of metadata. */
export function groupDocument(endpoints: readonly Endpoint[], shared: Definitions): JsonObject {
  const roots = endpoints.map(({ type }) => [componentName(type), rootSchema(type), type.definitions] as const);
  const schemas = new Map<string, JsonObject>();
  for (const [name, schema, definitions] of roots) collect(name, schema, { ...shared, ...definitions }, schemas);
  const paths = endpoints.flatMap(pathsOf);
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "1.35" },
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))) },
  };
}

/** Adds a schema and all that it refers to. */
function collect(name: string, schema: Schema, definitions: Definitions, schemas: Map<string, JsonObject>): void {
  if (schemas.has(name)) return;
  const component = componentOf(schema);
  schemas.set(name, component.schema);
  for (const below of component.refers) {
    const next = Object.hasOwn(definitions, below) ? definitions[below] : undefined;
    if (next !== undefined) collect(below, next, definitions, schemas);
  }
}

/** Built-in kinds are known by the name of their Go type, custom ones by their group turned round. */
function componentName({ definitions, schema, group, version, kind }: ResourceType): string {
  const known = Object.keys(definitions).find((name) => definitions[name] === schema);
  return known ?? [...group.split(".").toReversed(), version, kind].join(".");
}

function rootSchema({ isCustom, schema, group, version, kind }: ResourceType): Schema {
  if (!isCustom) return schema;
  const { "x-kubernetes-embedded-resource": _root, properties, ...rest } = schema;
  return {
    ...rest,
    properties: {
      apiVersion: {
        description: "APIVersion defines the versioned schema of this representation of an object.",
        type: "string",
      },
      kind: {
        description: "Kind is a string value representing the REST resource this object represents.",
        type: "string",
      },
      metadata: { description: "Standard object's metadata.", $ref: `#/definitions/${OBJECT_META}` },
      ...Object.fromEntries(Object.entries(properties ?? {}).filter(([name]) => !ownFields.has(name))),
    },
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
  };
}

const ownFields = new Set(["apiVersion", "kind", "metadata"]);

function pathsOf({ type, apiVersion }: Endpoint): readonly (readonly [path: string, operations: JsonObject])[] {
  const root = type.group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  const collection = `${root}${type.namespaced ? "/namespaces/{namespace}" : ""}/${type.plural}`;
  const { group, version, kind } = type;
  const operation = (action: string, parameters: readonly JsonObject[] = []) => ({
    parameters,
    responses: { 200: { description: "OK" } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, version, kind },
  });
  return [
    [collection, { get: operation("list"), post: operation("post", writeParameters) }],
    [
      `${collection}/{name}`,
      {
        get: operation("get"),
        put: operation("put", writeParameters),
        delete: operation("delete", [queryParameter("dryRun")]),
        patch: operation("patch", [...writeParameters, queryParameter("force")]),
      },
    ],
  ];
}

// What every generated definition must be: structural, described and bounded, so that neither an object nor a rule on it can
// cost more than the API server allows.
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { daemonSetCrd } from "../daemon-set/api/crd.ts";
import { moduleCrd } from "../module/api/crd.ts";
import { variantSetCrd } from "../variant-set/api/crd.ts";
import { type CrdSource, customResourceDefinition } from "./crd.ts";

const sources: readonly CrdSource[] = [variantSetCrd, daemonSetCrd, moduleCrd];

type Visited = { readonly path: string; readonly schema: JsonObject; readonly isField: boolean };

function visit(schema: JsonObject, path: string, isField: boolean): readonly Visited[] {
  const { properties, items, additionalProperties: more } = schema;
  const fields = isJsonObject(properties) ? Object.entries(properties) : [];
  return [
    { path, schema, isField },
    ...fields.flatMap(([name, child]) => (isJsonObject(child) ? visit(child, `${path}.${name}`, true) : [])),
    ...(isJsonObject(items) ? visit(items, `${path}[]`, false) : []),
    ...(isJsonObject(more) ? visit(more, `${path}{}`, false) : []),
  ];
}

function visitedIn(source: CrdSource): readonly Visited[] {
  const { spec } = JSON.parse(JSON.stringify(customResourceDefinition(source)));
  return spec.versions.flatMap((version: { name: string; schema: { openAPIV3Schema: JsonObject } }) =>
    visit(version.schema.openAPIV3Schema, version.name, true),
  );
}

describe.each(sources.map((source) => [source.names.kind, source] as const))("the definition of %s", (_, source) => {
  const visited = visitedIn(source);
  const inSpecAndStatus = visited.filter(({ path }) => /\.(spec|status)\b/.test(path));
  const pathsWhere = (isWrong: (visited: Visited) => boolean) =>
    inSpecAndStatus.filter(isWrong).map(({ path }) => path);

  test("describes every field in a sentence", () => {
    expect(pathsWhere(({ schema, isField }) => isField && !/^[A-Z].*\.$/s.test(String(schema.description)))).toEqual(
      [],
    );
  });

  test("bounds every list, text and map", () => {
    expect(
      pathsWhere(
        ({ schema: { type, maxItems, maxLength, maxProperties, additionalProperties, enum: words, format } }) => {
          if (type === "array") return maxItems === undefined;
          if (type === "string") return maxLength === undefined && words === undefined && format !== "date-time";
          return additionalProperties !== undefined && maxProperties === undefined;
        },
      ),
    ).toEqual([]);
  });

  test("gives every list its type, and keys to lists that are maps", () => {
    expect(
      pathsWhere(({ schema }) => {
        const listType = schema["x-kubernetes-list-type"];
        const keys = schema["x-kubernetes-list-map-keys"];
        return schema.type === "array" && (listType === undefined || (listType === "map") !== Array.isArray(keys));
      }),
    ).toEqual([]);
  });

  test("is structural: each part has a type or says that it takes anything, and refers to no other", () => {
    expect(
      pathsWhere(
        ({ schema }) =>
          (schema.type === undefined &&
            schema["x-kubernetes-int-or-string"] !== true &&
            schema["x-kubernetes-preserve-unknown-fields"] !== true) ||
          "$ref" in schema ||
          "anyOf" in schema ||
          schema.additionalProperties === false,
      ),
    ).toEqual([]);
  });

  test("stores one version, and has a status of its own in each", () => {
    const { spec } = JSON.parse(JSON.stringify(customResourceDefinition(source)));
    expect(spec.versions.filter((version: { storage: boolean }) => version.storage)).toHaveLength(1);
    for (const version of spec.versions) expect(version.subresources.status).toEqual({});
    expect(spec.names.categories).toEqual(["farrier"]);
  });
});

test("a conversion stands in the definition as it is given", () => {
  const conversion = { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "u" } } };
  expect(customResourceDefinition(variantSetCrd, conversion).spec).toMatchObject({ conversion });
});

// What kubectl reads in the documents; that kubectl itself is content with them is shown in e2e/kubectl.
import { expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { objectAt, textAt } from "../api-object.ts";
import { builtInKinds } from "../built-in/built-in-kinds.ts";
import { aServer, call } from "../testing/plain-kinds.ts";

const definition = (schema: JsonObject): JsonObject => ({
  ...{
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.dev" },
  },
  spec: {
    ...{ group: "example.dev", scope: "Namespaced", names: { plural: "things", kind: "Thing" } },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});
const withSpec = (type: string) => ({
  type: "object",
  description: "A thing.",
  properties: { spec: { type: "object", properties: { size: { type } } } },
});

async function documents(...definitions: readonly JsonObject[]) {
  const { transport } = aServer({ builtIn: builtInKinds() });
  const get = async (path: string) => (await call(transport, "GET", path)).body;
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  for (const each of definitions) await call(transport, "POST", path, each);
  const index = objectAt(await get("/openapi/v3"), "paths");
  const urlOf = (group: string) => textAt(objectAt(index, group), "serverRelativeURL");
  return { index, urlOf, document: (group: string) => get(urlOf(group)) };
}

const schemasOf = (document: JsonObject) => objectAt(objectAt(document, "components"), "schemas");

/** All values of a key, however deep. */
function valuesOf(value: unknown, key: string): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesOf(each, key));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [...(name === key ? [inner] : []), ...valuesOf(inner, key)]);
}

test("every reference of every document leads to a schema in it", async () => {
  const { index, document } = await documents(definition(withSpec("string")));
  for (const group of Object.keys(index)) {
    const whole = await document(group);
    const known = Object.keys(schemasOf(whole)).map((name) => `#/components/schemas/${name}`);
    const dangling = valuesOf(whole, "$ref").filter((each) => typeof each === "string" && !known.includes(each));
    expect(dangling).toEqual([]);
    expect(valuesOf(whole, "x-go")).toEqual([]);
  }
});

test("paths name their kind, and say that writes can be tried and checked", async () => {
  const { document } = await documents();
  const { patch } = objectAt(
    objectAt(await document("apis/apps/v1"), "paths"),
    "/apis/apps/v1/namespaces/{namespace}/daemonsets/{name}",
  );
  expect(patch).toMatchObject({
    "x-kubernetes-group-version-kind": { group: "apps", version: "v1", kind: "DaemonSet" },
  });
  expect(valuesOf(patch, "name")).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
});

test("a choice of types is published as one", async () => {
  const { document } = await documents();
  const schemas = schemasOf(await document("apis/apps/v1"));
  expect(schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toEqual({
    description: "IntOrString is a type that can hold an int32 or a string.",
    ...{ format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  });
  expect(objectAt(objectAt(schemas, "io.k8s.api.core.v1.Container"), "properties").resources).toMatchObject({
    allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.ResourceRequirements" }],
  });
});

test("a custom resource has the schema of its definition, and metadata like all others", async () => {
  const { document } = await documents(definition(withSpec("string")));
  const schemas = schemasOf(await document("apis/example.dev/v1"));
  expect(schemas["dev.example.v1.Thing"]).toMatchObject({
    description: "A thing.",
    properties: {
      metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
      spec: { type: "object", properties: { size: { type: "string" } } },
    },
    "x-kubernetes-group-version-kind": [{ group: "example.dev", version: "v1", kind: "Thing" }],
  });
});

test("the address of a document changes with its content and with nothing else", async () => {
  const urls = async (type: string) => {
    const { urlOf } = await documents(definition(withSpec(type)));
    return [urlOf("apis/example.dev/v1"), urlOf("apis/apps/v1")];
  };
  const [first, again, other] = [await urls("string"), await urls("string"), await urls("integer")];
  expect(again).toEqual(first);
  expect(other[0]).not.toBe(first[0]);
  expect(other[1]).toBe(first[1]);
});

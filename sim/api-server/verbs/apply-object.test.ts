// What an apply leaves where a manager's map or list loses its last element, as a real server was seen to.
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { widgetDefinition } from "../../contract/widget.ts";
import { listAt, objectAt, textAt } from "../api-object.ts";
import { builtInKinds } from "../built-in/built-in-kinds.ts";
import { aServer, type Called, call } from "../testing/plain-kinds.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const widgets = "/apis/contract.example.dev/v1/namespaces/default/widgets";
const configMaps = "/api/v1/namespaces/default/configmaps";

async function serverWithWidgets() {
  const { transport } = aServer();
  await call(transport, "POST", definitions, JSON.parse(JSON.stringify(widgetDefinition)));
  const types = { apiVersion: "contract.example.dev/v1", kind: "Widget" };
  return (content: JsonObject, { manager = "one", part = "" } = {}): Promise<Called> =>
    call(
      transport,
      "PATCH",
      `${widgets}/a${part}?fieldManager=${manager}`,
      { ...types, metadata: { name: "a" }, ...content },
      "apply",
    );
}

const causesOf = ({ body }: Called) =>
  listAt(objectAt(body, "details"), "causes").map((cause: Json) => textAt(Object(cause), "field"));

test("a map of a custom resource that an apply empties becomes null, which its schema refuses", async () => {
  const apply = await serverWithWidgets();
  await apply({ spec: { labels: { a: "1" } } });
  const emptied = await apply({ spec: { labels: {} } });
  expect(emptied.status).toBe(422);
  expect(causesOf(emptied)).toEqual(["spec.labels", "<nil>"]);
  expect(listAt(objectAt(emptied.body, "details"), "causes")[0]).toEqual({
    reason: "FieldValueTypeInvalid",
    message: 'Invalid value: "null": spec.labels in body must be of type object: "null"',
    field: "spec.labels",
  });
});

test("the same happens when the one who filled the map leaves it to somebody who applied it empty", async () => {
  const apply = await serverWithWidgets();
  await apply({ spec: { labels: { a: "1" } } });
  expect((await apply({ spec: { labels: {} } }, { manager: "two" })).status).toBe(200);
  expect(causesOf(await apply({ spec: { low: 1 } }))).toEqual(["spec.labels", "<nil>"]);
});

test("a map that an apply no longer names goes as a whole, and so does a list without elements", async () => {
  const apply = await serverWithWidgets();
  await apply({ spec: { low: 1, labels: { a: "1" }, tags: ["a"] } });
  const { status, body } = await apply({ spec: { low: 1, tags: [] } });
  expect(status).toBe(200);
  expect(body.spec).toEqual({ low: 1, size: 3, mode: "Safe" });
});

test("an applied null stays where the schema allows one, becomes a default where there is one, and is refused elsewhere", async () => {
  const apply = await serverWithWidgets();
  const { body } = await apply({ spec: { note: null, mode: null } });
  expect(body.spec).toEqual({ note: null, mode: "Safe", size: 3 });
  expect(causesOf(await apply({ spec: { low: null, parts: [{ name: "a", note: null }] } }))).toEqual(
    expect.arrayContaining(["spec.low", "spec.parts[0].note"]),
  );
  expect(causesOf(await apply({ status: { phase: null } }, { part: "/status" }))).toEqual(["status.phase", "<nil>"]);
});

test("a status that an apply leaves null is refused for that, and not for the replicas that it does not hold", async () => {
  const apply = await serverWithWidgets();
  await apply({ spec: {} });
  await apply({ status: { phase: "A" } }, { part: "/status" });
  expect(causesOf(await apply({ status: {} }, { part: "/status" }))).toEqual(["status", "<nil>"]);
});

test("a built-in kind reads the null as nothing", async () => {
  const { transport } = aServer({ builtIn: builtInKinds() });
  const apply = (data: JsonObject) =>
    call(
      transport,
      "PATCH",
      `${configMaps}/a?fieldManager=one`,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data },
      "apply",
    );
  await apply({ a: "1" });
  const { status, body } = await apply({});
  expect(status).toBe(200);
  expect(body.data).toBeUndefined();
});

test("an apply that names a version makes an object that is not there, as a real server was seen to", async () => {
  const { transport } = aServer({ builtIn: builtInKinds() });
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", resourceVersion: "5" } };
  const { status, body } = await call(transport, "PATCH", `${configMaps}/a?fieldManager=one`, object, "apply");
  expect(status).toBe(201);
  expect(textAt(objectAt(body, "metadata"), "resourceVersion")).not.toBe("5");
});

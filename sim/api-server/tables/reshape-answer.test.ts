// The forms of an answer, asked of a whole server: what kubectl and clients that want metadata alone send and get.
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Transport } from "../../../src/kube/transport.ts";
import { parseJson } from "../../../src/kube/wire/json-text.ts";
import { objectAt } from "../api-object.ts";
import { aServer, call } from "../testing/plain-kinds.ts";
import { objectsAt } from "./pod-cells.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
const kubectl = `${table},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`;
const aMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "1" } });

function objectOf(bytes: Uint8Array | undefined): JsonObject {
  const value = parseJson(new TextDecoder().decode(bytes));
  return isJsonObject(value) ? value : {};
}

async function get(transport: Transport, path: string, accept: string) {
  const { status, body } = await transport.request({ method: "GET", path, headers: { accept }, lane: "calls" });
  return { status, body: objectOf(body) };
}

async function withMaps(...names: readonly string[]) {
  const { transport } = aServer();
  for (const name of names) await call(transport, "POST", maps, aMap(name));
  return transport;
}

describe("an answer", () => {
  test.each([
    ["", "ConfigMap"],
    ["application/json", "ConfigMap"],
    ["*/*", "ConfigMap"],
    ["application/vnd.kubernetes.protobuf, application/json", "ConfigMap"],
    ["text/html, */*;q=0.8", "ConfigMap"],
    [kubectl, "Table"],
    ["application/json;as=Table;v=v9;g=meta.k8s.io,application/json", "ConfigMap"],
    ["application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "PartialObjectMetadata"],
  ])("to who accepts %j is a %s", async (accept, kind) => {
    const transport = await withMaps("a");
    expect((await get(transport, `${maps}/a`, accept)).body.kind).toBe(kind);
  });

  test.each(["text/html", "application/vnd.kubernetes.protobuf", `${table}2`])(
    "to who accepts only %s is a refusal",
    async (accept) => {
      const transport = await withMaps("a");
      expect((await get(transport, `${maps}/a`, accept)).body).toMatchObject({ code: 406, reason: "NotAcceptable" });
    },
  );

  test("to who asks for what is not there is a status, in whatever form", async () => {
    const transport = await withMaps();
    expect((await get(transport, `${maps}/a`, table)).body).toMatchObject({ kind: "Status", code: 404 });
  });
});

describe("a table", () => {
  test("of a list has a row for each object, and says where the next page begins", async () => {
    const transport = await withMaps("a", "b");
    const first = await get(transport, `${maps}?limit=1`, table);
    const next = String(objectAt(first.body, "metadata").continue);
    const second = await get(transport, `${maps}?limit=1&continue=${next}`, table);
    const cells = [first, second].flatMap(({ body }) => objectsAt(body, "rows").map((row) => row.cells));
    expect(cells).toEqual([
      ["a", 1, "0s"],
      ["b", 1, "0s"],
    ]);
    expect(objectAt(second.body, "metadata")).toEqual({ resourceVersion: expect.any(String) });
  });

  test.each([
    ["", { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "a" } }],
    ["Metadata", { kind: "PartialObjectMetadata", metadata: { name: "a" } }],
    ["Object", { kind: "ConfigMap", apiVersion: "v1", data: { a: "1" } }],
    ["None", null],
  ])("with includeObject=%s has in its rows %j", async (includes, object) => {
    const transport = await withMaps("a");
    for (const path of [`${maps}?includeObject=${includes}`, `${maps}/a?includeObject=${includes}`]) {
      const [row] = objectsAt((await get(transport, path, table)).body, "rows");
      if (object === null) expect(row?.object).toBeNull();
      else expect(row?.object).toMatchObject(object);
    }
  });

  test("with another includeObject is refused", async () => {
    const transport = await withMaps("a");
    const { status, body } = await get(transport, `${maps}/a?includeObject=All`, table);
    expect([status, body.message]).toEqual([
      400,
      `Unable to convert to Table as requested: includeObject: Invalid value: "All": must be 'Metadata', 'Object', 'None', or empty`,
    ]);
  });

  test("of a pod that is over says so beside its cells", async () => {
    const { transport } = aServer();
    const pods = "/api/v1/namespaces/default/pods";
    await call(transport, "POST", pods, { metadata: { name: "a" }, status: { phase: "Succeeded" } });
    const [row] = objectsAt((await get(transport, pods, table)).body, "rows");
    expect(row?.conditions).toEqual([
      { type: "Completed", status: "True", reason: "Succeeded", message: "The pod has completed successfully." },
    ]);
  });
});

describe("a watch", () => {
  const watching = async (transport: Transport, path: string, accept: string) => {
    const request = { method: "GET", path, headers: { accept }, lane: "watches" } as const;
    return (await transport.stream(request)).chunks[Symbol.asyncIterator]();
  };

  test("in tables has headers in its first event alone", async () => {
    const transport = await withMaps("a", "b");
    const events = await watching(transport, `${maps}?watch=true`, table);
    const [first, second] = [objectOf((await events.next()).value), objectOf((await events.next()).value)];
    expect(first).toMatchObject({
      type: "ADDED",
      object: { kind: "Table", columnDefinitions: [{ name: "Name" }, {}, {}] },
    });
    expect(second).toMatchObject({
      type: "ADDED",
      object: { columnDefinitions: null, rows: [{ cells: ["b", 1, "0s"] }] },
    });
  });

  test("in tables tells a version that is gone as it is", async () => {
    const { server, transport } = aServer();
    for (const name of ["a", "b"]) await call(transport, "POST", maps, aMap(name));
    server.compact();
    const events = await watching(transport, `${maps}?watch=true&resourceVersion=1`, table);
    expect(objectOf((await events.next()).value)).toMatchObject({
      type: "ERROR",
      object: { kind: "Status", code: 410 },
    });
  });

  test("in tables ends at once when its reader leaves", async () => {
    const transport = await withMaps();
    const events = await watching(transport, `${maps}?watch=true`, table);
    const waiting = events.next();
    await events.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});

test("metadata alone is served for objects and lists", async () => {
  const transport = await withMaps("a");
  const accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  const { body } = await get(transport, maps, accept);
  expect(body).toMatchObject({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" });
  const [item] = objectsAt(body, "items");
  expect([item?.kind, item?.data]).toEqual(["PartialObjectMetadata", undefined]);
});

test("a body may be YAML", async () => {
  const transport = await withMaps();
  const headers = { "content-type": "application/yaml" };
  const post = (body: string) => transport.request({ method: "POST", path: maps, headers, body, lane: "calls" });
  expect((await post("metadata:\n  name: a\ndata: {n: '1'}\n")).status).toBe(201);
  expect((await call(transport, "GET", `${maps}/a`)).body.data).toEqual({ n: "1" });
  expect(objectOf((await post("a: [1"))?.body)).toMatchObject({ code: 400, reason: "BadRequest" });
});

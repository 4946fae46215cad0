// The tables of a real server, cell by cell, for objects in all states that tables tell apart: ours must be the same. It checks
// what the tests beside the columns have recorded; FARRIER_RECORD=1 records it anew.
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { metaOf, nameOf, objectAt } from "../../sim/api-server/api-object.ts";
import { objectsAt } from "../../sim/api-server/tables/pod-cells.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import type { HttpRequest, Transport } from "../../src/kube/transport.ts";
import { parseJson, printJson } from "../../src/kube/wire/json-text.ts";
import { type Cluster, startCluster } from "../control-plane/cluster.ts";
import { type Connection, connect } from "../control-plane/connect.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { definition } from "./custom-table-cases.ts";
import type { TableCase } from "./table-case.ts";
import { tableCases } from "./table-cases.ts";

const vectors = new URL("../../sim/api-server/tables/vectors/tables.json", import.meta.url);
const asTable = "application/json;as=Table;g=meta.k8s.io;v=v1";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

type Row = {
  readonly path: string;
  readonly nowMs: number;
  readonly object: JsonObject;
  readonly cells: readonly Json[];
};
type Recorded = { readonly definition: JsonObject; readonly headers: JsonObject; readonly rows: readonly Row[] };

async function send(
  transport: Transport,
  request: Omit<HttpRequest, "headers" | "lane">,
  type = "json",
  accept?: string,
) {
  const headers = { accept: accept ?? "application/json", "content-type": `application/${type}` };
  const answer = await transport.request({ ...request, headers, lane: "calls" });
  const body = parseJson(new TextDecoder().decode(answer.body));
  if (answer.status > 299 || !isJsonObject(body))
    throw new Error(`${request.method} ${request.path}: ${answer.status} ${printJson(body)}`);
  return body;
}

/** Puts a case on the server and reads it back, as it is and as a table. */
async function record(transport: Transport, each: TableCase, headers: Record<string, Json>): Promise<Row> {
  const path = `${each.path}/${nameOf(each.object)}`;
  await send(transport, { method: "POST", path: each.path, body: printJson(each.object) });
  if (each.status !== undefined) {
    const body = printJson({ status: each.status });
    await send(transport, { method: "PATCH", path: `${path}/status`, body }, "merge-patch+json");
  }
  if (each.isDeleted) await send(transport, { method: "DELETE", path });
  const object = await send(transport, { method: "GET", path });
  const nowMs = Date.now();
  const table = await send(transport, { method: "GET", path }, "json", asTable);
  headers[each.path] = objectsAt(table, "columnDefinitions").map(
    ({ name = "", type = "", format = "", priority = 0 }) => ({
      ...{ name, type, format, priority },
    }),
  );
  const [row = {}] = objectsAt(table, "rows");
  return { path: each.path, nowMs, object: withoutNoise(object), cells: Array.isArray(row.cells) ? row.cells : [] };
}

/** Without what no table shows. */
function withoutNoise(object: JsonObject): JsonObject {
  const { managedFields: _fields, uid: _uid, resourceVersion: _version, ...metadata } = metaOf(object);
  return { ...object, metadata };
}

const uid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Ages since creation and identities are those of the run. */
function steady({ path, cells }: Row, headers: JsonObject): readonly Json[] {
  const names = objectsAt(headers, path).map(({ name }) => name);
  return cells.map((cell, index) => {
    if (names[index] === "Age" || names[index] === "Created At") return "AGE";
    return typeof cell === "string" ? cell.replaceAll(uid, "UID") : cell;
  });
}

describeWith("api", "tables of a real kube-apiserver", (binaries) => {
  let cluster: Cluster;
  let connection: Connection;

  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api" });
    connection = connect(cluster.address, cluster.token(), "tables");
  });

  afterAll(async () => {
    connection?.close();
    await cluster?.stop();
  });

  test("have the recorded headers and cells", async () => {
    const { transport } = connection;
    const post = (path: string, body: object) => send(transport, { method: "POST", path, body: printJson(body) });
    await post("/api/v1/namespaces", { metadata: { name: "tables" } });
    const account = { metadata: { name: "default" }, automountServiceAccountToken: false };
    await post("/api/v1/namespaces/tables/serviceaccounts", account);
    await post(definitions, definition);
    const served = "/apis/tables.example.dev/v2/namespaces/tables/odds";
    const isServed = async () => send(transport, { method: "GET", path: served }).catch(() => undefined);
    await eventually("the odd kind is served", isServed, { deadlineMs: 20_000 });
    const headers: Record<string, Json> = {};
    const rows: Row[] = [];
    for (const each of tableCases(Date.now())) rows.push(await record(transport, each, headers));
    if (process.env.FARRIER_RECORD === "1") {
      const lines = rows.map((row) => printJson(row)).join(",\n");
      writeFileSync(
        vectors,
        `{"definition":${printJson(definition)},\n"headers":${printJson(headers)},\n"rows":[\n${lines}\n]}\n`,
      );
    }
    const known: Recorded = JSON.parse(readFileSync(vectors, "utf8"));
    expect(headers).toEqual(known.headers);
    const shown = (all: readonly Row[]) => all.map((row) => [row.path, nameOf(row.object), steady(row, headers)]);
    expect(shown(rows)).toEqual(shown(known.rows));
    expect(objectAt(known, "definition")).toEqual(definition);
  });
});

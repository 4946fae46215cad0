// The vectors of the embedded server's schemas and built-in kinds on a real kube-apiserver: its answers must be those that
// are recorded. FARRIER_RECORD=1 records them anew, from the requests in the same files.
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { metaOf, nameOf, objectAt, textAt } from "../sim/api-server/api-object.ts";
import { builtInKinds } from "../sim/api-server/built-in/built-in-kinds.ts";
import type { Json, JsonObject } from "../src/core/json/json.ts";
import { type ApiCalls, startApi } from "./api-calls.ts";
import { describeWith } from "./control-plane/describe-with.ts";

const isRecording = process.env.FARRIER_RECORD === "1";
const group = "values.example.dev";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const folder = new URL("../sim/api-server/", import.meta.url);
const files = {
  objects: new URL("built-in/vectors/objects.json", folder),
  changes: new URL("built-in/vectors/changes.json", folder),
  values: new URL("structural/vectors/values.json", folder),
};

type Recorded = { readonly [key: string]: Json } & { readonly sent: JsonObject };
const read = (file: URL) => JSON.parse(readFileSync(file, "utf8"));
const lines = (rows: readonly object[]) => `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`;
const objects: readonly Recorded[] = read(files.objects);
const changes: readonly (Recorded & { readonly first: JsonObject })[] = read(files.changes);
const values: { readonly note: string; readonly schema: object; readonly cases: readonly { readonly spec: Json }[] } =
  read(files.values);
const kinds = builtInKinds();

function pathOf({ kind }: JsonObject): string {
  const type = kinds.find((each) => each.kind === kind);
  if (type === undefined) throw new Error(`no kind ${kind}`);
  const root = type.group === "" ? "/api/v1" : `/apis/${type.group}/${type.version}`;
  return `${root}${type.namespaced ? "/namespaces/default" : ""}/${type.plural}`;
}

/** An answer without what depends on the run: the metadata that the server sets, identities, and the time of conditions. */
function withoutRun(object: JsonObject, uid: string): JsonObject {
  const { name, labels, annotations } = metaOf(object);
  const whole = JSON.stringify({ ...object, metadata: { name, labels, annotations } });
  const text = whole.replaceAll(/"lastTransitionTime":"[^"]+"/g, '"lastTransitionTime":"2026-01-02T03:04:05Z"');
  return JSON.parse(uid === "" ? text : text.replaceAll(uid, "UID"));
}

function outcome({ status, body }: { readonly status: number; readonly body: JsonObject }, uid: string): object {
  if (status === 200 || status === 201) return { stored: withoutRun(body, uid) };
  const { causes } = objectAt(body, "details");
  return causes === undefined ? { message: textAt(body, "message") } : { causes };
}

const inOrder = (row: object) =>
  "causes" in row && Array.isArray(row.causes)
    ? { ...row, causes: row.causes.map((cause) => JSON.stringify(cause)).sort() }
    : row;

describeWith("api", "recorded objects on a real kube-apiserver", (binaries) => {
  let api: ApiCalls;

  beforeAll(async () => {
    api = await startApi(binaries);
    await api.served("/api/v1/namespaces/default");
    await api.served("/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical");
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    await api.send("POST", pathOf(account), { ...account, automountServiceAccountToken: false });
  });

  afterAll(() => api?.stop());

  test("objects are stored, refused or not read", async () => {
    const given: object[] = [];
    for (const { sent } of objects) {
      const answer = await api.send("POST", `${pathOf(sent)}?dryRun=All`, sent);
      given.push({ sent, ...outcome(answer, textAt(metaOf(answer.body), "uid")) });
    }
    if (isRecording) writeFileSync(files.objects, lines(given));
    expect(given.map(inOrder)).toEqual(read(files.objects).map(inOrder));
  });

  test("changes are stored or refused", async () => {
    const given: object[] = [];
    for (const { first, sent } of changes) {
      const live = (await api.send("POST", pathOf(first), first)).body;
      const { uid = "", resourceVersion } = metaOf(live);
      const identified: JsonObject = JSON.parse(JSON.stringify(sent).replaceAll('"UID"', JSON.stringify(uid)));
      const next = { ...identified, metadata: { ...metaOf(identified), resourceVersion } };
      const answer = await api.send("PUT", `${pathOf(first)}/${nameOf(first)}?dryRun=All`, next);
      given.push({ first, old: withoutRun(live, String(uid)), sent, ...outcome(answer, String(uid)) });
    }
    if (isRecording) writeFileSync(files.changes, lines(given));
    expect(given.map(inOrder)).toEqual(read(files.changes).map(inOrder));
  });

  test("values are stored or refused by their schema", async () => {
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: values.schema } }];
    const spec = { group, scope: "Cluster", names: { plural: "tries", kind: "Try" }, versions };
    const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", spec };
    await api.send("POST", definitions, { ...definition, metadata: { name: `tries.${group}` } });
    const path = `/apis/${group}/v1/tries`;
    await api.served(path);
    const given: object[] = [];
    for (const each of values.cases) {
      const sent = { apiVersion: `${group}/v1`, kind: "Try", metadata: { name: "a" }, spec: each.spec };
      const { status, body } = await api.send("POST", `${path}?dryRun=All`, sent);
      const answer = status === 201 ? { stored: body.spec } : { causes: objectAt(body, "details").causes };
      given.push({ spec: each.spec, ...answer });
    }
    const text = `{\n"note": ${JSON.stringify(values.note)},\n"schema": ${JSON.stringify(values.schema)},\n"cases": ${lines(given)}}\n`;
    if (isRecording) writeFileSync(files.values, text);
    expect(given.map(inOrder)).toEqual(read(files.values).cases.map(inOrder));
  });
});

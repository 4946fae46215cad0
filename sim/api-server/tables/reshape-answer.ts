// Brings the answer of a read into the form that its client wants: a table, or metadata alone. It works on the bytes that every
// other client gets, since the few who want another form are people with time; a watch is reshaped event by event, and as with
// the real server only its first table has headers.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { parseJson, printJson } from "../../../src/kube/wire/json-text.ts";
import { metaOf, objectAt, textAt } from "../api-object.ts";
import type { Endpoint } from "../resource-table.ts";
import type { AnswerForm, FormVersion } from "./answer-form.ts";
import type { Column } from "./column.ts";
import { objectsAt } from "./pod-cells.ts";

export type Reshape = {
  readonly form: Exclude<AnswerForm, { readonly as: "object" }>;
  readonly endpoint: Endpoint;
  readonly columns: readonly Column[];
  /** The present, which ages are counted from. */
  readonly nowMs: () => number;
};

type Rest = Omit<Reshape, "nowMs"> & { readonly nowMs: number; readonly hasHeaders: boolean };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The bytes of an object or list in another form. */
export function reshapeBody(body: Uint8Array, reshape: Reshape): Uint8Array {
  const rest = { ...reshape, nowMs: reshape.nowMs(), hasHeaders: true };
  return encoder.encode(printJson(reshaped(objectIn(body), rest)));
}

/** The events of a watch with their objects in another form. */
export function reshapeEvents(chunks: AsyncIterable<Uint8Array>, reshape: Reshape): AsyncIterableIterator<Uint8Array> {
  const events = chunks[Symbol.asyncIterator]();
  let hasHeaders = true;
  const reshapeEvent = (bytes: Uint8Array) => {
    const event = objectIn(bytes);
    if (event.type === "ERROR") return bytes;
    const rest = { ...reshape, nowMs: reshape.nowMs(), hasHeaders };
    hasHeaders = false;
    return encoder.encode(
      `${printJson({ type: textAt(event, "type"), object: reshaped(objectAt(event, "object"), rest) })}\n`,
    );
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const next = await events.next();
      return next.done === true ? next : { done: false, value: reshapeEvent(next.value) };
    },
    // Not a generator: the return of one would wait for the event that it is waiting for.
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
}

function objectIn(bytes: Uint8Array): JsonObject {
  const value = parseJson(decoder.decode(bytes));
  return isJsonObject(value) ? value : {};
}

function reshaped(value: JsonObject, rest: Rest): JsonObject {
  const { form, endpoint } = rest;
  const { kind, listKind = `${kind}List` } = endpoint.type;
  const isList = value.kind === listKind;
  const items = isList ? objectsAt(value, "items") : [value];
  if (form.as === "table") return tableOf(value, items, rest, form.includes);
  const parts = items.map((item) => metadataOf(item, form.version));
  if (!isList) return parts[0] ?? {};
  return {
    ...{ kind: "PartialObjectMetadataList", apiVersion: form.version, metadata: listMeta(value) },
    items: parts,
  };
}

function tableOf(
  value: JsonObject,
  items: readonly JsonObject[],
  { form, endpoint, columns, nowMs, hasHeaders }: Rest,
  includes: "None" | "Metadata" | "Object",
): JsonObject {
  const objectIn = (item: JsonObject) => {
    if (includes === "None") return null;
    if (includes === "Metadata") return metadataOf(item, form.version);
    return { kind: endpoint.type.kind, apiVersion: endpoint.apiVersion, ...item };
  };
  return {
    ...{ kind: "Table", apiVersion: form.version, metadata: listMeta(value) },
    columnDefinitions: hasHeaders ? columns.map(headerOf) : null,
    rows: items.map((item) => ({
      cells: columns.map(({ cell }) => cell(item, nowMs)),
      ...endOf(item, endpoint),
      object: objectIn(item),
    })),
  };
}

function headerOf({ name, type, format, description, priority }: Column): JsonObject {
  return { name, type, format, description, priority };
}

/** What lists and objects have in common: a version and, in pages, where the next one begins. */
function listMeta(value: JsonObject): JsonObject {
  const { resourceVersion = "", continue: next = "", remainingItemCount } = metaOf(value);
  return {
    resourceVersion,
    ...(next === "" ? {} : { continue: next }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
}

function metadataOf(object: JsonObject, apiVersion: FormVersion): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion, metadata: metaOf(object) };
}

/** Rows of pods that are over say so, for clients that leave them out. */
function endOf(object: JsonObject, { table }: Endpoint): JsonObject {
  const phase = table === "pods" ? textAt(objectAt(object, "status"), "phase") : "";
  const message = { Succeeded: "The pod has completed successfully.", Failed: "The pod failed." }[phase];
  return message === undefined ? {} : { conditions: [{ type: "Completed", status: "True", reason: phase, message }] };
}

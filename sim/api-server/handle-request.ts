// From a request to the verb that answers it. Paths that name a resource go to a verb by method, the rest to discovery.
import { isJsonObject, type JsonObject } from "../../src/core/json/json.ts";
import { keyOfObject, metaOf, nameOf, textAt, withFields } from "./api-object.ts";
import { methodNotAllowed, noSuchResource, notFound } from "./faults/status.ts";
import type { StrategicPatches } from "./patch/strategic-patch.ts";
import type { Replica } from "./replica.ts";
import { type ApiRequest, isMalformed, parseResourcePath } from "./request/api-request.ts";
import { bodyText, readJson } from "./request/json-body.ts";
import { isWatch, readVersion } from "./request/list-query.ts";
import { requestText } from "./request/request-text.ts";
import { readSelectors } from "./request/selectors.ts";
import { inNamespace, readSentObject, underName, warningHeader } from "./request/sent-object.ts";
import { readWriteOptions } from "./request/write-options.ts";
import type { Endpoint } from "./resource-table.ts";
import { type Answer, jsonAnswer, type ServerParts, type Target, textAnswer } from "./server-parts.ts";
import { readForm } from "./tables/answer-form.ts";
import { builtInColumns } from "./tables/built-in-columns.ts";
import type { Column } from "./tables/column.ts";
import { customColumns } from "./tables/custom-columns.ts";
import { reshapeBody, reshapeEvents } from "./tables/reshape-answer.ts";
import { answerWith, placeOf } from "./verbs/commit-object.ts";
import { createObject } from "./verbs/create-object.ts";
import {
  DEFINITIONS,
  type DeleteOptions,
  deleteObject,
  readDeleteOptions,
  warnOfOrphans,
} from "./verbs/delete-object.ts";
import { discover } from "./verbs/discovery.ts";
import { listObjects, prefixOf, printList, readPage } from "./verbs/list-objects.ts";
import { patchObject } from "./verbs/patch-object.ts";
import { bindPod, evictPod } from "./verbs/pod-subresources.ts";
import { readScale, writeScale } from "./verbs/scale.ts";
import { currentOf, updateObject } from "./verbs/update-object.ts";
import { watchObjects } from "./verbs/watch-objects.ts";

export type PodLogs = (key: string, query: URLSearchParams) => string;

export type Serving = ServerParts & {
  readonly strategic: StrategicPatches;
  readonly replica: Replica;
  readonly address: string;
  readonly podLogs: PodLogs;
};

export type Handled =
  | Answer
  | { readonly status: number; readonly headers?: Answer["headers"]; readonly chunks: AsyncIterable<Uint8Array> };

/** Reviews of what somebody may do, by their path. */
const accessReviews: Readonly<Record<string, string>> = {
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": "SelfSubjectAccessReview",
  "/apis/authorization.k8s.io/v1/subjectaccessreviews": "SubjectAccessReview",
};

/** Answers a request, or throws a Refusal. */
export function handle(server: Serving, request: ApiRequest): Handled | Promise<Handled> {
  if (isMalformed(request.path)) return textAnswer(400, "400 Bad Request");
  const review = request.method === "POST" ? accessReviews[request.path] : undefined;
  if (review !== undefined) return reviewAccess(request, review);
  const path = parseResourcePath(request.path);
  const endpoint = path && server.resources.find(path.group, path.version, path.plural);
  if (path === undefined || endpoint === undefined) {
    const isServed = path !== undefined && server.resources.serves(path.group, path.version);
    if (isServed) throw noSuchResource();
    const known = request.method === "GET" ? discover(request, server.resources, server.address) : undefined;
    return known ?? textAnswer(404, "404 page not found\n");
  }
  const { deprecationWarning } = endpoint.type;
  if (deprecationWarning !== undefined) request.warnings.push(deprecationWarning);
  const { namespace = "", name = "", subresource = "" } = path;
  const target: Target = { endpoint, namespace, name, subresource };
  // What has a namespace is named in one, and what has none is not.
  const isPlaced = endpoint.type.namespaced ? namespace !== "" || name === "" : namespace === "";
  if (!isPlaced) throw noSuchResource();
  if (name === "") return handleCollection(server, target, request);
  if (subresource === "") return handleObject(server, target, request);
  if (endpoint.type.subresources.includes(subresource)) return handleSubresource(server, target, request);
  throw endpoint.type.isCustom ? notFound(endpoint.type, name) : noSuchResource();
}

function handleCollection(server: Serving, target: Target, request: ApiRequest): Handled | Promise<Handled> {
  switch (request.method) {
    case "GET":
      return inForm(server, target, request, () =>
        isWatch(request.query) ? watch(server, target, request) : listObjects(server, server.replica, target, request),
      );
    case "POST":
      return create(server, target, request);
    case "DELETE":
      if (isDeletedTogether(target)) return deleteCollection(server, target, request);
      throw methodNotAllowed();
    default:
      throw methodNotAllowed();
  }
}

/** What a delete of a collection may be about: what is in one namespace, or what is in none; never namespaces themselves. */
function isDeletedTogether({ endpoint: { table, type }, namespace }: Target): boolean {
  return table !== "namespaces" && type.namespaced === (namespace !== "");
}

function handleObject(server: Serving, target: Target, request: ApiRequest): Handled | Promise<Handled> {
  switch (request.method) {
    case "GET":
      return inForm(server, target, request, () => read(server, target, request));
    case "PUT":
      return replace(server, target, request);
    case "PATCH":
      return patchObject(server, target, request);
    case "DELETE":
      return remove(server, target, request);
    default:
      throw methodNotAllowed();
  }
}

/** The answer of a read in the form that the client asks for. */
function inForm(
  server: Serving,
  { endpoint }: Target,
  request: ApiRequest,
  answer: () => Promise<Handled>,
): Promise<Handled> {
  const form = readForm(request);
  if (form.as === "object") return answer();
  const reshape = { form, endpoint, columns: columnsOf(server, endpoint), nowMs: () => server.clock.wallMs() };
  return answer().then((handled) =>
    "body" in handled
      ? { ...handled, body: reshapeBody(handled.body, reshape) }
      : { ...handled, chunks: reshapeEvents(handled.chunks, reshape) },
  );
}

function columnsOf({ store }: Serving, { type, table }: Endpoint): readonly Column[] {
  if (!type.isCustom) return builtInColumns(table);
  return customColumns(store.get(DEFINITIONS, table)?.object ?? {}, type.version);
}

async function watch(server: Serving, target: Target, request: ApiRequest): Promise<Handled> {
  return { status: 200, chunks: await watchObjects(server, server.replica, target, request) };
}

function handleSubresource(server: Serving, target: Target, request: ApiRequest): Handled | Promise<Handled> {
  const { method } = request;
  const { scale } = target.endpoint.type;
  switch (target.subresource) {
    case "scale":
      if (scale === undefined) throw noSuchResource();
      if (method === "POST" || method === "DELETE") throw methodNotAllowed();
      return method === "GET" ? readScale(server, target, scale) : writeScale(server, target, request, scale);
    case "binding":
      if (method === "POST") return bindPod(server, target, request);
      throw methodNotAllowed();
    case "eviction":
      if (method === "POST") return evictPod(server, target, request);
      throw methodNotAllowed();
    case "finalize":
      if (method === "PUT") return handleObject(server, target, request);
      throw methodNotAllowed();
    case "log":
      if (method !== "GET") throw methodNotAllowed();
      return textAnswer(200, server.podLogs(keyOfObject(currentOf(server, target).object), request.query));
    default:
      if (method === "POST" || method === "DELETE") throw methodNotAllowed();
      return handleObject(server, target, request);
  }
}

async function create(server: Serving, target: Target, request: ApiRequest): Promise<Answer> {
  const options = readWriteOptions(request, "CreateOptions");
  const text = requestText(request);
  if (target.endpoint.type.namespaced && target.namespace === "") throw methodNotAllowed();
  const { endpoint } = target;
  const sent = readSentObject(text, endpoint, options, (object) => endpoint.siblings.of(object));
  const object = inNamespace(sent, target);
  const written = await createObject(server, target, { object, options });
  return answerWith(target, 201, written, warningHeader(options.warnings));
}

async function replace(server: Serving, target: Target, request: ApiRequest): Promise<Answer> {
  const options = readWriteOptions(request, "UpdateOptions");
  const sent = readSentObject(requestText(request), target.endpoint, options, () => storedAs(server, target));
  const object = inNamespace(underName(sent, target.name), target);
  const create = (object: JsonObject) => createObject(server, target, { object, options });
  const written = await updateObject(server, target, { revise: () => object, options, isTracked: true, create });
  return answerWith(target, 200, written, warningHeader(options.warnings));
}

/** What a replacement meets, if it is stored in the version that is sent. */
function storedAs({ store }: Serving, target: Target): JsonObject | undefined {
  const { apiVersion, storedVersion } = target.endpoint;
  const { table, key } = placeOf(target);
  return apiVersion === storedVersion ? store.get(table, key)?.object : undefined;
}

async function remove(server: Serving, target: Target, request: ApiRequest): Promise<Answer> {
  const options = readDeleteOptions(request);
  warnOfOrphans(target, options);
  return deleteObject(server, target, options);
}

/** A quorum read, unless the request says that an old picture will do. */
async function read(server: Serving, target: Target, { query }: ApiRequest): Promise<Answer> {
  const { store, replica } = server;
  const version = readVersion(query);
  if (version === undefined) return answerWith(target, 200, { change: currentOf(server, target) });
  await replica.sees(version);
  const [there] = readPage(store, target, {
    revision: replica.seen,
    from: `${prefixOf(target)}${target.name}`,
    limit: 1,
    selects: undefined,
  }).changes;
  if (there === undefined || nameOf(there.object) !== target.name) throw notFound(target.endpoint.type, target.name);
  return answerWith(target, 200, { change: there });
}

/** Deletes all that a selector names, and answers with what there was. */
async function deleteCollection(server: Serving, target: Target, request: ApiRequest): Promise<Answer> {
  const options: DeleteOptions = readDeleteOptions(request);
  const selects = readSelectors(request.query, target.endpoint.type);
  warnOfOrphans(target, options);
  const page = readPage(server.store, target, {
    revision: server.store.revision,
    from: prefixOf(target),
    limit: 0,
    selects,
  });
  for (const { object } of page.changes) {
    const name = nameOf(object);
    const there = { ...target, namespace: textAt(metaOf(object), "namespace"), name };
    if (server.store.get(target.endpoint.table, keyOfObject(object)) !== undefined)
      await deleteObject(server, there, options);
  }
  return { status: 200, body: await printList(page, target) };
}

/** Nobody is kept from anything here: whoever asks may, whatever the question. */
function reviewAccess(request: ApiRequest, kind: string): Answer {
  const read = readJson(bodyText(request.body));
  const asked = read.ok && isJsonObject(read.value) ? read.value : { kind, apiVersion: "authorization.k8s.io/v1" };
  const status = { allowed: true, reason: "this server allows everything" };
  return jsonAnswer(201, withFields(withFields(asked, { metadata: {} }), { status }));
}

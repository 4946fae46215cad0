// An API server in the process: what kube-apiserver and etcd are to a cluster, as a function call. It serves create, get, list,
// watch, update, patch, apply, delete and the subresources status, scale, binding, eviction and finalize, for built-in kinds
// and for those that custom resource definitions add. Time and chance come in; the same calls in the same order give the same bytes.
//
// A request takes this way through the folders:
//   handle-request: finds the verb
//   request/api-request, request/sent-object, request/selectors: path, body and query, read
//   verbs/create-object, verbs/update-object, verbs/list-objects, verbs/watch-objects: the verbs
//   verbs/patch-object, patch/json-patch, patch/strategic-patch: the kinds of patches
//   admission/admission, admission/admission-webhooks: plug-ins and webhooks
//   custom-resources/custom-resources: definitions at work
//   store/store: what etcd is to the real server
//   faults/status, faults/field-error: refusals in the real server's words
//   resource-table, resource-type, schema: what is served, and by which rules
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { HttpAnswer, HttpRequest, HttpStream, Transport } from "../../src/kube/transport.ts";
import { TransportError } from "../../src/kube/transport-error.ts";
import { createAdmission } from "./admission/admission.ts";
import type { CallWebhook } from "./admission/call-webhook.ts";
import { builtInKinds } from "./built-in/built-in-kinds.ts";
import { serveCustomResources } from "./custom-resources/custom-resources.ts";
import { internalError, Refusal } from "./faults/status.ts";
import { type Handled, handle, type PodLogs } from "./handle-request.ts";
import { presentOf } from "./identity.ts";
import { KindMemory } from "./kind-memory.ts";
import { type Follow, Replica } from "./replica.ts";
import { type ApiRequest, parseRequest } from "./request/api-request.ts";
import { warningHeader } from "./request/sent-object.ts";
import { ResourceTable } from "./resource-table.ts";
import type { ResourceType } from "./resource-type.ts";
import { seedNamespaces } from "./seed-namespaces.ts";
import { jsonAnswer } from "./server-parts.ts";
import { PrintedEvents } from "./store/printed-events.ts";
import { type Change, Store } from "./store/store.ts";
import { abortedByClient } from "./verbs/watch-stream.ts";

/** How many of the latest revisions can be read and watched from: the real server keeps those of some minutes. */
const HISTORY_REVISIONS = 10_000;
/** Compaction walks over what it keeps, so it waits until there is half as much again to forget. */
const COMPACT_AT = 1.5;

export type ApiServerOptions = {
  readonly clock: Clock;
  readonly rand: Rand;
  /** The kinds of the server itself; servers of one process may share them. */
  readonly builtIn?: readonly ResourceType[];
  /** How admission and conversion webhooks are reached; without it every call of one fails. */
  readonly callWebhook?: CallWebhook;
  readonly podLogs?: PodLogs;
  /** How many revisions can be read and watched from at least; older ones are compacted away as others are written. */
  readonly historyRevisions?: number;
  /** Gives clients what it prints as values too: they are spared the reading, and may not write into them. */
  readonly handsOver?: boolean;
  /** What the server says its address is. */
  readonly address?: string;
};

export type ApiServer = {
  /** A connection to a server; without a replica, to one that sees every change at once. */
  readonly transport: (replica?: Replica) => Transport;
  /** Another server over the same store, whose picture follows as the function decides. */
  readonly replica: (follow: Follow) => Replica;
  /** The newest revision. */
  readonly revision: () => number;
  /** Forgets the history before a revision; the newest by default. */
  readonly compact: (revision?: number) => void;
  /** Calls the listener after every write; the returned function ends that. */
  readonly onCommit: (listener: (change: Change) => void) => () => void;
  /** The state behind the server, for invariants; to be read only. */
  readonly store: Store;
};

/** Builds a server with the namespaces that every cluster has. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { clock, rand, builtIn = builtInKinds(), historyRevisions = HISTORY_REVISIONS } = options;
  const store = new Store();
  const printed = options.handsOver === true ? new PrintedEvents() : undefined;
  const resources = new ResourceTable(printed);
  const memory = builtIn.find((type) => type.memory !== undefined)?.memory ?? new KindMemory();
  for (const type of memory.withRules(builtIn)) resources.serve([type], type);
  const callWebhook = options.callWebhook ?? noWebhooks;
  const admission = createAdmission({ store, resources, clock, rand, callWebhook });
  const parts = {
    store,
    resources,
    clock,
    now: presentOf(clock),
    rand,
    admission,
    memory,
    ...{ ownership: memory.ownership, strategic: memory.strategic },
  };
  serveCustomResources(parts, callWebhook);
  seedNamespaces(parts);
  const direct = new Replica(store, clock);
  const replicas = [direct];
  const compact = (revision: number) => store.compact(revision, Math.min(...replicas.map(({ seen }) => seen)));
  store.onCommit(({ revision }) => {
    if (revision - store.compactedTo >= COMPACT_AT * historyRevisions) compact(revision - historyRevisions);
  });
  const settings = { address: options.address ?? "127.0.0.1:6443", podLogs: options.podLogs ?? (() => "") };
  return {
    transport: (replica = direct) => {
      const serving = { ...parts, ...settings, replica };
      return transportOf((request) => handle(serving, request), printed);
    },
    replica: (follow) => {
      const replica = new Replica(store, clock, follow);
      replicas.push(replica);
      return replica;
    },
    revision: () => store.revision,
    compact: (revision = store.revision) => compact(revision),
    onCommit: (listener) => store.onCommit(listener),
    store,
  };
}

const noWebhooks: CallWebhook = async () => {
  throw new Error("this server was built without a way to call webhooks");
};

type Serve = (request: ApiRequest) => Handled | Promise<Handled>;

function transportOf(serve: Serve, printed: PrintedEvents | undefined): Transport {
  const known = printed === undefined ? {} : { valueIn: (chunk: Uint8Array) => printed.of(chunk) };
  return {
    async request(request) {
      const handled = await answered(request, serve);
      const body = "body" in handled ? handled.body : await collected(handled.chunks);
      if (body.byteLength > (request.answerBytesMax ?? Number.POSITIVE_INFINITY))
        throw new TransportError("too-large", `the answer has ${body.byteLength} bytes, more than the caller can use`);
      const { status } = handled;
      const value = printed !== undefined && "value" in handled ? { value: handled.value } : {};
      return { status, headers: headersOf(handled), body, ...value };
    },
    async stream(request) {
      const handled = await answered(request, serve);
      const chunks = "chunks" in handled ? handled.chunks : once(handled.body);
      return { status: handled.status, headers: headersOf(handled), chunks, ...known };
    },
  };
}

/** Serves a request; a refusal is an answer, a request that was given up has none. */
async function answered(request: HttpRequest, serve: Serve): Promise<Handled> {
  if (request.signal?.aborted) throw abortedByClient();
  const parsed = parseRequest(request);
  try {
    const handled = await serve(parsed);
    if (request.signal?.aborted) throw abortedByClient();
    return withWarnings(handled, parsed.warnings);
  } catch (error) {
    if (error instanceof Refusal)
      return withWarnings(jsonAnswer(error.code, error.body, error.headers), parsed.warnings);
    // A document that nests deeper than the stack: the real server takes it, this one says that it does not.
    if (error instanceof RangeError) return jsonAnswer(500, internalError(error.message).body);
    throw error;
  }
}

/** Warnings reach the client whatever became of its request. */
function withWarnings<Answered extends Handled>(handled: Answered, warnings: readonly string[]): Answered {
  return warnings.length === 0 ? handled : { ...handled, headers: { ...handled.headers, ...warningHeader(warnings) } };
}

function headersOf({ headers }: Handled): HttpStream["headers"] {
  return { "content-type": "application/json", ...headers };
}

async function collected(chunks: AsyncIterable<Uint8Array>): Promise<HttpAnswer["body"]> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

async function* once(body: Uint8Array): AsyncIterable<Uint8Array> {
  yield body;
}

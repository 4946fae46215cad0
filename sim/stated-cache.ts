// A cache that runs in virtual time against a server whose every answer is stated by the test.
import { type CacheHooks, createCache } from "../src/kube/cache/cache.ts";
import type { CacheLimits } from "../src/kube/cache/cache-limits.ts";
import type { Change } from "../src/kube/cache/store.ts";
import type { KubeObject, Resource, Stored } from "../src/kube/resource.ts";
import type { HttpRequest, HttpStream, Transport } from "../src/kube/transport.ts";
import { TransportError } from "../src/kube/transport-error.ts";
import { ByteStream } from "./byte-stream.ts";
import { seededRand } from "./seeded-rand.ts";
import { VirtualClock } from "./virtual-clock.ts";

export type Pod = KubeObject & { readonly spec?: { readonly node?: string } };
export type Query = Readonly<Record<string, string>>;
export type Answer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, bytes, or values of which each becomes a line. */
  readonly body: string | Uint8Array | readonly unknown[];
  /** What becomes of the body after that; it ends unless told otherwise. */
  readonly after?: "stay" | "break";
};
export type Reply = Answer | "never";

export const pods: Resource<Pod> = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };

/** A stream that stays open and says nothing. */
export const quiet: Answer = { body: "", after: "stay" };

export const aPod = (name: string, version: number, changed: { uid?: string; node?: string } = {}) => ({
  ...{ apiVersion: "v1", kind: "Pod" },
  metadata: { name, namespace: "ns", uid: changed.uid ?? `uid-${name}`, resourceVersion: String(version) },
  spec: { node: changed.node ?? "w1" },
});

export const event = (type: string, object: unknown) => ({ type, object });

export const bookmark = (version: number, annotations = {}) =>
  event("BOOKMARK", { kind: "Pod", metadata: { resourceVersion: String(version), annotations } });

export const endOfList = (version: number) => bookmark(version, { "k8s.io/initial-events-end": "true" });

export const status = (code: number, reason: string) => ({ kind: "Status", code, reason, message: "so says the test" });

/** An answer that is a status of its own. */
export const refused = (code: number, reason: string, headers = {}): Answer => ({
  ...{ status: code, headers },
  body: JSON.stringify(status(code, reason)),
});

/** A watch that is told that its version is too old. */
export const expired: Answer = { body: [event("ERROR", status(410, "Expired"))] };

/** A page of a list. */
export const aList = (version: number, items: readonly unknown[], next?: string): Answer => ({
  body: JSON.stringify({ kind: "PodList", metadata: { resourceVersion: String(version), continue: next }, items }),
});

/** A streamed list that goes on as a watch with these events. */
export const listed = (version: number, items: readonly unknown[], ...events: unknown[]): Answer => ({
  body: [...items.map((item) => event("ADDED", item)), endOfList(version), ...events],
  after: "stay",
});

/** The same, but then the connection breaks. */
export const broken = (answer: Answer): Answer => ({ ...answer, after: "break" });

/** One reply after the other; the last one again and again. */
export const inTurn =
  (...replies: readonly Reply[]) =>
  (_query: Query, index: number): Reply =>
    replies[Math.min(index, replies.length - 1)] ?? "never";

/** A running cache and the requests that it sends; `reply` answers the n-th one, counted from 0. */
export function aCache(
  reply: (query: Query, index: number) => Reply,
  limits: Partial<CacheLimits> = {},
  hooks: CacheHooks = {},
) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const requests: (Query & { readonly atMs: string })[] = [];
  const unreadable: string[] = [];
  const changes: Change<{ readonly name: string; readonly node: string }>[] = [];
  const objects: Stored<Pod>[] = [];
  const transport: Transport = {
    request: () => Promise.reject(new Error("a cache only streams")),
    stream: (request) => {
      const query = queryOf(request);
      requests.push({ ...query, atMs: String(clock.monotonicMs()) });
      return answerWith(reply(query, requests.length - 1));
    },
  };
  const cache = createCache({
    ...{ transport, clock, rand: seededRand(1), resource: pods, labelSelector: "a=b", limits },
    project: (pod: Stored<Pod>) => {
      objects.push(pod);
      if (pod.spec?.node === "poison") throw new Error("no such node");
      return { name: pod.metadata.name, node: pod.spec?.node ?? "" };
    },
    indexes: { node: ({ node }) => [node] },
    hooks: { onUnreadable: (message) => unreadable.push(message), ...hooks },
  });
  cache.changes((change) => changes.push(change));
  const running = cache.run(stop.signal);
  const names = () => [...cache.values()].map(({ name }) => name).sort();
  return { cache, clock, requests, unreadable, changes, objects, names, stop, running };
}

function queryOf({ path }: HttpRequest): Query {
  return Object.fromEntries(new URLSearchParams(path.split("?")[1]));
}

function answerWith(reply: Reply): Promise<HttpStream> {
  if (reply === "never") return new Promise(() => undefined);
  const chunks = new ByteStream();
  chunks.push(bytesOf(reply.body));
  if (reply.after === "break") chunks.break(new TransportError("broken", "connection reset"));
  else if (reply.after !== "stay") chunks.end();
  return Promise.resolve({ status: reply.status ?? 200, headers: reply.headers ?? {}, chunks });
}

function bytesOf(body: Answer["body"]): Uint8Array {
  if (body instanceof Uint8Array) return body;
  const text = typeof body === "string" ? body : body.map((line) => `${JSON.stringify(line)}\n`).join("");
  return new TextEncoder().encode(text);
}

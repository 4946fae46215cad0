// The verbs of an API server, for any resource. A client retries only what is harmless to repeat (see retry.ts),
// keeps its own number of calls in flight (see concurrency-limit.ts) and throws ApiError or TransportError otherwise.
//
// Beside this file:
//   create-client                                          puts the parts together
//   client-reads, client-writes                            the verbs
//   api-caller, retry, concurrency-limit                   one request: slots, time limits, retries
//   api-error, status-answer, object-answer, request-line  answers, and errors as values
//   discovery, built-in-resources                          what the server serves
//   access-review, eviction, pod-log                       single calls beyond the verbs

import type { Key, KubeObject, Resource, Stored } from "../resource.ts";
import type { HttpAnswer, HttpRequest } from "../transport.ts";

export type CallOptions = {
  readonly signal?: AbortSignal | undefined;
  /** For one attempt, not for all of them together. */
  readonly timeoutMs?: number | undefined;
};

export type ListOptions = CallOptions & {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** "" (the default) is a quorum read; "0" is whatever a server has at hand. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  /** Objects per answer. */
  readonly pageSize?: number;
};

export type PageOptions = ListOptions & { readonly continueFrom?: string };

export type ListPage<T extends KubeObject> = {
  readonly items: readonly Stored<T>[];
  readonly resourceVersion: string;
  /** Where the next page begins; undefined on the last page. */
  readonly continueFrom: string | undefined;
};

export type ObjectList<T extends KubeObject> = Omit<ListPage<T>, "continueFrom">;

export type WriteOptions = CallOptions & {
  /** Replaces the client's field manager. */
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  /** What the server does with fields it does not know; its own default is to warn. */
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** The caller knows that doing this twice is the same as doing it once. */
  readonly repeatable?: boolean;
  /** From the first sending; no repeat starts later. */
  readonly repeatWithinMs?: number;
};

export type SubresourceOptions = WriteOptions & { readonly subresource?: string };

export type ApplyOptions = SubresourceOptions & {
  /** Take over fields that another manager owns. */
  readonly force?: boolean;
};

export type JsonPatchStep =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

export type Patch =
  | { readonly type: "merge" | "strategic"; readonly body: Readonly<Record<string, unknown>> }
  | { readonly type: "json"; readonly body: readonly JsonPatchStep[] };

export type DeleteOptions = CallOptions & {
  /** Delete this object and no successor of the same name. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagation?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
  /** From the first sending; no repeat starts later. */
  readonly repeatWithinMs?: number;
};

/** An object for server-side apply: its address plus the fields that we want to own. */
export type Applied = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

/**
 * Members of the answers to writes that nobody reads, by the name of the resource and as paths ("spec.containers"). With `metadata.managedFields`
 * they are left out before parsing, as in a cache: whoever made an object knows what is in it.
 */
export type UnreadAnswers = ReadonlyMap<string, UnreadMembers>;

export type UnreadMembers = {
  readonly written: readonly string[];
  /** Where of answers to creates only the metadata is read: who has just sent the rest need not read it again, and is given what was sent. */
  readonly created?: "metadata";
};

/** One request below the verbs, for paths that have none: reviews, discovery, logs. */
export type ApiCall = CallOptions & {
  /** For metrics: "get", "list", "create", … and the resource's name. */
  readonly verb: string;
  readonly resource: string;
  readonly method: HttpRequest["method"];
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly repeatable: boolean;
  /** From the first sending; no repeat starts later. The client's own limit where it is shorter. */
  readonly repeatWithinMs?: number | undefined;
  /** False where 429 is an answer to the question and not a plea to slow down, as for evictions. */
  readonly retriesTooMany?: boolean;
  /** The longest answer to accept, in place of the client's limit. */
  readonly answerBytesMax?: number;
};

export interface Client {
  /** The object, or undefined when there is none. */
  get<T extends KubeObject>(resource: Resource<T>, key: Key, options?: CallOptions): Promise<Stored<T> | undefined>;
  /** The object's bytes as the server sent them, or undefined when there is none. */
  getBytes(resource: Resource, key: Key, options?: CallOptions): Promise<Uint8Array | undefined>;
  /** One page of a list. Throws a 410 when the position to continue from has expired. */
  listPage<T extends KubeObject>(resource: Resource<T>, options?: PageOptions): Promise<ListPage<T>>;
  /** The whole list from one snapshot, read page by page; an expired position starts it over. */
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<ObjectList<T>>;
  create<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<Stored<T>>;
  /** Replaces an object that we made ourselves; it must carry the version it replaces. Foreign objects are patched. */
  update<T extends KubeObject>(
    resource: Resource<T>,
    object: Stored<T>,
    options?: SubresourceOptions,
  ): Promise<Stored<T>>;
  /** Server-side apply: creates the object or sets exactly the fields given. */
  apply<T extends KubeObject>(resource: Resource<T>, object: Applied, options?: ApplyOptions): Promise<Stored<T>>;
  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: Key,
    patch: Patch,
    options?: SubresourceOptions,
  ): Promise<Stored<T>>;
  /** Deletes an object; false when it was gone already. A UID or version that does not fit is a conflict. */
  remove(resource: Resource, key: Key, options?: DeleteOptions): Promise<boolean>;
  /** Sends one request with the same retries, limits and errors as the verbs. */
  call(call: ApiCall): Promise<HttpAnswer>;
}

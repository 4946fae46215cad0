// Kinds without rules of their own, and short ways to call a server: what tests of the server need when they are not about
// the built-in kinds.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import type { HttpAnswer, HttpRequest, Transport } from "../../../src/kube/transport.ts";
import { parseJson } from "../../../src/kube/wire/json-text.ts";
import { seededRand } from "../../seeded-rand.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { type ApiServerOptions, createApiServer } from "../api-server.ts";
import type { ResourceType } from "../resource-type.ts";

/** A kind that takes every object as it is. */
export function plainKind(group: string, kind: string, more: Partial<ResourceType> = {}): ResourceType {
  const singular = kind.toLowerCase();
  return {
    ...{ group, version: "v1", kind, singular, plural: `${singular}s`, namespaced: true, isCustom: false },
    ...{ schema: { type: "object" }, definitions: {}, subresources: [], selectableFields: [] },
    ...{ countsGenerations: false, allowsUnconditionalUpdate: true, returnsDeleted: false },
    rules: { decode: (value) => ({ ok: true, value, unknown: [] }) },
    ...more,
  };
}

export const plainKinds: readonly ResourceType[] = [
  plainKind("", "Namespace", { namespaced: false, subresources: ["status", "finalize"] }),
  plainKind("", "ConfigMap"),
  plainKind("", "Pod", {
    ...{ subresources: ["status", "binding", "eviction"], selectableFields: ["spec.nodeName", "status.phase"] },
    ...{ countsGenerations: true, returnsDeleted: true },
  }),
  plainKind("apiextensions.k8s.io", "CustomResourceDefinition", { namespaced: false, subresources: ["status"] }),
  plainKind("admissionregistration.k8s.io", "MutatingWebhookConfiguration", { namespaced: false }),
  plainKind("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", { namespaced: false }),
];

/** A server of plain kinds in virtual time. */
export function aServer(options: Partial<ApiServerOptions> = {}) {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, rand: seededRand(1), builtIn: plainKinds, ...options });
  return { clock, server, transport: server.transport() };
}

export type Called = { readonly status: number; readonly headers: HttpAnswer["headers"]; readonly body: JsonObject };

const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml",
};

/** Sends a value and reads the answer as JSON. */
export async function call(
  transport: Transport,
  method: HttpRequest["method"],
  path: string,
  body?: Json,
  patch: keyof typeof patchTypes = "merge",
): Promise<Called> {
  const headers = { "content-type": method === "PATCH" ? patchTypes[patch] : "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await transport.request({ method, path, headers, lane: "calls", ...sent });
  const isJson = answer.headers["content-type"] === "application/json";
  const value = isJson ? parseJson(new TextDecoder().decode(answer.body)) : undefined;
  return { status: answer.status, headers: answer.headers, body: isJsonObject(value) ? value : {} };
}

export type SeenEvent = {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly object: JsonObject;
};

/** A watch in the hands of a test: what it has seen so far, and whether it is over. */
export function follow(transport: Transport, path: string, signal?: AbortSignal) {
  const seen: SeenEvent[] = [];
  const watch = { seen, isOver: false, status: 0, failure: undefined as unknown };
  const run = async () => {
    const request = {
      method: "GET",
      path,
      headers: {},
      lane: "watches",
      ...(signal === undefined ? {} : { signal }),
    } as const;
    const { status, chunks } = await transport.stream(request);
    watch.status = status;
    for await (const chunk of chunks) seen.push(readEvent(new TextDecoder().decode(chunk)));
  };
  const whole = run().then(
    () => {
      watch.isOver = true;
    },
    (error: unknown) => {
      watch.failure = error;
      watch.isOver = true;
    },
  );
  return Object.assign(watch, { whole });
}

function readEvent(line: string): SeenEvent {
  const { type, object } = JSON.parse(line);
  const { name = "", resourceVersion = "" } = object.metadata;
  return { type, name, version: resourceVersion, object };
}

// A request as the verbs see it: the path taken apart into group, version, namespace, resource, name and subresource, the
// query as a table, the body as it came.
import type { HttpRequest } from "../../src/kube/transport.ts";

export type ApiRequest = Pick<HttpRequest, "method" | "headers" | "body" | "signal"> & {
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** What the answer says beside its body, be it a refusal; collected on the way. */
  readonly warnings: string[];
};

/** What a path below `/api/v1` or `/apis/<group>/<version>` names. */
export type ResourcePath = {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
};

/** Shared by all requests without a query; nobody writes into the query of a request. */
const noQuery = new URLSearchParams();

/** Splits path and query. Header names are lower case already: that is the transport's promise in both directions. */
export function parseRequest({ method, path, headers, body, signal }: HttpRequest): ApiRequest {
  const mark = path.indexOf("?");
  return {
    ...{ method, headers },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
    path: mark < 0 ? path : path.slice(0, mark),
    query: mark < 0 ? noQuery : new URLSearchParams(path.slice(mark + 1)),
    warnings: [],
  };
}

/** Takes the path of a resource apart; undefined for a path that names none. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const raw = path.split("/").filter((segment) => segment !== "");
  const segments = path.includes("%") ? raw.map(decodeURIComponent) : raw;
  const isCore = segments[0] === "api";
  if (!isCore && segments[0] !== "apis") return undefined;
  const group = isCore ? "" : segments[1];
  const [version, ...rest] = segments.slice(isCore ? 1 : 2);
  if (group === undefined || version === undefined || rest.length === 0) return undefined;
  // A namespace is the place of what follows, unless nothing follows but a part of the namespace itself.
  const isPlace = rest[0] === "namespaces" && rest.length > 2 && rest[2] !== "status" && rest[2] !== "finalize";
  const [plural = "", name, ...subresource] = isPlace ? rest.slice(2) : rest;
  return {
    ...{ group, version, plural, name },
    namespace: isPlace ? rest[1] : undefined,
    subresource: subresource.length === 0 ? undefined : subresource.join("/"),
  };
}

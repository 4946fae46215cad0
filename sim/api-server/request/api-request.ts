// A request as the verbs see it: the path taken apart into group, version, namespace, resource, name and subresource, the
// query as a table, the body as it came.
import type { HttpRequest } from "../../../src/kube/transport.ts";

export type ApiRequest = Pick<HttpRequest, "method" | "headers"> & {
  readonly body?: HttpRequest["body"] | undefined;
  readonly signal?: HttpRequest["signal"] | undefined;
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
    method,
    headers,
    body,
    signal,
    path: mark < 0 ? path : path.slice(0, mark),
    query: mark < 0 ? noQuery : new URLSearchParams(path.slice(mark + 1)),
    warnings: [],
  };
}

/** Takes the path of a resource apart; undefined for a path that names none. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const segments = segmentsOf(path);
  const isCore = segments[0] === "api";
  if (!isCore && segments[0] !== "apis") return undefined;
  const [group, version] = isCore ? ["", segments[1]] : [segments[1], segments[2]];
  const from = isCore ? 2 : 3;
  if (group === undefined || version === undefined || segments.length <= from) return undefined;
  // A namespace is the place of what follows, unless nothing follows but a part of the namespace itself.
  const behind = segments[from + 2];
  const isPlace =
    segments[from] === "namespaces" && behind !== undefined && behind !== "status" && behind !== "finalize";
  const at = isPlace ? from + 2 : from;
  return {
    group,
    version,
    namespace: isPlace ? segments[from + 1] : undefined,
    plural: segments[at] ?? "",
    name: segments[at + 1],
    subresource: segments.length > at + 2 ? segments.slice(at + 2).join("/") : undefined,
  };
}

/** What a body is, without what is said beside it; in small letters, as Go compares it. */
export function mediaType({ headers }: ApiRequest): string {
  return (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function segmentsOf(path: string): readonly string[] {
  const segments = path.split("/").filter((segment) => segment !== "");
  return path.includes("%") ? segments.map(decoded) : segments;
}

/** Whether a path has a percent sign that stands for nothing, which Go's HTTP server refuses before anybody looks at it. */
export function isMalformed(path: string): boolean {
  return /%(?![0-9a-f]{2})/i.test(path);
}

/** Bytes that are no text name nothing that there is, also as they were sent. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

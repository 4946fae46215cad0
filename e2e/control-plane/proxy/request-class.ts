// What a request asks of an API server, read from its request line: the verb and the object, as RBAC names them. Pure.

export type RequestClass = {
  /** get, list, watch, create, update, patch, delete, deletecollection; for other paths the method in lower case. */
  readonly verb: string;
  /** "pods", "daemonsets.apps"; for other paths the path itself. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
};

const WRITES = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** True when the request may change something. */
export function isWrite(request: Pick<RequestClass, "verb">): boolean {
  return WRITES.has(request.verb);
}

/** Reads verb and object from a method and a path with query. */
export function classifyRequest(method: string, target: string): RequestClass {
  const { pathname, searchParams } = new URL(target, "https://server");
  const segments = pathname
    .split("/")
    .filter((segment) => segment !== "")
    .map(decodeURIComponent);
  const [root, ...rest] = segments;
  const group = root === "apis" ? rest.shift() : "";
  const version = rest.shift();
  if ((root !== "api" && root !== "apis") || group === undefined || version === undefined || rest.length === 0) {
    return { verb: method.toLowerCase(), resource: pathname, subresource: "", namespace: "", name: "" };
  }
  // "namespaces/NAME/RESOURCE/…" is a place; "namespaces/NAME", alone or with its own subresource, is an object.
  const isPlace = rest[0] === "namespaces" && rest.length > 2 && !["status", "finalize"].includes(rest[2] ?? "");
  const namespace = isPlace ? (rest[1] ?? "") : "";
  const [plural = "", name = "", subresource = ""] = isPlace ? rest.slice(2) : rest;
  const isWatch = ["true", "1"].includes(searchParams.get("watch") ?? "");
  const resource = group === "" ? plural : `${plural}.${group}`;
  return { verb: verbOf(method, name, isWatch), resource, subresource, namespace, name };
}

/** "patch pods/status": the class a request is counted under. */
export function className(request: RequestClass): string {
  const of = request.subresource === "" ? "" : `/${request.subresource}`;
  return `${request.verb} ${request.resource}${of}`;
}

function verbOf(method: string, name: string, isWatch: boolean): string {
  switch (method) {
    case "GET":
      if (isWatch) return "watch";
      return name === "" ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === "" ? "deletecollection" : "delete";
    default:
      return method.toLowerCase();
  }
}

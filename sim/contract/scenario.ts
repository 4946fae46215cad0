// A scenario of the contract: requests in order, each with the sentence that its answer shows. The answers of a real
// API server are recorded beside it; whoever claims to be one must give the same.

export type Scenario = {
  /** Names the recording and the namespace: kebab-case, unique. */
  readonly name: string;
  readonly exchanges: readonly Exchange[];
};

export type Exchange = {
  /** What this answer shows, as a sentence: "a create of a name that exists is refused". */
  readonly shows: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query. `{{ns}}` is the scenario's namespace; other marks are values that were kept. */
  readonly path: string;
  /** A value is sent as JSON; a string is sent as it is. Marks inside strings are replaced. */
  readonly body?: unknown;
  readonly contentType?: ContentType;
  /** Keeps fields of the answer for later marks: mark → path in the body, such as `metadata.uid`. */
  readonly keep?: Readonly<Record<string, string>>;
  /** Reads the answer as a watch until it has this many events, or the server ends it. */
  readonly events?: number;
  /** Paths of the body that may differ between servers, with the reason in the scenario's comment. */
  readonly ignore?: readonly string[];
};

export type ContentType =
  | "application/json"
  | "application/merge-patch+json"
  | "application/json-patch+json"
  | "application/strategic-merge-patch+json"
  | "application/apply-patch+yaml"
  | "text/plain";

type More = Partial<Omit<Exchange, "shows" | "method" | "path" | "body">>;

/** A read. */
export function get(shows: string, path: string, more: More = {}): Exchange {
  return { shows, method: "GET", path, ...more };
}

/** A create. */
export function post(shows: string, path: string, body: unknown, more: More = {}): Exchange {
  return { shows, method: "POST", path, body, ...more };
}

/** A replacement. */
export function put(shows: string, path: string, body: unknown, more: More = {}): Exchange {
  return { shows, method: "PUT", path, body, ...more };
}

/** A delete, with options in the body if there are any. */
export function del(shows: string, path: string, body?: unknown, more: More = {}): Exchange {
  return body === undefined
    ? { shows, method: "DELETE", path, ...more }
    : { shows, method: "DELETE", path, body, ...more };
}

/** A JSON merge patch. */
export function mergePatch(shows: string, path: string, body: unknown, more: More = {}): Exchange {
  return { shows, method: "PATCH", path, body, contentType: "application/merge-patch+json", ...more };
}

/** A JSON patch. */
export function jsonPatch(shows: string, path: string, body: unknown, more: More = {}): Exchange {
  return { shows, method: "PATCH", path, body, contentType: "application/json-patch+json", ...more };
}

/** A strategic merge patch. */
export function strategicPatch(shows: string, path: string, body: unknown, more: More = {}): Exchange {
  return { shows, method: "PATCH", path, body, contentType: "application/strategic-merge-patch+json", ...more };
}

/** A server-side apply; the path carries the field manager. */
export function apply(shows: string, path: string, body: unknown, more: More = {}): Exchange {
  return { shows, method: "PATCH", path, body, contentType: "application/apply-patch+yaml", ...more };
}

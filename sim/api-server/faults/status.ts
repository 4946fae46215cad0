// How the server says no: a Status object with the real server's reasons, words and details. A refusal is thrown, because it
// leaves all steps of a request at once, and becomes the answer in one place (see api-server.ts).
//
// This folder says no in the real server's words. Beside this file:
//   field-error.ts, path-text.ts, go-text.ts  one wrong field: its path, its value
//   name-syntax.ts, object-meta.ts            rules for names, labels and metadata
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import type { FieldError } from "./field-error.ts";

/** What an answer needs to know of a resource to name it. */
export type Named = { readonly group: string; readonly plural: string; readonly kind: string };

type Details = { readonly [key: string]: Json };

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: number, reason: string, message: string, details?: Details, metadata: Details = {}) {
    super(message);
    this.code = code;
    this.body = {
      ...{ kind: "Status", apiVersion: "v1", metadata, status: "Failure", message },
      ...(reason === "" ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
    const wait = details?.retryAfterSeconds;
    this.headers = wait === undefined ? {} : { "retry-after": `${wait}` };
  }
}

/** "daemonsets.apps", or "pods" in the core group. */
function qualified(word: string, group: string): string {
  return group === "" ? word : `${word}.${group}`;
}

function detailsOf(name: string, group: string, kind: string, more: Details = {}): Details {
  return { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind, ...more };
}

/** No object of this name. */
export function notFound({ group, plural }: Named, name: string): Refusal {
  const message = `${qualified(plural, group)} "${name}" not found`;
  return new Refusal(404, "NotFound", message, detailsOf(name, group, plural));
}

/** The path is served, but not this resource in it. */
export function noSuchResource(): Refusal {
  return new Refusal(404, "NotFound", "the server could not find the requested resource", {});
}

export function methodNotAllowed(): Refusal {
  return new Refusal(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

export function alreadyExists({ group, plural }: Named, name: string, isBeingDeleted: boolean): Refusal {
  const message = `${isBeingDeleted ? "object is being deleted: " : ""}${qualified(plural, group)} "${name}" already exists`;
  return new Refusal(409, "AlreadyExists", message, detailsOf(name, group, plural));
}

/** Another state than the one that the caller meant; `word` is the resource or, for preconditions of deletes, the kind. */
export function conflict(group: string, word: string, name: string, because: string): Refusal {
  const message = `Operation cannot be fulfilled on ${qualified(word, group)} "${name}": ${because}`;
  return new Refusal(409, "Conflict", message, detailsOf(name, group, word));
}

/** The version that the caller named is not the current one. */
export function outdated({ group, plural }: Named, name: string): Refusal {
  const because = "the object has been modified; please apply your changes to the latest version and try again";
  return conflict(group, plural, name, because);
}

/** The object breaks rules; each fault becomes a cause. */
export function invalid(group: string, kind: string, name: string, errors: readonly FieldError[]): Refusal {
  // The real server's aggregate says each sentence once; the list of causes keeps repetitions.
  const sentences = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const said = sentences.length === 1 ? sentences[0] : `[${sentences.join(", ")}]`;
  const causes = errors.map(({ reason, message, field }) => ({ reason, message, field }));
  const details = kind === "" ? { causes } : detailsOf(name, group, kind, { causes });
  return new Refusal(422, "Invalid", `${qualified(kind, group)} "${name}" is invalid: ${said}`, details);
}

/** Options of a request that break rules; `kind` is `ListOptions`, `DeleteOptions` or `PatchOptions`. */
export function invalidOptions(kind: string, errors: readonly FieldError[]): Refusal {
  return invalid("meta.k8s.io", kind, "", errors);
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, "BadRequest", message);
}

export function forbidden(
  { group, plural }: Named,
  name: string,
  because: string,
  causes?: readonly Details[],
): Refusal {
  const details = detailsOf(name, group, plural, causes === undefined ? {} : { causes });
  return new Refusal(403, "Forbidden", `${qualified(plural, group)} "${name}" is forbidden: ${because}`, details);
}

/** A failure that the real server reports without a reason. */
export function failure(message: string): Refusal {
  return new Refusal(500, "", message);
}

export function internalError(message: string): Refusal {
  const words = `Internal error occurred: ${message}`;
  return new Refusal(500, "InternalError", words, { causes: [{ message }] });
}

/** A version or list position from before the last compaction. */
export function expired(message: string, nextPosition?: string): Refusal {
  return new Refusal(410, "Expired", message, undefined, nextPosition === undefined ? {} : { continue: nextPosition });
}

/** A version that this server has not seen within the time that it waits. */
export function tooLargeVersion(wanted: number, current: number): Refusal {
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return new Refusal(504, "Timeout", message, { causes, retryAfterSeconds: 1 });
}

export function requestTooLarge(because: string): Refusal {
  return new Refusal(413, "RequestEntityTooLarge", `Request entity too large: ${because}`);
}

export function unsupportedMediaType(message: string, details?: Details): Refusal {
  return new Refusal(415, "UnsupportedMediaType", message, details);
}

/** A yes that carries no object. */
export function success(code: number, details?: Details): JsonObject {
  return {
    ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" },
    ...(details === undefined ? { code } : { details }),
  };
}

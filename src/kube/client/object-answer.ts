// Reads objects and lists out of answers. Only what every object has is checked here; the rest is the caller's to parse.

import { apiVersionOf, type KubeObject, type Resource, type Stored } from "../resource.ts";
import type { HttpAnswer } from "../transport.ts";
import { TransportError } from "../transport-error.ts";
import { parseJson } from "../wire/json-text.ts";
import type { MemberCutter } from "../wire/member-cutter.ts";
import type { ListPage } from "./client.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

type Fields = Readonly<Record<string, unknown>>;

/** The object in an answer, without members that nobody reads; throws when there is none. */
export function parseObject<T extends KubeObject>(
  request: string,
  answer: HttpAnswer,
  unread?: MemberCutter | undefined,
): Stored<T> {
  const value = parseFields(request, answer, unread);
  if (isFields(value.metadata) && typeof value.metadata.name === "string") return value as Stored<T>;
  throw garbled(request, answer, "has no metadata.name");
}

/** One page of objects in an answer; items of a list carry no kind of their own, so it is filled in. */
export function parseList<T extends KubeObject>(
  resource: Resource<T>,
  request: string,
  answer: HttpAnswer,
): ListPage<T> {
  const list = parseFields(request, answer);
  const { metadata, items } = list;
  if (!isFields(metadata) || typeof metadata.resourceVersion !== "string") {
    throw garbled(request, answer, "has no metadata.resourceVersion");
  }
  // Go writes an empty list as null in some places.
  const objects = items === null ? [] : items;
  if (!Array.isArray(objects)) throw garbled(request, answer, "has no items");
  const head = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const next = metadata.continue;
  return {
    items: objects.map((item: unknown) => ({ ...head, ...(isFields(item) ? item : {}) }) as Stored<T>),
    resourceVersion: metadata.resourceVersion,
    continueFrom: typeof next === "string" && next !== "" ? next : undefined,
  };
}

/** The JSON object in an answer; throws when there is none. */
export function parseFields(request: string, answer: HttpAnswer, unread?: MemberCutter | undefined): Fields {
  if (isFields(answer.value)) return answer.value;
  let value: unknown;
  try {
    value = parseJson(unread === undefined ? utf8.decode(answer.body) : unread.textOfItem(answer.body));
  } catch (cause) {
    throw garbled(request, answer, "is not JSON", cause instanceof SyntaxError ? undefined : cause);
  }
  if (isFields(value)) return value;
  throw garbled(request, answer, "is no JSON object");
}

/** True for a JSON object: not null, not a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Never quotes the body (nor a SyntaxError, which quotes it): it may be a Secret that was cut short. */
function garbled(request: string, answer: HttpAnswer, fault: string, cause?: unknown): TransportError {
  const type = answer.headers["content-type"] ?? "no content type";
  const remedy = "see whether a proxy in between changes answers";
  return new TransportError(
    "garbled",
    `${request}: the answer (status ${answer.status}, ${type}, ${answer.body.byteLength} bytes) ${fault}; ${remedy}`,
    cause,
  );
}

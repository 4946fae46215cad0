// Turns an answer other than 2xx into an ApiError: mostly a Kubernetes `Status`, sometimes what a proxy in between had to say.

import type { HttpAnswer } from "../transport.ts";
import { parseJson } from "../wire/json-text.ts";
import { ApiError, type StatusCause } from "./api-error.ts";

/** Causes kept of one answer: a validation can list thousands. */
const CAUSES_MAX = 50;
/** Longer waits than an hour are a mistake of the sender or an attack. */
const RETRY_AFTER_MAX_MS = 3_600_000;

type Sent = Pick<ApiError, "method" | "path" | "attempts"> & Partial<Pick<ApiError, "mayBeEcho">>;
type Fields = Readonly<Record<string, unknown>>;

/** Says what the server refused, in its own words where it has any. */
export function apiErrorOf(sent: Sent, answer: HttpAnswer): ApiError {
  const status = parseStatus(answer);
  const details = fieldsOf(status?.details);
  return new ApiError({
    ...sent,
    status: answer.status,
    reason: textOf(status?.reason),
    message: status === undefined ? describeForeign(answer) : textOf(status.message) || "the server gave no message",
    causes: causesOf(details.causes),
    retryAfterMs: retryAfterMs(answer.headers["retry-after"]) ?? retryAfterMs(details.retryAfterSeconds),
  });
}

function parseStatus(answer: HttpAnswer): Fields | undefined {
  try {
    const value = fieldsOf(parseJson(new TextDecoder().decode(answer.body)));
    return value.kind === "Status" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The body itself is not quoted: it comes from who knows where and may hold anything. */
function describeForeign(answer: HttpAnswer): string {
  const type = answer.headers["content-type"] ?? "no content type";
  const what = type.includes("html") ? "a web page" : `${answer.body.byteLength} bytes (${type})`;
  return `${what} instead of a Kubernetes status; something between us and the API server may have answered`;
}

function causesOf(list: unknown): readonly StatusCause[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, CAUSES_MAX).map((entry: unknown) => {
    const { reason, message, field } = fieldsOf(entry);
    return { reason: textOf(reason), message: textOf(message), field: textOf(field) };
  });
}

function retryAfterMs(seconds: unknown): number | undefined {
  const number = typeof seconds === "string" && /^[0-9]{1,9}$/.test(seconds) ? Number(seconds) : seconds;
  if (typeof number !== "number" || !(number > 0)) return undefined;
  return Math.min(RETRY_AFTER_MAX_MS, number * 1_000);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

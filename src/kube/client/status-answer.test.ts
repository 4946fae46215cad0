import { describe, expect, test } from "vitest";
import { apiErrorOf } from "./status-answer.ts";

const sent = { method: "POST", path: "/api/v1/namespaces/web/pods", attempts: 1 };
const errorOf = (status: number, body: string, headers: Record<string, string> = {}) =>
  apiErrorOf(sent, { status, headers, body: new TextEncoder().encode(body) });
const statusOf = (fields: object) => JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", ...fields });

test("a Kubernetes status keeps its reason, message and causes", () => {
  const error = errorOf(
    422,
    statusOf({
      reason: "Invalid",
      message: 'Pod "a" is invalid: spec.containers: Required value',
      details: { causes: [{ reason: "FieldValueRequired", message: "Required value", field: "spec.containers" }] },
    }),
  );
  expect(error.message).toBe(
    'POST /api/v1/namespaces/web/pods: 422 Invalid: Pod "a" is invalid: spec.containers: Required value',
  );
  expect(error.causes).toEqual([{ reason: "FieldValueRequired", message: "Required value", field: "spec.containers" }]);
});

describe("how long to stay away", () => {
  test.each([
    ["the header", { "retry-after": "7" }, {}, 7_000],
    ["the details when there is no header", {}, { retryAfterSeconds: 3 }, 3_000],
    ["the header before the details", { "retry-after": "7" }, { retryAfterSeconds: 3 }, 7_000],
    ["nothing", {}, {}, undefined],
    ["zero means nothing", { "retry-after": "0" }, {}, undefined],
    ["a date is not what an API server sends", { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, {}, undefined],
    ["a negative number", {}, { retryAfterSeconds: -5 }, undefined],
    ["a year", { "retry-after": "31536000" }, {}, 3_600_000],
  ])("%s", (_what, headers: Record<string, string>, details, expected) => {
    expect(errorOf(429, statusOf({ details }), headers).retryAfterMs).toBe(expected);
  });
});

describe("answers that no API server gives", () => {
  test.each([
    [
      "a web page",
      "<html><title>Login token=abc</title>",
      "text/html",
      "502: a web page instead of a Kubernetes status",
    ],
    ["text", "upstream token=abc", "text/plain", "502: 18 bytes (text/plain) instead of a Kubernetes status"],
    ["nothing", "", "", "502: 0 bytes () instead of a Kubernetes status"],
    ["JSON that is no Status", '{"token":"abc"}', "application/json", "502: 15 bytes (application/json) instead"],
    ["broken JSON", '{"kind":"Status"', "application/json", "502: 16 bytes (application/json) instead"],
    [
      "a Status of wrong types",
      statusOf({ reason: 5, message: [], details: "x" }),
      "",
      "502: the server gave no message",
    ],
  ])("%s is described and not quoted", (_what, body, type, message) => {
    const error = errorOf(502, body, { "content-type": type });
    expect(error.message).toContain(message);
    expect(error.message).not.toContain("abc");
  });

  test("a thousand causes are cut", () => {
    const causes = Array.from({ length: 1_000 }, () => ({ reason: "x" }));
    expect(errorOf(422, statusOf({ details: { causes } })).causes).toHaveLength(50);
  });
});

import { expect, test } from "vitest";
import { ApiError, hasCause, isAlreadyExists, isConflict, isForbidden, isGone, isNotFound } from "./api-error.ts";

const error = (status: number, reason: string, causes: readonly string[] = []) =>
  new ApiError({
    status,
    reason,
    message: "no",
    method: "POST",
    path: "/api/v1/namespaces/web/pods",
    causes: causes.map((cause) => ({ reason: cause, message: "", field: "" })),
  });

test("the message names the request, the status, the reason and the server's words", () => {
  expect(error(409, "AlreadyExists").message).toBe("POST /api/v1/namespaces/web/pods: 409 AlreadyExists: no");
  expect(error(502, "").message).toBe("POST /api/v1/namespaces/web/pods: 502: no");
});

test("the query is left out of the message and kept in the path", () => {
  const path = "/api/v1/pods?limit=500&continue=abc";
  const paged = new ApiError({ status: 410, reason: "Expired", message: "too old", method: "GET", path });
  expect([paged.message, paged.path]).toEqual(["GET /api/v1/pods: 410 Expired: too old", path]);
});

test("a very long message is shortened", () => {
  const long = new ApiError({ status: 422, reason: "Invalid", message: "x".repeat(1e6), method: "PUT", path: "/p" });
  expect(long.message.length).toBeLessThan(1_100);
  expect(long.message).toContain("(shortened)");
});

test("control characters of the server's words do not reach a log or a terminal", () => {
  const hostile = new ApiError({
    status: 422,
    reason: "",
    message: "a\n\u001b[31mb\u202ec",
    method: "PUT",
    path: "/p",
  });
  expect(hostile.message).toBe("PUT /p: 422: a [31mb c");
});

test("an existing name and a lost race are told apart", () => {
  expect([isAlreadyExists(error(409, "AlreadyExists")), isConflict(error(409, "AlreadyExists"))]).toEqual([
    true,
    false,
  ]);
  expect([isAlreadyExists(error(409, "Conflict")), isConflict(error(409, "Conflict"))]).toEqual([false, true]);
});

test("the other questions look at the status, and at ApiErrors only", () => {
  expect([isNotFound(error(404, "NotFound")), isNotFound(error(403, "")), isNotFound(new Error())]).toEqual([
    true,
    false,
    false,
  ]);
  expect([isGone(error(410, "Expired")), isForbidden(error(403, "Forbidden"))]).toEqual([true, true]);
  expect(hasCause(error(403, "Forbidden", ["NamespaceTerminating"]), "NamespaceTerminating")).toBe(true);
  expect(hasCause(error(403, "Forbidden"), "NamespaceTerminating")).toBe(false);
});

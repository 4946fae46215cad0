import { expect, test } from "vitest";
import { ApiError } from "../client/api-error.ts";
import { TransportError } from "../transport-error.ts";
import { AttemptFault, endOf } from "./attempt-end.ts";

const answered = (status: number, reason = "", retryAfterMs?: number) =>
  new ApiError({ status, reason, message: "no", method: "GET", path: "/x", retryAfterMs });

test.each([
  { error: answered(410, "Gone"), reason: "Expired" },
  { error: answered(500, "Expired"), reason: "Expired" },
  { error: answered(400), reason: "Invalid" },
  { error: answered(422, "Invalid"), reason: "Invalid" },
  { error: answered(401), reason: "Denied" },
  { error: answered(403, "Forbidden"), reason: "Denied" },
  { error: answered(404), reason: "NotFound" },
  { error: answered(429), reason: "Overloaded" },
  { error: answered(504, "Timeout"), reason: "ServerFailed" },
  { error: answered(302), reason: "Refused" },
  { error: new TransportError("unreachable", "x"), reason: "Unreachable" },
  { error: new TransportError("untrusted", "x"), reason: "Untrusted" },
  { error: new TransportError("broken", "x"), reason: "Broken" },
  { error: new TransportError("timeout", "x"), reason: "Silent" },
  { error: new TransportError("garbled", "x"), reason: "Garbled" },
  { error: new AttemptFault("OutOfOrder", "x"), reason: "OutOfOrder" },
  { error: new TypeError("undefined is not a function"), reason: "Fault" },
  { error: "thrown text", reason: "Fault" },
])("$error ends an attempt with $reason", ({ error, reason }) => {
  expect(endOf(error).reason).toBe(reason);
});

test("the end keeps the message and how long the server asked us to stay away", () => {
  expect(endOf(answered(429, "TooManyRequests", 3_000))).toEqual({
    ...{ reason: "Overloaded", message: "GET /x: 429 TooManyRequests: no", retryAfterMs: 3_000 },
  });
  expect(endOf(new TypeError("oops")).message).toBe("TypeError: oops");
});

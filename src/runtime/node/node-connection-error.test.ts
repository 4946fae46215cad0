import { errors } from "undici";
import { expect, test } from "vitest";
import { connectionError } from "./node-connection-error.ts";
import { NoConnectionError } from "./node-connector.ts";

const coded = (code: string) => Object.assign(new Error("raw words"), { code });
const where = "GET https://host:6443/api";

test.each([
  ["ECONNREFUSED", false, "unreachable", "connection refused"],
  ["ENOTFOUND", false, "unreachable", "the host name is unknown"],
  ["EAI_AGAIN", false, "unreachable", "the DNS does not answer"],
  ["EHOSTUNREACH", false, "unreachable", "no route to the host"],
  ["ECONNRESET", false, "unreachable", "the connection closed before it was ready"],
  ["ECONNRESET", true, "broken", "the connection closed before the answer was complete"],
  ["ETIMEDOUT", false, "unreachable", "no connection in time"],
  ["ETIMEDOUT", true, "broken", "the connection was lost"],
  ["EHOSTUNREACH", true, "broken", "the connection was lost"],
  ["EPIPE", true, "broken", "the connection closed before the request was sent"],
  ["SOMETHING_NEW", true, "broken", "the connection was lost"],
  ["SOMETHING_NEW", false, "unreachable", "the connection closed before it was ready"],
  ["CERT_HAS_EXPIRED", false, "untrusted", "its certificate has expired; renew it, or correct the clock"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", false, "untrusted", "an authority that we do not trust"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", false, "untrusted", "its certificate is for other names"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", false, "garbled", "it does not speak TLS"],
  ["EPROTO", false, "garbled", "it does not speak TLS"],
  ["UND_ERR_SOCKET", true, "broken", "the connection closed before the answer was complete"],
  ["UND_ERR_SOCKET", false, "unreachable", "the connection closed before it was ready"],
  ["UND_ERR_HEADERS_OVERFLOW", true, "garbled", "larger than 16 KiB"],
  ["UND_ERR_DESTROYED", true, "broken", "all connections are closed"],
  ["constructor", true, "broken", "the connection was lost"],
])("%s (connection up: %s) is %s", (code, wasUp, reason, says) => {
  const error = connectionError(where, coded(code), wasUp);
  expect(error.reason).toBe(reason);
  expect(error.message).toContain(`${where}: `);
  expect(error.message).toContain(says);
  expect(error.message).toContain(`(${code})`);
});

test("an error without a code has no empty brackets", () => {
  expect(connectionError(where, new Error("raw words"), true).message).toBe(`${where}: the connection was lost`);
});

test("no connection in time is told in the words of the connector", () => {
  const { reason, message } = connectionError(where, new NoConnectionError("no connection within 5 ms"), false);
  expect([reason, message]).toEqual(["unreachable", `${where}: no connection within 5 ms`]);
});

test("an answer that cannot be read is garbled, and its error, which holds a piece of it, is not kept", () => {
  const error = Object.assign(new errors.HTTPParserError("Invalid header"), { data: "s3cret" });
  const { reason, message, cause } = connectionError(where, error, true);
  expect([reason, message, cause]).toEqual(["garbled", `${where}: what came back is not HTTP`, undefined]);
});

test.each([
  [new errors.HTTPParserError("Invalid EOF state"), true, "broken"],
  [new errors.ResponseContentLengthMismatchError(), true, "broken"],
  [new errors.ResponseContentLengthMismatchError(), false, "garbled"],
])("%s (head there: %s) is %s", (error, hasHead, reason) => {
  expect(connectionError(where, error, true, hasHead).reason).toBe(reason);
});

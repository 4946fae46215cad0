import { expect, test } from "vitest";
import { redactFields, redactText } from "./redact.ts";

const canary = "s3cr3t-canary-value";
const jwt = "eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJl";
const privateKey = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIB\n-----END EC PRIVATE KEY-----";

test.each([
  ["an authorization header", { headers: { Authorization: `Bearer ${canary}` } }],
  ["a cookie", { headers: { "set-cookie": [canary] } }],
  ["a token under any spelling", { access_token: canary, bearerToken: canary, "id-token": canary }],
  ["a password", { user: { password: canary } }],
  ["kubeconfig credentials", { users: [{ user: { "client-key-data": canary, "client-certificate-data": canary } }] }],
  ["a serving key", { "tls.key": canary, "ca.key": canary }],
  ["pull credentials", { ".dockerconfigjson": canary }],
  ["a Secret's data", { object: { kind: "Secret", data: { any: canary }, stringData: { other: canary } } }],
  [
    "a Secret's annotations",
    { object: { kind: "Secret", metadata: { name: "x", annotations: { "last-applied": canary } } } },
  ],
  ["a bearer token in a text", { said: `sent "Authorization: Bearer ${canary}"` }],
  ["a bearer token in an error", { error: new Error(`refused: Bearer ${canary}`) }],
  ["a bearer token in a cause", { error: new Error("refused", { cause: new Error(`Bearer ${canary}`) }) }],
  ["a password in an address", { url: `https://me:${canary}@host/path` }],
])("%s does not reach the log", (_, fields) => {
  const written = JSON.stringify(redactFields(fields));
  expect(written).not.toContain(canary);
  expect(written).toContain("[redacted]");
});

test("tokens and private keys are masked wherever they stand in a text, even cut off", () => {
  expect(redactText(`a ${jwt} b`)).toBe("a [redacted] b");
  expect(redactText(jwt.slice(0, 40))).toBe("[redacted]");
  expect(redactText(`x ${privateKey} y`)).toBe("x [redacted] y");
  expect(redactText(`x ${privateKey.slice(0, 40)}`)).toBe("x [redacted]");
});

test("what is not a credential stays readable", () => {
  const fields = {
    key: "ns/name",
    attempt: 3,
    tokenFile: "path/to/token",
    secretName: "pull-secret",
    object: { kind: "Secret", metadata: { name: "certs", namespace: "ops" } },
    missing: null,
    isReady: false,
    bytes: new Uint8Array(5),
    version: 9007199254740993n,
  };
  expect(redactFields(fields)).toEqual({
    ...fields,
    object: { kind: "Secret", metadata: { name: "certs", namespace: "ops" }, content: "[redacted]" },
    bytes: "[5 bytes]",
    version: "9007199254740993",
  });
});

test("an error keeps its type, message, place and causes", () => {
  const written = redactFields({ error: new TypeError("outer", { cause: new RangeError("inner") }) });
  expect(written).toMatchObject({
    error: { type: "TypeError", message: "outer", cause: { type: "RangeError", message: "inner" } },
  });
  expect(JSON.stringify(written)).toContain("redact.test.ts");
});

test("long, wide, deep and circular values are cut", () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
  const list = Array.from({ length: 5_000 }, () => "item");
  const bushy = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => list));
  const fields = { long: "x".repeat(1_000_000), circular, wide, list, bushy };
  expect(JSON.stringify(redactFields(fields)).length).toBeLessThan(40_000);
});

test("keys that mean something to JavaScript are only names here", () => {
  const hostile: Record<string, unknown> = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
  expect(JSON.stringify(redactFields({ hostile }))).toBe('{"hostile":{"__proto__":{"polluted":true},"constructor":1}}');
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

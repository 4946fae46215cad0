import { expect, test } from "vitest";
import { redactFields } from "./redact.ts";
import { redactText } from "./redact-text.ts";

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
  ["a password without a user in an address", { url: `redis://:${canary}@host/path` }],
  ["a token in the query of an address", { url: `https://host/path?watch=true&access_token=${canary}&x=1` }],
  ["a token in JSON that was quoted as text", { said: `the body was {"token": "${canary}", "kind": "x"}` }],
  ["a token in JSON that was quoted twice", { said: JSON.stringify(`{"clientSecret":"${canary}"}`) }],
  ["a secret, a passphrase and keys", { secret: canary, pwd: canary, secretAccessKey: canary, tokens: [canary] }],
  ["the items of a list of Secrets", { list: { kind: "SecretList", items: [{ data: { any: canary } }] } }],
  ["an environment variable of a container", { containers: [{ env: [{ name: "DB_PASSWORD", value: canary }] }] }],
  ["headers as pairs", { headers: [["x-auth-token", canary]] }],
  ["headers as Node has them", { rawHeaders: ["Accept", "*/*", "Authorization", canary] }],
  ["a token in the name of a field", { [`Bearer ${canary}`]: 1 }],
  ["a token in a line of an error that looks like its stack", { error: new Error(`no\n  at Bearer ${canary}`) }],
  ["a token in the type of an error", { error: Object.assign(new Error("no"), { name: `Bearer ${canary}` }) }],
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

test("a credential that a long text would cut in two is masked before the cut", () => {
  const address = `https://me:${canary}@host/path`;
  for (let shift = 0; shift < address.length; shift++) {
    const written = redactText("x".repeat(4_096 - shift) + address);
    expect(written).not.toContain(canary.slice(0, 6));
    expect(written.length).toBeLessThan(4_200);
  }
});

test.each([
  [
    "a message that is no text",
    Object.assign(new Error("x"), { message: undefined }),
    { type: "Error", message: "undefined" },
  ],
  ["a stack that is no text", Object.assign(new Error("x"), { stack: 7 }), { message: "x", stack: [] }],
  [
    "a getter that throws",
    {
      get bad() {
        throw new Error("trap");
      },
    },
    "[unreadable]",
  ],
  ["a revoked proxy", revoked(), "[unreadable]"],
])("a value with %s is written, and harms nobody", (_, value, written) => {
  expect(redactFields({ value, key: "ns/name" })).toMatchObject({ value: written, key: "ns/name" });
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test("what is not a credential stays readable", () => {
  const fields = {
    key: "ns/name",
    attempt: 3,
    tokenFile: "path/to/token",
    secretName: "pull-secret",
    said: "GET /api/v1/pods?limit=500&continue=abc: the token: none, password: none",
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
  const fields = { long: "x".repeat(1_000_000), ["n".repeat(1_000_000)]: 1, circular, wide, list, bushy };
  expect(JSON.stringify(redactFields(fields)).length).toBeLessThan(40_000);
});

test("keys that mean something to JavaScript are only names here", () => {
  const hostile: Record<string, unknown> = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
  expect(JSON.stringify(redactFields({ hostile }))).toBe('{"hostile":{"__proto__":{"polluted":true},"constructor":1}}');
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

// The server to which a registry sends those who want a token: it wants a password and signs what it gives with a key that the
// registry trusts.
import { createSign, X509Certificate } from "node:crypto";
import { createServer } from "node:http";
import { LoopbackServers } from "../../sim/loopback-servers.ts";
import * as fixture from "../../src/runtime/node/testing/tls-fixture.ts";
import { TOKEN_ISSUER, TOKEN_SERVICE, USER } from "./start-registry.ts";

export const BASIC = `Basic ${Buffer.from(`${USER.name}:${USER.password}`).toString("base64")}`;

export type TokenServer = {
  readonly host: string;
  readonly realm: string;
  /** What was asked for: scope, and who asked. */
  readonly asked: readonly string[];
  close(): void;
};

/** Starts the server; it gives tokens for pulling to who has the password. */
export async function startTokenServer(): Promise<TokenServer> {
  const servers = new LoopbackServers();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const scope = new URL(request.url ?? "", "http://x").searchParams.get("scope") ?? "";
    asked.push(`${scope} ${request.headers.authorization === BASIC ? USER.name : "nobody"}`);
    if (request.headers.authorization !== BASIC) response.writeHead(401).end();
    else response.end(JSON.stringify({ token: tokenFor(scope) }));
  });
  const host = await servers.listen(server);
  return { host, realm: `http://${host}/token`, asked, close: () => servers.close() };
}

/** A token for anything, as a builder may have one. */
export function tokenFor(scope: string): string {
  const [type = "", name = "", actions = ""] = scope.split(":");
  const nowSeconds = Math.floor(Date.now() / 1000);
  const head = {
    typ: "JWT",
    alg: "ES256",
    x5c: [new X509Certificate(fixture.serverCertificate).raw.toString("base64")],
  };
  const claims = {
    ...{ iss: TOKEN_ISSUER, sub: USER.name, aud: TOKEN_SERVICE, jti: "1" },
    ...{ iat: nowSeconds, nbf: nowSeconds - 10, exp: nowSeconds + 300 },
    access: scope === "" ? [] : [{ type, name, actions: actions.split(",") }],
  };
  const text = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const key = { key: fixture.serverKey, dsaEncoding: "ieee-p1363" } as const;
  return `${text}.${createSign("sha256").update(text).sign(key).toString("base64url")}`;
}

import { createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import { createServer as createRawServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { loopbackProxy } from "../../../sim/loopback-proxy.ts";
import { aGet, aPost, failureOf, LoopbackTransports, nextTurn, textOf } from "../../../sim/loopback-transports.ts";
import { fixedCredentials } from "../../kube/config/credentials.ts";
import type { RegistryRequest } from "../http/registry-transport.ts";
import { createNodeRegistry } from "./node-registry.ts";
import * as fixture from "./testing/tls-fixture.ts";

const loopback = new LoopbackTransports();
afterEach(() => loopback.close());

const NAME = "https://api.test:6443";
const tls = { key: fixture.serverKey, cert: fixture.namedServerCertificate };
const credentials = fixedCredentials({ headers: { authorization: "Bearer t" }, tls: { ca: fixture.authority } });
const portOf = (url: string) => ({ port: Number(new URL(url).port) });

/** A server that is reached by a name which only the proxy knows. */
async function behindProxy(refusal?: number) {
  let connections = 0;
  const server = createServer(tls, (request, response) => {
    if (request.url === "/watch") response.write("one\n");
    else response.end(`${request.method} ${request.headers.host} ${request.headers.authorization}`);
  });
  server.on("secureConnection", () => {
    connections += 1;
  });
  const proxy = loopbackProxy(portOf(await loopback.listen(server)), refusal);
  const at = new URL(await loopback.listen(proxy.server));
  return { ...proxy, at, connections: () => connections };
}

test("requests reach the server through a tunnel, which is kept", async () => {
  const { at, asked, connections } = await behindProxy();
  const transport = loopback.transportTo(NAME, { credentials, proxy: at });
  for (const request of [aGet, aPost]) {
    const { body } = await transport.request(request);
    expect(textOf(body)).toBe(`${request.method} api.test:6443 Bearer t`);
    await nextTurn();
  }
  expect([asked, connections()]).toEqual([["CONNECT api.test:6443"], 1]);
});

test("a watch streams through a tunnel, and closing the transport ends it", async () => {
  const { at } = await behindProxy();
  const transport = loopback.transportTo(NAME, { credentials, proxy: at });
  const stream = await transport.stream({ ...aGet, path: "/watch", lane: "watches" });
  const chunks = stream.chunks[Symbol.asyncIterator]();
  expect(textOf((await chunks.next()).value ?? new Uint8Array())).toBe("one\n");
  transport.close();
  expect((await failureOf(chunks.next())).reason).toBe("broken");
});

test("the proxy gets the password of its address, and no message shows it", async () => {
  const { at, passwords } = await behindProxy(407);
  at.username = "u";
  at.password = "s3cret";
  const error = await failureOf(loopback.transportTo(NAME, { credentials, proxy: at }).request(aPost));
  expect(passwords).toEqual([`Basic ${Buffer.from("u:s3cret").toString("base64")}`]);
  expect(error.reason).toBe("unreachable");
  expect(error.message).toContain(`POST ${NAME}/api/v1/pods through the proxy ${at.origin}: `);
  expect(error.message).toContain("the proxy refuses to connect (407)");
  expect(`${error.message} ${String(error.cause)}`).not.toContain("s3cret");
});

test("a server with another certificate is not trusted behind a proxy either", async () => {
  const { at } = await behindProxy();
  const transport = loopback.transportTo("https://other.test", { credentials, proxy: at });
  expect((await failureOf(transport.request(aGet))).reason).toBe("untrusted");
});

test("a proxy that is not there is told apart from a request that was sent", async () => {
  const gone = createRawServer();
  const at = new URL(await loopback.listen(gone));
  await new Promise((resolve) => gone.close(resolve));
  const error = await failureOf(loopback.transportTo(NAME, { credentials, proxy: at }).request(aPost));
  expect(error.reason).toBe("unreachable");
});

test("a proxy that never answers is given up in time", async () => {
  const silent = createRawServer();
  const asked = new Promise((resolve) => silent.on("connection", (socket) => socket.once("data", resolve)));
  const at = new URL(await loopback.listen(silent));
  const transport = loopback.transportTo(NAME, { credentials, proxy: at });
  const failure = failureOf(transport.request(aPost));
  await asked;
  transport.clock.advance(10_000);
  expect((await failure).message).toContain("no connection within 10000 ms");
});

test("the fence holds a write back when it closes while the tunnel opens", async () => {
  const { at, asked } = await behindProxy();
  const transport = loopback.transportTo(NAME, { credentials, proxy: at });
  const mayLeave = () => {
    throw new Error("not now");
  };
  await expect(transport.request({ ...aPost, mayLeave })).rejects.toThrow("not now");
  expect(asked).toHaveLength(1);
});

const askRegistry: Omit<RegistryRequest, "url"> = {
  method: "GET",
  headers: {},
  reach: "public",
  checksCertificate: true,
  answerBytesMax: 1_000,
  signal: new AbortController().signal,
};

test("a registry is reached through a tunnel, by a name that only the proxy knows", async () => {
  const { at, asked } = await behindProxy();
  const registry = createNodeRegistry({
    authorities: fixture.authority,
    proxyFor: () => at,
    lookup: (_name, _options, callback) => callback(Object.assign(new Error("no"), { code: "ENOTFOUND" }), []),
  });
  const answer = await registry.request({ ...askRegistry, url: "https://api.test/v2/" });
  expect([answer.status, asked]).toEqual([200, ["CONNECT api.test:443"]]);
});

test("a registry without TLS is asked by the proxy", async () => {
  const target = await loopback.listen(createPlainServer((_request, response) => response.end("hello")));
  const { server, asked } = loopbackProxy(portOf(target));
  const at = new URL(await loopback.listen(server));
  const lookup = (
    _name: string,
    _options: unknown,
    callback: (error: null, all: { address: string; family: 4 }[]) => void,
  ) => callback(null, [{ address: "192.0.66.1", family: 4 }]);
  const registry = createNodeRegistry({ proxyFor: () => at, lookup });
  const { body } = await registry.request({ ...askRegistry, url: "http://registry.test/v2/" });
  expect([textOf(body), asked]).toEqual(["hello", ["GET http://registry.test/v2/"]]);
});

test.each(["https://169.254.169.254/", "https://metadata.test/"])("no proxy is asked for %s", async (url) => {
  const { at, asked } = await behindProxy();
  const registry = createNodeRegistry({
    proxyFor: () => at,
    lookup: (_name, _options, callback) => callback(null, [{ address: "169.254.169.254", family: 4 }]),
  });
  await expect(registry.request({ ...askRegistry, url })).rejects.toThrow("where no registry may be asked");
  expect(asked).toEqual([]);
});

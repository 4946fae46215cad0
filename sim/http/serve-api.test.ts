// The binding to loopback, over real sockets: what a client sees, and what is left when it or the server goes.
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createClient } from "../../src/kube/client/create-client.ts";
import type { Clock } from "../../src/kube/clock.ts";
import { fixedCredentials } from "../../src/kube/config/credentials.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { nodeRand } from "../../src/runtime/node/node-rand.ts";
import { createNodeTransport } from "../../src/runtime/node/node-transport.ts";
import { BODY_BYTES_MAX } from "../api-server/request/json-body.ts";
import { aServer } from "../api-server/testing/plain-kinds.ts";
import { type ServedApi, type ServeOptions, serveApi } from "./serve-api.ts";
import { CONTEXT_NAME, writeKubeconfig } from "./write-kubeconfig.ts";

const clock = nodeClock();
const maps = "/api/v1/namespaces/default/configmaps";
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function served(options: Partial<ServeOptions> = {}): Promise<ServedApi> {
  const { server } = aServer();
  const api = await serveApi({ server, port: 0, clock, ...options });
  closers.push(() => api.stop());
  return api;
}

function transportTo({ url, ca }: ServedApi): Transport {
  const credentials = fixedCredentials({ headers: {}, tls: ca === undefined ? {} : { ca } });
  const transport = createNodeTransport({ server: url, credentials, clock });
  closers.push(() => transport.close());
  return transport;
}

/** A socket that says what it is told to, and all that comes back until the server closes it. */
async function spoken({ port }: ServedApi, text: string): Promise<string> {
  const socket: Socket = connect(port, "127.0.0.1");
  closers.push(() => socket.destroy());
  socket.write(text);
  let heard = "";
  for await (const piece of socket) heard += String(piece);
  return heard;
}

const onlyFaults: Transport = {
  request: () => Promise.reject(new Error("our mistake")),
  stream: () => Promise.reject(new Error("our mistake")),
};
const get = (path: string) => ({ method: "GET", path, headers: {}, lane: "calls" }) as const;
const post = (path: string, body: string) => ({ method: "POST", path, headers: {}, body, lane: "calls" }) as const;
const aMap = (name: string) => JSON.stringify({ metadata: { name } });

describe("serveApi()", () => {
  test("serves HTTPS under a certificate that its authority vouches for", async () => {
    const api = await served();
    const client = createClient({ transport: transportTo(api), clock, rand: nodeRand(), fieldManager: "test" });
    expect(api.url).toMatch(/^https:\/\/127\.0\.0\.1:[0-9]+$/);
    const type = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } };
    const made = await client.create(type, object);
    expect(made).toMatchObject({ metadata: { name: "a", namespace: "default" } });
  });

  test("serves a watch event by event", async () => {
    const transport = transportTo(await served());
    const { chunks } = await transport.stream({ ...get(`${maps}?watch=true`), lane: "watches" });
    const iterator = chunks[Symbol.asyncIterator]();
    await transport.request(post(maps, aMap("a")));
    const { value } = await iterator.next();
    expect(new TextDecoder().decode(value)).toContain('{"type":"ADDED","object":{"kind":"ConfigMap"');
    await iterator.return?.();
  });

  test("ends the watch of a client that goes away", async () => {
    const { server } = aServer();
    const ended = Promise.withResolvers<void>();
    const inner = server.transport();
    const seen: Transport = {
      ...inner,
      stream: (request) => {
        request.signal?.addEventListener("abort", () => ended.resolve());
        return inner.stream(request);
      },
    };
    const api = await served({ server: { transport: () => seen }, scheme: "http" });
    const { chunks } = await transportTo(api).stream({ ...get(`${maps}?watch=true`), lane: "watches" });
    await chunks[Symbol.asyncIterator]().return?.();
    await ended.promise;
  });

  test("ends watches in order when it stops, and leaves no connection open", async () => {
    const api = await served();
    const { chunks } = await transportTo(api).stream({ ...get(`${maps}?watch=true`), lane: "watches" });
    const next = chunks[Symbol.asyncIterator]().next();
    await api.stop();
    expect(await next).toMatchObject({ done: true });
    await expect(transportTo(api).request(get("/version"))).rejects.toMatchObject({ reason: "unreachable" });
  });

  test("names the port that is taken and what to do about it", async () => {
    const { port } = await served();
    await expect(served({ port })).rejects.toThrow(
      `port ${port} on 127.0.0.1 is taken by another program; stop it, or choose another port (0 takes a free one)`,
    );
  });

  test("is not served beyond loopback", async () => {
    await expect(served({ host: "0.0.0.0" })).rejects.toThrow("loopback only, not on 0.0.0.0");
  });

  test("refuses a body that is longer than the real server reads", async () => {
    const transport = transportTo(await served());
    const answer = await transport.request(post(maps, "x".repeat(BODY_BYTES_MAX + 1)));
    expect(answer.status).toBe(413);
    expect((await transport.request(get("/version"))).status).toBe(200);
  });

  test("closes a connection whose headers do not come to an end", async () => {
    const api = await served({ scheme: "http", limits: { headersMs: 40 } });
    expect(await spoken(api, "GET /version HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ")).not.toContain("200");
  });

  test("closes a connection whose body does not come to an end", async () => {
    const api = await served({ scheme: "http", limits: { headersMs: 40, requestMs: 80 } });
    const begun = `POST ${maps} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{`;
    expect(await spoken(api, begun)).not.toContain("201");
  });

  describe("for a client that reads nothing", () => {
    const big = new Uint8Array(1 << 26);

    /** Asks for something large on a clock on which the time for reading is over as soon as it begins. */
    async function unread(transport: Transport, path: string): Promise<void> {
      const stalled = Promise.withResolvers<void>();
      const after: Clock["after"] = (_delayMs, work) => {
        stalled.resolve();
        return clock.after(0, work);
      };
      const hasty = { ...clock, after };
      const api = await served({ server: { transport: () => transport }, scheme: "http", clock: hasty });
      const socket = connect(api.port, "127.0.0.1").pause();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
      const closed = new Promise<void>((resolve) => socket.on("error", () => undefined).on("close", () => resolve()));
      await stalled.promise;
      // What is still in the socket's buffers must be read before it can see its end.
      socket.resume();
      await closed;
    }

    test("closes the connection and leaves the stream", async () => {
      const left = Promise.withResolvers<void>();
      const stream = async () => ({ status: 200, headers: {}, chunks: endless(big, left.resolve) });
      await unread({ ...onlyFaults, stream }, "/x?watch=true");
      await left.promise;
    });

    test("closes the connection of a whole answer", async () => {
      await unread({ ...onlyFaults, request: async () => ({ status: 200, headers: {}, body: big }) }, "/x");
    });
  });

  test.each([
    ["origin: https://example.com\r\nhost: 127.0.0.1", "a page of another site"],
    ["host: rebound.example.com", "a name that leads to loopback"],
  ])("refuses %j: %s", async (headers) => {
    const api = await served({ scheme: "http" });
    const heard = await spoken(api, `GET ${maps} HTTP/1.1\r\n${headers}\r\n\r\n`);
    expect(heard).toMatch(/^HTTP\/1\.1 403 /);
    expect(heard).toContain("web pages may not call this server");
  });

  test("tells its owner of a fault of its own, and the client that there was one", async () => {
    const faults: unknown[] = [];
    const api = await served({ server: { transport: () => onlyFaults }, onFault: (fault) => faults.push(fault) });
    const { status, body } = await transportTo(api).request(get("/version"));
    expect([status, JSON.parse(new TextDecoder().decode(body)).reason]).toEqual([500, "InternalError"]);
    expect(faults).toEqual([new Error("our mistake")]);
  });
});

/** A stream without an end, which tells when it is left. */
async function* endless(piece: Uint8Array, onLeft: () => void): AsyncIterable<Uint8Array> {
  try {
    for (;;) yield piece;
  } finally {
    onLeft();
  }
}

describe("writeKubeconfig()", () => {
  test("writes a file with one context, which is current and trusts the server", () => {
    const config = parse(writeKubeconfig({ url: "https://127.0.0.1:6443", ca: "PEM" }));
    const name = CONTEXT_NAME;
    expect(config).toMatchObject({
      "current-context": name,
      contexts: [{ name, context: { cluster: name, user: name, namespace: "default" } }],
      clusters: [{ name, cluster: { server: "https://127.0.0.1:6443", "certificate-authority-data": btoa("PEM") } }],
      users: [{ name, user: { token: expect.stringMatching(/./) } }],
    });
  });

  test("asks for no trust over plain HTTP", () => {
    expect(writeKubeconfig({ url: "http://127.0.0.1:8080" })).not.toContain("certificate-authority");
  });
});

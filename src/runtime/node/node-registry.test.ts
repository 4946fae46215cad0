import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { afterEach, describe, expect, test } from "vitest";
import { LoopbackServers } from "../../../sim/loopback-servers.ts";
import type { RegistryRequest } from "../http/registry-transport.ts";
import { createNodeRegistry, type LookupAll, type NodeRegistryOptions } from "./node-registry.ts";
import * as fixture from "./testing/tls-fixture.ts";

const servers = new LoopbackServers();
afterEach(() => servers.close());

const hello: RequestListener = (request, response) => {
  response.setHeader("docker-content-digest", "sha256:ab");
  response.setHeader("x-method", request.method ?? "");
  response.end("hello");
};

/** Starts a server and counts what reaches it. */
async function serve(listener: RequestListener, { isSecure = false } = {}) {
  const seen: string[] = [];
  const tls = { key: fixture.serverKey, cert: fixture.serverCertificate };
  const listen: RequestListener = (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`);
    listener(request, response);
  };
  const address = await servers.listen(isSecure ? createSecureServer(tls, listen) : createServer(listen));
  return { address, seen, port: address.split(":")[1] ?? "" };
}

const onThisMachine: NodeRegistryOptions = { allowedNetworks: ["127.0.0.1/32"] };

function ask(url: string, options: NodeRegistryOptions = onThisMachine, more: Partial<RegistryRequest> = {}) {
  return createNodeRegistry(options).request({
    ...{ method: "GET", url, headers: {}, reach: "site", checksCertificate: true, answerBytesMax: 1_000 },
    ...{ signal: new AbortController().signal, ...more },
  });
}

const failure = (end: Promise<unknown>) =>
  end.then(
    () => "it was answered",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

/** A DNS in which every name has these addresses, each time others. */
const dns = (...answers: readonly (readonly string[])[]): { readonly lookup: LookupAll; readonly asked: string[] } => {
  const asked: string[] = [];
  return {
    asked,
    lookup: (hostname, _options, callback) => {
      const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
      asked.push(hostname);
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    },
  };
};

describe("an answer", () => {
  test("comes with its status, its headers in lower case, and its body", async () => {
    const { address, seen } = await serve((request, response) => {
      response.statusCode = 203;
      hello(request, response);
    });
    const answer = await ask(`http://${address}/v2/a/manifests/b?c=d`);
    expect([answer.status, answer.headers["docker-content-digest"], new TextDecoder().decode(answer.body)]).toEqual([
      ...[203, "sha256:ab", "hello"],
    ]);
    expect(seen).toEqual([`GET /v2/a/manifests/b?c=d ${address}`]);
  });

  test("to HEAD has no body, whatever length it names", async () => {
    const { address } = await serve((_, response) => {
      response.setHeader("content-length", "999999999");
      response.end();
    });
    const answer = await ask(`http://${address}/`, onThisMachine, { method: "HEAD" });
    expect([answer.status, answer.body.byteLength]).toEqual([200, 0]);
  });

  test("with a redirect is an answer, and not followed", async () => {
    const { address, seen } = await serve((_, response) => {
      response.statusCode = 307;
      response.setHeader("location", "/elsewhere");
      response.end();
    });
    expect((await ask(`http://${address}/`)).status).toBe(307);
    expect(seen).toHaveLength(1);
  });

  test.each<[string, RequestListener, string]>([
    ["that is longer than allowed", (_, response) => void response.end("x".repeat(2_000)), "more than 1000 bytes"],
    [
      "that is packed",
      (_, response) => void response.setHeader("content-encoding", "gzip").end("x"),
      'the encoding "gzip", which nobody asked for',
    ],
    [
      "that breaks off",
      (_, response) => {
        response.setHeader("content-length", "10");
        response.write("x");
        response.socket?.destroySoon();
      },
      "closed before the answer was complete",
    ],
    ["with a huge head", (_, response) => void response.setHeader("x", "y".repeat(20_000)).end(), "too large"],
  ])("%s is an error", async (_, listener, says) => {
    const { address } = await serve(listener);
    expect(await failure(ask(`http://${address}/`))).toContain(says);
  });

  test("that never comes ends with the caller's signal", async () => {
    const life = new AbortController();
    const { address } = await serve(() => life.abort(new Error("no answer in time")));
    expect(await failure(ask(`http://${address}/`, onThisMachine, { signal: life.signal }))).toBe("no answer in time");
  });

  test("of a server that is not there says so, and nothing that was sent", async () => {
    const { address } = await serve(hello);
    servers.close();
    const headers = { authorization: "Basic c2VjcmV0" };
    expect(await failure(ask(`http://${address}/`, onThisMachine, { headers }))).toBe(
      "the connection was refused (ECONNREFUSED)",
    );
  });
});

describe("where a request may lead", () => {
  test.each([
    ["this machine", (port: string) => `http://127.0.0.1:${port}/`],
    ["this machine as one number", (port: string) => `http://2130706433:${port}/`],
    ["this machine in octal digits", (port: string) => `http://0177.0.0.1:${port}/`],
    ["this machine behind IPv6", (port: string) => `http://[::ffff:127.0.0.1]:${port}/`],
    ["this machine by its name", (port: string) => `http://localhost:${port}/`],
  ])("not to %s", async (_, urlOf) => {
    const { port, seen } = await serve(hello);
    expect(await failure(ask(urlOf(port), {}))).toContain("where no registry may be asked");
    expect(seen).toEqual([]);
  });

  test.each([
    ["the credentials of a cloud", "169.254.169.254", "site"],
    ["a private network, from where a stranger sent us", "10.0.0.5", "public"],
    ["a private network behind IPv6", "::ffff:10.0.0.5", "public"],
  ] as const)("not to %s", async (_, address, reach) => {
    const { lookup } = dns([address]);
    expect(await failure(ask("https://registry.example.dev/", { lookup }, { reach }))).toBe(
      `registry.example.dev leads to ${address}, where no registry may be asked; allow the network if one should be`,
    );
  });

  test("of several addresses only one that is allowed is used, and the name is looked up once", async () => {
    const { port, seen } = await serve(hello);
    const { lookup, asked } = dns(["169.254.169.254", "127.0.0.1"], ["169.254.169.254"]);
    const url = `http://registry.example.dev:${port}/v2/`;
    expect((await ask(url, { ...onThisMachine, lookup })).status).toBe(200);
    expect([seen, asked]).toEqual([[`GET /v2/ registry.example.dev:${port}`], ["registry.example.dev"]]);
  });

  test("a connection that was made for a longer reach is not lent to a shorter one", async () => {
    const { port, seen } = await serve(hello);
    const { lookup } = dns(["127.0.0.1"], ["10.0.0.5"]);
    const registry = createNodeRegistry({ ...onThisMachine, lookup });
    const request: RegistryRequest = {
      ...{ method: "GET", url: `http://registry.example.dev:${port}/`, headers: {}, reach: "site" },
      ...{ checksCertificate: true, answerBytesMax: 1_000, signal: new AbortController().signal },
    };
    await registry.request(request);
    expect(await failure(registry.request({ ...request, reach: "public" }))).toContain("leads to 10.0.0.5");
    expect(seen).toHaveLength(1);
  });

  test("a name that nobody knows is an error of its own", async () => {
    const lookup: LookupAll = (_, _options, callback) =>
      callback(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }), []);
    expect(await failure(ask("https://registry.example.dev/", { lookup }))).toContain("the host name is unknown");
  });
});

describe("certificates", () => {
  test("are checked against the authorities that we are given", async () => {
    const { address } = await serve(hello, { isSecure: true });
    const trusting = { ...onThisMachine, authorities: fixture.authority };
    expect((await ask(`https://${address}/`, trusting)).status).toBe(200);
  });

  test("that nobody vouches for are refused before anything is sent", async () => {
    const { address, seen } = await serve(hello, { isSecure: true });
    expect(await failure(ask(`https://${address}/`))).toContain("signed by nobody that we trust");
    expect(seen).toEqual([]);
  });

  test("of any kind will do where the caller says so", async () => {
    const { address } = await serve(hello, { isSecure: true });
    expect((await ask(`https://${address}/`, onThisMachine, { checksCertificate: false })).status).toBe(200);
  });

  test("a server without TLS is told apart", async () => {
    const { address } = await serve(hello);
    expect(await failure(ask(`https://${address}/`))).toMatch(/EPROTO|ERR_SSL/);
  });
});

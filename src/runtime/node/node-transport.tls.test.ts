import { createServer as createPlainServer } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import { createServer as createRawServer, type Server as RawServer } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { LoopbackServers } from "../../../sim/loopback-servers.ts";
import { nextTurn } from "../../../sim/loopback-transports.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { type CredentialSource, fixedCredentials, type TlsMaterial } from "../../kube/config/credentials.ts";
import type { HttpRequest } from "../../kube/transport.ts";
import { TransportError } from "../../kube/transport-error.ts";
import { createNodeTransport, type NodeTransport } from "./node-transport.ts";
import * as fixture from "./testing/tls-fixture.ts";

const trusting: TlsMaterial = { ca: fixture.authority };
const asClient: TlsMaterial = { ...trusting, cert: fixture.clientCertificate, key: fixture.clientKey };
const get: HttpRequest = { method: "GET", path: "/api", headers: {}, lane: "calls" };

const servers = new LoopbackServers();
afterEach(() => servers.close());
const listen = async (server: RawServer) => `https://${await servers.listen(server)}`;

/** Answers with the name in the client's certificate. */
function secureServer(options: ServerOptions = {}): Server {
  const identity = { key: fixture.serverKey, cert: fixture.serverCertificate, ca: fixture.authority };
  return createServer(
    { ...identity, requestCert: true, rejectUnauthorized: false, ...options },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      response.end(JSON.stringify(socket.getPeerCertificate().subject?.CN ?? "nobody"));
    },
  );
}

function transportTo(server: string, credentials: CredentialSource, clock = new VirtualClock()): NodeTransport {
  const transport = createNodeTransport({ server, clock, credentials });
  servers.onClose(() => transport.close());
  return transport;
}

const using = (tls: TlsMaterial) => fixedCredentials({ tls });
const ask = async (transport: NodeTransport) =>
  JSON.parse(new TextDecoder().decode((await transport.request(get)).body));
const failureOf = (end: Promise<unknown>) =>
  end.then(
    () => expect.unreachable("it was answered"),
    (error: unknown) => error as TransportError,
  );

describe("who the server is", () => {
  test("is proven by the authority that we are given", async () => {
    expect(await ask(transportTo(await listen(secureServer()), using(trusting)))).toBe("nobody");
  });

  test.each<[string, TlsMaterial, ServerOptions, string]>([
    ["another authority", { ca: fixture.otherAuthority }, {}, "is signed by an authority that we do not trust"],
    ["no authority of its own", {}, {}, "is signed by an authority that we do not trust"],
    [
      "a certificate for other names",
      trusting,
      { cert: fixture.namedServerCertificate },
      "is for other names; use one",
    ],
  ])("is not proven with %s", async (_what, tls, options, message) => {
    const server = await listen(secureServer(options));
    const error = await failureOf(ask(transportTo(server, using(tls))));
    expect(error).toBeInstanceOf(TransportError);
    expect(error.reason).toBe("untrusted");
    expect(error.message).toContain(`GET ${server}/api: its certificate ${message}`);
  });

  test("may be proven under another name than the one we dial", async () => {
    const server = await listen(secureServer({ cert: fixture.namedServerCertificate }));
    expect(await ask(transportTo(server, using({ ...trusting, serverName: "api.test" })))).toBe("nobody");
  });

  test("is not asked when we are told so", async () => {
    const server = await listen(secureServer());
    expect(await ask(transportTo(server, using({ skipVerify: true })))).toBe("nobody");
  });

  test("is no riddle when it does not speak TLS, or we do not", async () => {
    const plain = createPlainServer((_request, response) => response.end("{}"));
    const address = await listen(plain);
    expect((await failureOf(ask(transportTo(address, using(trusting))))).message).toContain(
      "it does not speak TLS; check whether the address should begin with http://",
    );
    const secure = (await listen(secureServer())).replace("https:", "http:");
    expect((await failureOf(ask(transportTo(secure, using({}))))).reason).toMatch(/broken|garbled/);
  });

  test("stays open when it accepts and never shakes hands", async () => {
    const raw = createRawServer();
    const dialled = new Promise((resolve) => raw.on("connection", (socket) => socket.once("data", resolve)));
    const server = await listen(raw);
    const clock = new VirtualClock();
    const failure = failureOf(ask(transportTo(server, using(trusting), clock)));
    await dialled;
    clock.advance(10_000);
    const error = await failure;
    expect([error.reason, error.message]).toEqual([
      "unreachable",
      `GET ${server}/api: no connection within 10000 ms; see whether the address is right and no firewall drops packets`,
    ]);
  });
});

describe("who we are", () => {
  test("is shown by our certificate", async () => {
    expect(await ask(transportTo(await listen(secureServer()), using(asClient)))).toBe("test fixture client");
  });

  test.each(["TLSv1.2", "TLSv1.3"] as const)(
    "is asked by a server that wants a certificate, with %s",
    async (maxVersion) => {
      const server = await listen(secureServer({ rejectUnauthorized: true, maxVersion }));
      const error = await failureOf(ask(transportTo(server, using(trusting))));
      expect(error.reason).toBe("untrusted");
      expect(error.message).toContain(
        `GET ${server}/api: the server broke off the TLS handshake; it wants a client certificate`,
      );
    },
  );

  test("is named as expired before a server turns it into a riddle", async () => {
    const clock = new VirtualClock(Date.UTC(2200, 0, 1));
    const error = await failureOf(ask(transportTo("https://127.0.0.1:1", using(asClient), clock)));
    expect(error.reason).toBe("untrusted");
    expect(error.message).toMatch(
      /^GET https:\/\/127\.0\.0\.1:1\/api: the client certificate expired at 2126-\d\d-.*; renew it or fetch a new kubeconfig$/,
    );
  });

  test.each<[string, TlsMaterial, string]>([
    ["an authority that is no PEM", { ca: "junk" }, "the certificate authority is not a PEM certificate"],
    ["a half-written authority", { ca: fixture.authority.slice(0, 200) }, "the certificate authority is not a PEM"],
    ["a certificate that is no PEM", { ...asClient, cert: "junk" }, "the client certificate is not a PEM certificate"],
    ["a certificate without key", { ...trusting, cert: fixture.clientCertificate }, "needs its key; no key is given"],
    ["a key without certificate", { ...trusting, key: fixture.clientKey }, "needs its key; only the key is given"],
    ["a key of another certificate", { ...asClient, key: fixture.serverKey }, "do not fit together"],
    ["a key that is no PEM", { ...asClient, key: "junk" }, "do not fit together, or the key is not an unencrypted PEM"],
  ])("cannot be shown with %s", async (_what, tls, message) => {
    const error = await failureOf(ask(transportTo("https://127.0.0.1:1", using(tls))));
    expect(error.reason).toBe("untrusted");
    expect(error.message).toContain("GET https://127.0.0.1:1/api: ");
    expect(error.message).toContain(message);
    expect(error.message).not.toContain("junk");
  });
});

describe("new TLS material", () => {
  test("is used for the next request; what is under way finishes on the old connection", async () => {
    let tls = trusting;
    const server = createServer(
      {
        key: fixture.serverKey,
        cert: fixture.serverCertificate,
        ca: fixture.authority,
        requestCert: true,
        rejectUnauthorized: false,
      },
      (request, response) => {
        const name = (request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? "nobody";
        response.write(`${name}\n`);
        if (request.url !== "/watch") response.end();
      },
    );
    const credentials = { current: () => Promise.resolve({ headers: {}, tls }), refused: () => undefined };
    const transport = transportTo(await listen(server), credentials);
    const read = async (path: string) => {
      const stream = await transport.stream({ ...get, path, lane: "watches" });
      const chunks = stream.chunks[Symbol.asyncIterator]();
      return { chunks, first: new TextDecoder().decode((await chunks.next()).value) };
    };
    const old = await read("/watch");
    tls = asClient;
    expect([old.first, (await read("/now")).first]).toEqual(["nobody\n", "test fixture client\n"]);
    // The old watch is still open: its next chunk has not come, and no error either.
    const next = old.chunks.next().then(
      () => "chunk or end",
      () => "error",
    );
    const later = new Promise((resolve) => setImmediate(() => resolve("still open")));
    expect(await Promise.race([next, later])).toBe("still open");
    await old.chunks.return?.();
  });

  test("that does not fit together is looked up again for the next request", async () => {
    let tls: TlsMaterial = { ...asClient, key: fixture.serverKey };
    const credentials = {
      current: () => Promise.resolve({ headers: {}, tls }),
      refused: () => {
        tls = asClient;
      },
    };
    const transport = transportTo(await listen(secureServer()), credentials);
    expect((await failureOf(ask(transport))).reason).toBe("untrusted");
    expect(await ask(transport)).toBe("test fixture client");
  });

  test("is looked up for the next request when the server's certificate is not trusted: its authority may be new", async () => {
    let tls: TlsMaterial = { ca: fixture.otherAuthority };
    const credentials = {
      current: () => Promise.resolve({ headers: {}, tls }),
      refused: () => {
        tls = trusting;
      },
    };
    const transport = transportTo(await listen(secureServer()), credentials);
    expect((await failureOf(ask(transport))).reason).toBe("untrusted");
    expect(await ask(transport)).toBe("nobody");
  });

  test("that equals the old keeps the connections", async () => {
    let connections = 0;
    const server = secureServer();
    server.on("secureConnection", () => {
      connections += 1;
    });
    const credentials = {
      current: () => Promise.resolve({ headers: {}, tls: { ...asClient } }),
      refused: () => undefined,
    };
    const transport = transportTo(await listen(server), credentials);
    for (let i = 0; i < 5; i++) {
      await ask(transport);
      await nextTurn();
    }
    expect(connections).toBe(1);
  });
});

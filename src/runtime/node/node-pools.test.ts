import { constants } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createRawServer, type Server, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, describe, expect, test, vi } from "vitest";
import { aGet, aPost, failureOf, LoopbackTransports, nextTurn } from "../../../sim/loopback-transports.ts";
import { fixedCredentials, type TlsMaterial } from "../../kube/config/credentials.ts";
import { authority, serverCertificate, serverKey } from "./testing/tls-fixture.ts";

const loopback = new LoopbackTransports();
afterEach(() => loopback.close());
const transportTo = (...to: Parameters<typeof loopback.transportTo>) => loopback.transportTo(...to);

/** A server, its address, and the connections that it has. */
async function serving(server: Server) {
  const open = new Set<Socket>();
  let count = 0;
  server.on("connection", (socket: Socket) => {
    count += 1;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  return { server: await loopback.listen(server), open, count: () => count };
}

/** Answers when it is told to. */
function holding() {
  const answers: (() => void)[] = [];
  const listener: RequestListener = (_request, response) => answers.push(() => response.end("{}"));
  return { answers, listener };
}

describe("who waits in line for a connection", () => {
  test("leaves it when the caller gives up, and its request is never sent", async () => {
    const { answers, listener } = holding();
    const { server } = await serving(createServer(listener));
    const transport = transportTo(server, { limits: { callSocketsMax: 1 } });
    const first = transport.request(aGet);
    const controller = new AbortController();
    const second = transport.request({ ...aPost, signal: controller.signal });
    const third = transport.request(aGet);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    controller.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    for (const request of [first, third]) {
      await vi.waitFor(() => expect(answers).toHaveLength(1));
      answers.shift()?.();
      await request;
    }
    expect(answers).toHaveLength(0);
  });

  test("gets a new one when the one it waits for breaks", async () => {
    let requests = 0;
    const raw = createRawServer((socket) => {
      socket.on("data", () => {
        requests += 1;
        if (requests === 1) socket.destroy();
        else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
      });
    });
    const { server, count } = await serving(raw);
    const transport = transportTo(server, { limits: { callSocketsMax: 1 } });
    const [first, second] = [failureOf(transport.request(aPost)), transport.request(aGet)];
    expect((await first).reason).toBe("broken");
    expect([(await second).status, count()]).toEqual([200, 2]);
  });

  test("is told when all connections are closed, as is who waits for an answer", async () => {
    const { answers, listener } = holding();
    const { server, open } = await serving(createServer(listener));
    const transport = transportTo(server, { limits: { callSocketsMax: 1 } });
    const failures = [failureOf(transport.request(aGet)), failureOf(transport.request(aGet))];
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    transport.close();
    expect((await Promise.all(failures)).map(({ reason }) => reason)).toEqual(["broken", "unreachable"]);
    await vi.waitFor(() => expect(open.size).toBe(0));
  });
});

describe("closing", () => {
  test("ends a read on a kept connection, which is not sent again", async () => {
    const { answers, listener } = holding();
    const { server, open, count } = await serving(createServer(listener));
    const transport = transportTo(server);
    const first = transport.request(aGet);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    answers.shift()?.();
    await first;
    await nextTurn();
    const second = failureOf(transport.request(aGet));
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    transport.close();
    expect((await second).reason).toBe("unreachable");
    await vi.waitFor(() => expect(open.size).toBe(0));
    expect(count()).toBe(1);
  });

  test("also ends what is under way with TLS material that has been replaced since", async () => {
    let tls: TlsMaterial = { ca: authority };
    const secure = createTlsServer({ cert: serverCertificate, key: serverKey }, (_request, response) => {
      response.write("{}");
    });
    const { server, open } = await serving(secure);
    const credentials = { current: async () => ({ headers: {}, tls }), refused: () => undefined };
    const transport = transportTo(server.replace("http://", "https://"), { credentials });
    for (const material of [{ ca: authority }, { skipVerify: true }]) {
      tls = material;
      await transport.stream({ ...aGet, lane: "watches" });
    }
    transport.close();
    await vi.waitFor(() => expect(open.size).toBe(0));
  });
});

test("a request after closing fails, and opens no connection", async () => {
  const { server, count } = await serving(createServer((_request, response) => response.end("{}")));
  const transport = transportTo(server);
  await transport.request(aGet);
  transport.close();
  const error = await failureOf(transport.request(aGet));
  expect([error.reason, count()]).toEqual(["unreachable", 1]);
  expect(error.message).toContain("all connections are closed");
});

describe("an idle connection", () => {
  const answering: RequestListener = (_request, response) => response.end("{}");

  test("that the server closes is forgotten", async () => {
    const { server, open, count } = await serving(createServer(answering));
    const transport = transportTo(server);
    await transport.request(aGet);
    for (const socket of open) socket.end();
    await vi.waitFor(() => expect(open.size).toBe(0));
    // A write would not be repeated on a connection that turns out to be dead.
    expect([(await transport.request(aPost)).status, count()]).toEqual([200, 2]);
  });

  test("is closed after a while, and one that waits for its answer is not", async () => {
    const { answers, listener } = holding();
    const { server, open } = await serving(createServer(listener));
    const transport = transportTo(server, { limits: { idleSocketMs: 20 } });
    const requests = [transport.request(aGet), transport.request(aGet)];
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers.shift()?.();
    await Promise.race(requests);
    await vi.waitFor(() => expect(open.size).toBe(1));
    answers.shift()?.();
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test("is not used again when the server has said that it closes it", async () => {
    const { server, count } = await serving(
      createServer((_request, response) => response.writeHead(200, { connection: "close" }).end("{}")),
    );
    const transport = transportTo(server);
    for (let i = 0; i < 3; i++) await transport.request(aPost);
    expect(count()).toBe(3);
  });
});

test("a connection on which the server goes on in another protocol carries no other request", async () => {
  const raw = createRawServer((socket) => {
    const answers = ["101 Switching\r\nconnection: upgrade\r\nupgrade: x", "200 OK\r\ncontent-length: 0"];
    socket.on("data", () => socket.write(`HTTP/1.1 ${answers.shift()}\r\n\r\n`));
  });
  const { server, count } = await serving(raw);
  const transport = transportTo(server);
  for (let i = 0; i < 2; i++) expect((await failureOf(transport.request(aGet))).reason).toBe("garbled");
  expect(count()).toBe(2);
});

describe("a host", () => {
  test("may have several addresses, of which not all answer", async () => {
    const { server } = await serving(createServer((_request, response) => response.end("{}")));
    const named = server.replace("127.0.0.1", "localhost");
    expect((await transportTo(named).request(aGet)).status).toBe(200);
  });

  test("may have several addresses behind TLS, and hears its name", async () => {
    const names: unknown[] = [];
    const tls = createTlsServer({ cert: serverCertificate, key: serverKey }, (request, response) => {
      names.push((request.socket as TLSSocket).servername, request.headers.host);
      response.end("{}");
    });
    const { server } = await serving(tls);
    const named = server.replace("http://127.0.0.1", "https://localhost");
    const credentials = fixedCredentials({ tls: { skipVerify: true } });
    expect((await transportTo(named, { credentials }).request(aGet)).status).toBe(200);
    expect(names).toEqual(["localhost", named.replace("https://", "")]);
  });

  test("shakes hands once for several connections that follow each other", async () => {
    const resumed: boolean[] = [];
    const tls = createTlsServer({ cert: serverCertificate, key: serverKey }, (request, response) => {
      resumed.push((request.socket as TLSSocket).isSessionReused());
      response.writeHead(200, { connection: "close" }).end("{}");
    });
    const { server } = await serving(tls);
    const credentials = fixedCredentials({ tls: { ca: authority } });
    const transport = transportTo(server.replace("http://", "https://"), { credentials });
    await transport.request(aGet);
    await transport.request(aGet);
    expect(resumed).toEqual([false, true]);
  });
});

test("a server that chokes on the session of an earlier handshake is shaken hands with anew", async () => {
  const known = new Set<string>();
  const tls = createTlsServer(
    { cert: serverCertificate, key: serverKey, maxVersion: "TLSv1.2", secureOptions: constants.SSL_OP_NO_TICKET },
    (_request, response) => response.writeHead(200, { connection: "close" }).end("{}"),
  );
  tls.on("newSession", (id: Buffer, _session: Buffer, done: () => void) => {
    known.add(id.toString("hex"));
    done();
  });
  tls.on("resumeSession", (id: Buffer, done: (error: Error | null, session: null) => void) =>
    done(known.has(id.toString("hex")) ? new Error("the store is broken") : null, null),
  );
  const { server } = await serving(tls);
  const credentials = fixedCredentials({ tls: { ca: authority } });
  const transport = transportTo(server.replace("http://", "https://"), { credentials });
  await transport.request(aGet);
  expect((await failureOf(transport.request(aGet))).reason).toBe("unreachable");
  expect((await transport.request(aGet)).status).toBe(200);
});

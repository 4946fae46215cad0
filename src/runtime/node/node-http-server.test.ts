import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { Handler } from "../http/http-routes.ts";
import { logToList } from "../log/testing/log-to-list.ts";
import { type HttpLimits, NodeHttpServer } from "./node-http-server.ts";

const open: NodeHttpServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop(0);
});

/** No time to drain is over at once, any other time never. */
const clock = {
  after: (delayMs: number, work: () => void) => {
    if (delayMs === 0) setImmediate(work);
    return () => {};
  },
};

async function aServer(handlers: Record<string, Handler>, limits: Partial<HttpLimits> = {}) {
  const { log, lines } = logToList();
  const routes = new Map(Object.entries(handlers));
  const server = new NodeHttpServer({ name: "test", routes, port: 0, host: "127.0.0.1", clock, log, limits });
  open.push(server);
  return { server, port: await server.start(), lines };
}

type Got = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

function ask(port: number, line: string, sent: { headers?: Record<string, string>; body?: string | Buffer } = {}) {
  const [method = "", path = ""] = line.split(" ");
  return new Promise<Got>((resolve, reject) => {
    const out = request({ port, host: "127.0.0.1", method, path, headers: sent.headers, agent: false }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece) => pieces.push(piece));
      answer.on("error", reject);
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces).toString() }),
      );
    });
    out.on("error", reject);
    out.end(sent.body);
  });
}

test("a handler sees method, path, query, headers and body, and its answer arrives whole", async () => {
  const { port } = await aServer({
    "POST /echo": ({ method, path, query, headers, body }) => ({
      status: 201,
      headers: { "content-type": "text/x-test" },
      body: `${method} ${path} ${query.get("a")} ${headers["x-b"]} ${Buffer.from(body)}`,
    }),
  });
  const got = await ask(port, "POST /echo?a=1", { headers: { "x-b": "2" }, body: "3" });
  expect([got.status, got.body, got.headers["content-type"]]).toEqual([201, "POST /echo 1 2 3", "text/x-test"]);
  expect(got.headers["x-content-type-options"]).toBe("nosniff");
});

test("unknown paths and methods are answered, never redirected, and HEAD has no body", async () => {
  const { port } = await aServer({ "GET /a": () => ({ status: 200, body: "hello" }) });
  const statuses = await Promise.all(
    ["GET /b", "PUT /a", "GET /a/", "GET //a", "HEAD /a"].map((line) => ask(port, line)),
  );
  expect(statuses.map(({ status }) => status)).toEqual([404, 405, 404, 404, 200]);
  expect([statuses[1]?.headers.allow, statuses[4]?.body, statuses[4]?.headers["content-length"]]).toEqual([
    "GET",
    "",
    "5",
  ]);
});

test("a handler that throws is a 500 that says nothing of why; the log does", async () => {
  const { port, lines } = await aServer({
    "GET /a": () => {
      throw new Error("secret reason");
    },
  });
  const got = await ask(port, "GET /a?token=x");
  expect([got.status, got.body]).toEqual([500, "internal error\n"]);
  expect(lines).toMatchObject([{ level: "error", fields: { path: "/a", error: new Error("secret reason") } }]);
});

test.each([
  ["announced", { "content-length": "2000" }],
  ["chunked", { "transfer-encoding": "chunked" }],
])("a body that is too long is refused when %s", async (_, headers) => {
  const { port } = await aServer({ "POST /a": () => ({ status: 200 }) }, { bodyBytesMax: 1_000 });
  const got = await ask(port, "POST /a", { headers, body: "x".repeat(2_000) });
  expect([got.status, got.headers.connection]).toEqual([413, "close"]);
});

test("a body of exactly the limit passes, and a compressed one is not looked at", async () => {
  const { port } = await aServer({ "POST /a": () => ({ status: 200 }) }, { bodyBytesMax: 1_000 });
  expect((await ask(port, "POST /a", { body: "x".repeat(1_000) })).status).toBe(200);
  expect((await ask(port, "POST /a", { headers: { "content-encoding": "gzip" }, body: "x" })).status).toBe(415);
});

test("more requests at once than allowed are turned away", async () => {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const handler: Handler = async () => {
    entered.resolve();
    await gate.promise;
    return { status: 200 };
  };
  const { port } = await aServer({ "GET /a": handler }, { requestsMax: 1 });
  const first = ask(port, "GET /a");
  await entered.promise;
  expect((await ask(port, "GET /a")).status).toBe(503);
  gate.resolve();
  expect((await first).status).toBe(200);
});

/** Sends these bytes and nothing more; returns what came back before the server closed the connection. */
function sendAndWait(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.on("data", (piece) => {
      text += piece;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
}

test("a body that never ends is refused at the limit, with an answer", async () => {
  const { port } = await aServer({ "POST /a": () => ({ status: 200 }) }, { bodyBytesMax: 1_000 });
  const start = "POST /a HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
  expect(await sendAndWait(port, `${start}7d0\r\n${"x".repeat(2_000)}\r\n`)).toContain("413");
});

test("a client that never finishes its request is cut off", async () => {
  const { port } = await aServer({ "POST /a": () => ({ status: 200 }) }, { headersMs: 40, requestMs: 40 });
  const said = await sendAndWait(port, "POST /a HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab");
  expect(said).not.toContain("200");
});

test("a sequence is sent piece by piece and ends when the client goes", async () => {
  const ended = Promise.withResolvers<string>();
  const { port } = await aServer({
    "GET /stream": ({ signal }) => ({
      status: 200,
      body: (async function* () {
        try {
          for (let i = 0; !signal.aborted; i++) yield `${i}\n`;
        } finally {
          ended.resolve("ended");
        }
      })(),
    }),
  });
  await new Promise<void>((resolve) => {
    const out = request({ port, host: "127.0.0.1", path: "/stream", agent: false }, (answer) => {
      answer.once("data", () => {
        out.destroy();
        resolve();
      });
      answer.on("error", () => {});
    });
    out.on("error", () => {});
    out.end();
  });
  expect(await ended.promise).toBe("ended");
});

test("stop() lets a running request finish and takes no new one", async () => {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const { server, port } = await aServer({
    "GET /a": async () => {
      entered.resolve();
      await gate.promise;
      return { status: 200, body: "done" };
    },
  });
  const running = ask(port, "GET /a");
  await entered.promise;
  const stopped = server.stop(60_000);
  // Somebody else may have got the port meanwhile; then it is that one who does not know us.
  await expect(ask(port, "GET /a")).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
  gate.resolve();
  expect((await running).body).toBe("done");
  await stopped;
  open.length = 0;
});

test("stop() does not wait for a client that is connected and asks nothing", async () => {
  const { server, port } = await aServer({});
  const client = connect(port, "127.0.0.1");
  await once(client, "connect");
  const closed = once(client, "close");
  // Without a request the server may not have seen the connection yet; one over another connection comes after it.
  await ask(port, "GET /nothing");
  await server.stop(60_000);
  await closed;
  open.length = 0;
});

test("stop() closes what outlives the drain time", async () => {
  const entered = Promise.withResolvers<void>();
  const { server, port } = await aServer({
    "GET /a": () => {
      entered.resolve();
      return new Promise(() => {});
    },
  });
  const running = ask(port, "GET /a").catch((error) => error.code);
  await entered.promise;
  await server.stop(0);
  expect(await running).toBe("ECONNRESET");
  open.length = 0;
});

test("a port that is taken makes start() fail and says so", async () => {
  const { port } = await aServer({});
  const { log } = logToList();
  const second = new NodeHttpServer({ name: "x", routes: new Map(), port, host: "127.0.0.1", clock, log });
  await expect(second.start()).rejects.toThrow("EADDRINUSE");
});

import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Server as RawServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { type CredentialSource, type Credentials, fixedCredentials } from "../kube/credentials.ts";
import type { HttpRequest } from "../kube/transport.ts";
import { TransportError } from "../kube/transport-error.ts";
import { createNodeTransport, type NodeTransport, type NodeTransportOptions } from "./node-transport.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Listens on a free loopback port until the test ends. */
async function listen(server: Server | RawServer): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function transportTo(
  server: string,
  changes: Partial<NodeTransportOptions> = {},
): NodeTransport & { clock: VirtualClock } {
  const clock = new VirtualClock();
  const transport = createNodeTransport({ server, clock, credentials: fixedCredentials(), ...changes });
  closers.push(() => transport.close());
  return { ...transport, clock };
}

const get: HttpRequest = { method: "GET", path: "/api/v1/pods?limit=5&continue=longtoken", headers: {}, lane: "calls" };
const post: HttpRequest = { ...get, method: "POST", path: "/api/v1/pods", body: "{}" };
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const failureOf = (end: Promise<unknown>) =>
  end.then(
    () => expect.unreachable("it was answered"),
    (error: unknown) => error as TransportError,
  );

describe("an exchange", () => {
  test("carries method, path, headers and body both ways", async () => {
    const server = await listen(
      createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
          const { method, url, headers } = request;
          response.writeHead(201, { "content-type": "application/json", "x-many": ["a", "b"] });
          response.end(
            JSON.stringify({ method, url, type: headers["content-type"], body: `${Buffer.concat(chunks)}` }),
          );
        });
      }),
    );
    const transport = transportTo(`${server}/k8s/cluster-1/`);
    const answer = await transport.request({
      ...post,
      headers: { "content-type": "application/json" },
      body: '{"ü":1}',
    });
    expect(answer.status).toBe(201);
    expect(answer.headers["x-many"]).toBe("a, b");
    expect(JSON.parse(textOf(answer.body))).toEqual({
      method: "POST",
      url: "/k8s/cluster-1/api/v1/pods",
      type: "application/json",
      body: '{"ü":1}',
    });
  });

  test("with a bad status is an answer, not an error", async () => {
    const server = await listen(createServer((_request, response) => response.writeHead(500).end("oops")));
    const answer = await transportTo(server).request(get);
    expect([answer.status, textOf(answer.body)]).toEqual([500, "oops"]);
  });

  test("leaves no timer behind", async () => {
    const server = await listen(createServer((_request, response) => response.end("{}")));
    const transport = transportTo(server);
    await transport.request(get);
    expect(transport.clock.nextDueMs()).toBeUndefined();
  });
});

describe("connections", () => {
  async function counting(handler: RequestListener) {
    let connections = 0;
    const server = createServer(handler);
    server.on("connection", () => {
      connections += 1;
    });
    return { server: await listen(server), connections: () => connections };
  }

  test("are kept and used again", async () => {
    const { server, connections } = await counting((_request, response) => response.end("{}"));
    const transport = transportTo(server);
    for (let i = 0; i < 20; i++) await transport.request(get);
    expect(connections()).toBe(1);
  });

  test("never exceed the limit of their lane, and lanes do not wait for each other", async () => {
    const held: (() => void)[] = [];
    const { server, connections } = await counting((request, response) => {
      if (request.url === "/now") response.end("{}");
      else held.push(() => response.end("{}"));
    });
    const transport = transportTo(server, { limits: { callSocketsMax: 2 } });
    const calls = Array.from({ length: 6 }, () => transport.request(get));
    await transport.request({ ...get, path: "/now", lane: "lease" });
    await transport.request({ ...get, path: "/now", lane: "watches" });
    expect(connections()).toBe(4);
    let answered = 0;
    for (const call of calls) call.then(() => (answered += 1)).catch(() => undefined);
    while (answered < 6) {
      held.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(connections()).toBe(4);
  });

  test("found dead are replaced once, without the caller noticing, where a repeat is harmless", async () => {
    let requests = 0;
    const raw = createRawServer((socket) => {
      socket.on("data", () => {
        requests += 1;
        // The second request on a kept connection meets a server that has just closed it.
        if (requests === 2) socket.destroy();
        else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
      });
    });
    const transport = transportTo(await listen(raw));
    await transport.request(get);
    expect((await transport.request(get)).status).toBe(200);
    expect(requests).toBe(3);
  });

  test.each([
    ["a write that may act twice", post, 2],
    ["a write that is harmless twice", { ...post, repeatable: true }, 3],
  ])("found dead by %s", async (_what, request, expectedRequests) => {
    let requests = 0;
    const raw = createRawServer((socket) => {
      socket.on("data", () => {
        requests += 1;
        if (requests === 2) socket.destroy();
        else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
      });
    });
    const transport = transportTo(await listen(raw));
    await transport.request(get);
    const end = await transport.request(request).then(
      (answer) => answer.status,
      (error: TransportError) => error.reason,
    );
    expect([end, requests]).toEqual([expectedRequests === 3 ? 200 : "broken", expectedRequests]);
  });

  test("that are new and break are not replaced: the caller decides", async () => {
    let requests = 0;
    const raw = createRawServer((socket) => {
      socket.on("data", () => {
        requests += 1;
        socket.destroy();
      });
    });
    const error = await failureOf(transportTo(await listen(raw)).request(get));
    expect([error.reason, requests]).toEqual(["broken", 1]);
  });
});

describe("credentials", () => {
  const bearer = (token: string): Credentials => ({ headers: { authorization: `Bearer ${token}` }, tls: {} });
  /** Hands out the next token after each refusal, until there is no other. */
  function rotating(tokens: readonly string[]): CredentialSource {
    const all = tokens.map(bearer);
    let index = 0;
    return {
      current: () => Promise.resolve(all[index] ?? bearer("none")),
      refused: () => {
        index = Math.min(index + 1, all.length - 1);
      },
    };
  }
  const accepting = (token: string): RequestListener => {
    return (request, response) => {
      const isKnown = request.headers.authorization === `Bearer ${token}`;
      response.writeHead(isKnown ? 200 : 401).end("{}");
    };
  };

  test("that were refused are looked up again and the request is repeated, whatever its method", async () => {
    const server = await listen(createServer(accepting("new")));
    const transport = transportTo(server, { credentials: rotating(["old", "new"]) });
    expect((await transport.request(post)).status).toBe(200);
  });

  test("that stay the same after a refusal are not tried twice", async () => {
    let requests = 0;
    const server = await listen(
      createServer((_request, response) => {
        requests += 1;
        response.writeHead(401).end("{}");
      }),
    );
    const transport = transportTo(server, { credentials: rotating(["only"]) });
    expect((await transport.request(get)).status).toBe(401);
    expect(requests).toBe(1);
  });

  test("may name several groups to act as", async () => {
    const server = await listen(
      createServer((request, response) => response.end(JSON.stringify(request.headersDistinct["impersonate-group"]))),
    );
    const credentials = fixedCredentials({ headers: { "impersonate-group": ["a", "b"] } });
    const answer = await transportTo(server, { credentials }).request(get);
    expect(JSON.parse(textOf(answer.body))).toEqual(["a", "b"]);
  });

  test("never appear in an error", async () => {
    const credentials = fixedCredentials({ headers: { authorization: "Bearer s3cret" } });
    const raw = createRawServer((socket) => socket.on("data", () => socket.end("garbage s3cret\r\n\r\n")));
    const error = await failureOf(transportTo(await listen(raw), { credentials }).request(get));
    const own = JSON.stringify(error, Object.getOwnPropertyNames(error));
    expect(`${error.message} ${error.stack} ${own}`).not.toContain("s3cret");
  });
});

describe("a server that misbehaves", () => {
  const ok = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
  type Row = [what: string, answer: string, closes: boolean, reason: string, message: string];
  const rows: Row[] = [
    ["speaks no HTTP", "SSH-2.0-OpenSSH_9.6\r\n\r\n", true, "garbled", "what came back is not HTTP"],
    ["has a broken status line", "HTTP/1.1 abc what\r\n\r\n", true, "garbled", "what came back is not HTTP"],
    ["closes without a word", "", true, "broken", "the connection closed before the answer was complete"],
    [
      "closes within the head",
      "HTTP/1.1 200 OK\r\ncontent-ty",
      true,
      "broken",
      "the connection closed before the answer",
    ],
    [
      "closes within the body",
      `${ok}content-length: 500\r\n\r\n{"a":`,
      true,
      "broken",
      "the connection closed after 5 of 500 bytes of the answer; see whether a proxy in between cuts answers",
    ],
    [
      "closes within a chunked body",
      `${ok}transfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n`,
      true,
      "broken",
      "the connection closed after 5 bytes of the answer",
    ],
    [
      "announces more than we take",
      `${ok}content-length: 2000\r\n\r\n`,
      false,
      "too-large",
      "is longer than 1000 bytes",
    ],
    ["sends more than we take", `${ok}\r\n${"x".repeat(2000)}`, false, "too-large", "is longer than 1000 bytes"],
    ["sends a head without end", `HTTP/1.1 200 OK\r\nx: ${"x".repeat(70_000)}`, false, "garbled", "larger than 16 KiB"],
    [
      "sends a web page",
      "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 6\r\n\r\n<html>",
      false,
      "garbled",
      "answered with a web page; give the address of the API server, not of a login page or a proxy",
    ],
    [
      "sends us elsewhere",
      "HTTP/1.1 302 Found\r\nlocation: https://login.example.com/x?code=s3cret\r\ncontent-length: 0\r\n\r\n",
      false,
      "garbled",
      "answered with a redirect (302) to https://login.example.com, which is not followed; give the final address as server",
    ],
    [
      "sends us elsewhere on the same host",
      "HTTP/1.1 308 Permanent Redirect\r\nlocation: /login\r\ncontent-length: 0\r\n\r\n",
      false,
      "garbled",
      "answered with a redirect (308) to another path",
    ],
    [
      "sends an encoding that nobody asked for",
      `${ok}content-encoding: br\r\ncontent-length: 2\r\n\r\n{}`,
      false,
      "garbled",
      'the answer is encoded as "br", which nobody asked for',
    ],
  ];

  test.each(rows)("%s", async (_what, answer, closes, reason, message) => {
    const raw = createRawServer((socket) => {
      socket.once("data", () => (closes ? socket.end(answer) : socket.write(answer)));
    });
    const server = await listen(raw);
    const error = await failureOf(transportTo(server).request({ ...get, answerBytesMax: 1_000 }));
    expect(error).toBeInstanceOf(TransportError);
    expect(error.message).toContain(`GET ${server}/api/v1/pods: `);
    expect(error.message).toContain(message);
    expect(error.message).not.toMatch(/longtoken|s3cret/);
    expect(error.reason).toBe(reason);
  });

  test("understates its length: the surplus never becomes the next answer", async () => {
    let requests = 0;
    const raw = createRawServer((socket) => {
      socket.on("data", () => {
        requests += 1;
        const surplus = requests === 1 ? '{"evil":1}HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n"evil"' : "";
        socket.write(`${ok}content-length: 2\r\n\r\n{}${surplus}`);
      });
    });
    const transport = transportTo(await listen(raw));
    const first = await transport.request(get).then((answer) => textOf(answer.body));
    const second = await transport.request(get).then((answer) => textOf(answer.body));
    expect([first, second]).toEqual(["{}", "{}"]);
  });

  test("sends one line of 10 MB: it is read when we allow it", async () => {
    const line = `"${"x".repeat(10_000_000)}"`;
    const server = await listen(createServer((_request, response) => response.end(line)));
    const answer = await transportTo(server).request({ ...get, answerBytesMax: 16_000_000 });
    expect(answer.body.byteLength).toBe(10_000_002);
  });

  test("never answers", async () => {
    const raw = createRawServer();
    const asked = new Promise((resolve) => raw.on("connection", (socket) => socket.once("data", resolve)));
    const server = await listen(raw);
    const transport = transportTo(server);
    const failure = failureOf(transport.request(get));
    await asked;
    transport.clock.advance(70_000);
    const error = await failure;
    expect(error.reason).toBe("timeout");
    expect(error.message).toBe(
      `GET ${server}/api/v1/pods: no answer within 70000 ms; see whether the API server is overloaded`,
    );
  });

  test("overstates its length and then stands still", async () => {
    const raw = createRawServer((socket) =>
      socket.once("data", () => socket.write(`${ok}content-length: 500\r\n\r\n{`)),
    );
    const server = await listen(raw);
    const transport = transportTo(server);
    const stream = transport.request(get);
    const failure = failureOf(stream);
    while (transport.clock.nextDueMs() !== 30_000) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    transport.clock.advance(30_000);
    const error = await failure;
    expect(error.reason).toBe("timeout");
    expect(error.message).toContain(`GET ${server}/api/v1/pods: the answer stood still for 30000 ms after`);
  });

  test("is not there", async () => {
    const server = createRawServer();
    const address = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const error = await failureOf(transportTo(address).request(post));
    expect(error.reason).toBe("unreachable");
    expect(error.message).toBe(
      `POST ${address}/api/v1/pods: connection refused; ` +
        "see whether the API server is running and its address is right (ECONNREFUSED)",
    );
  });
});

describe("an abort", () => {
  test("ends a request that waits for its answer, with the caller's reason", async () => {
    const controller = new AbortController();
    const server = await listen(createServer(() => controller.abort(new Error("enough"))));
    await expect(transportTo(server).request({ ...get, signal: controller.signal })).rejects.toThrow("enough");
  });

  test("ends a body that is being read", async () => {
    const controller = new AbortController();
    const server = await listen(createServer((_request, response) => response.write("{")));
    const stream = await transportTo(server).stream({ ...get, signal: controller.signal });
    const chunks = stream.chunks[Symbol.asyncIterator]();
    await chunks.next();
    controller.abort(new Error("enough"));
    await expect(chunks.next()).rejects.toThrow("enough");
  });

  test("beforehand sends nothing", async () => {
    const request = { ...get, signal: AbortSignal.abort(new Error("enough")) };
    await expect(transportTo("http://127.0.0.1:1").request(request)).rejects.toThrow("enough");
  });
});

describe("a stream", () => {
  const watch: HttpRequest = { ...get, lane: "watches" };

  test("hands over what comes and ends when the server ends it", async () => {
    const server = await listen(
      createServer((_request, response) => {
        response.write("one\n");
        setImmediate(() => response.end("two\n"));
      }),
    );
    const stream = await transportTo(server).stream(watch);
    let text = "";
    for await (const chunk of stream.chunks) text += textOf(chunk);
    expect([stream.status, text]).toEqual([200, "one\ntwo\n"]);
  });

  test("that breaks rejects; what came before is not lost", async () => {
    const server = await listen(
      createServer((_request, response) => {
        response.write("one\n", () => response.destroy());
      }),
    );
    const stream = await transportTo(server).stream(watch);
    let text = "";
    const read = async () => {
      for await (const chunk of stream.chunks) text += textOf(chunk);
    };
    expect((await failureOf(read())).reason).toBe("broken");
    expect(text).toBe("one\n");
  });

  test.each([
    ["left in the middle", true],
    ["never read", false],
  ])("that is %s closes its connection", async (_what, reads) => {
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await listen(
      createServer((_request, response) => {
        response.write("one\n");
        response.on("close", closed);
      }),
    );
    const stream = await transportTo(server).stream(watch);
    const chunks = stream.chunks[Symbol.asyncIterator]();
    if (reads) await chunks.next();
    await chunks.return?.();
    await isClosed;
  });

  test("that breaks before anybody reads it harms nobody", async () => {
    const server = await listen(
      createServer((_request, response) => {
        response.write("one\n", () => setImmediate(() => response.destroy()));
      }),
    );
    const stream = await transportTo(server).stream(watch);
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    const read = async () => {
      for await (const _chunk of stream.chunks);
    };
    expect(await failureOf(read())).toBeInstanceOf(TransportError);
  });

  test("has no limit of size or silence of its own", async () => {
    const server = await listen(createServer((_request, response) => response.write("x".repeat(5_000))));
    const transport = transportTo(server, { limits: { answerBytesMax: 1_000 } });
    const stream = await transport.stream(watch);
    const chunks = stream.chunks[Symbol.asyncIterator]();
    const { value } = await chunks.next();
    expect(value?.byteLength).toBeGreaterThan(1_000);
    expect(transport.clock.nextDueMs()).toBeUndefined();
  });
});

describe("gzip", () => {
  const packed = (text: string): RequestListener => {
    return (request, response) => {
      const isWanted = request.headers["accept-encoding"]?.includes("gzip") ?? false;
      if (isWanted) response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(text));
      else response.end(text);
    };
  };

  test("is not asked for unless the line is slow", async () => {
    const server = await listen(createServer(packed('{"a":1}')));
    const answer = await transportTo(server).request(get);
    expect([answer.headers["content-encoding"], textOf(answer.body)]).toEqual([undefined, '{"a":1}']);
  });

  test("is undone before the caller sees it", async () => {
    const server = await listen(createServer(packed('{"a":1}')));
    const answer = await transportTo(server, { acceptsGzip: true }).request(get);
    expect([answer.headers["content-encoding"], textOf(answer.body)]).toEqual(["gzip", '{"a":1}']);
  });

  test("that unpacks to more than we take is refused", async () => {
    const server = await listen(createServer(packed("x".repeat(10_000_000))));
    const request = { ...get, answerBytesMax: 100_000 };
    expect((await failureOf(transportTo(server, { acceptsGzip: true }).request(request))).reason).toBe("too-large");
  });

  test("that is none is an error", async () => {
    const server = await listen(
      createServer((_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip")),
    );
    const error = await failureOf(transportTo(server, { acceptsGzip: true }).request(get));
    expect([error.reason, error.message]).toEqual([
      "garbled",
      `GET ${server}/api/v1/pods: its answer is not the gzip that it claims to be (Z_DATA_ERROR)`,
    ]);
  });
});

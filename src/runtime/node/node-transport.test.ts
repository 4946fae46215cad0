import { createServer, type RequestListener } from "node:http";
import { createServer as createRawServer, type Server } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { aGet, aPost, failureOf, LoopbackTransports, nextTurn, textOf } from "../../../sim/loopback-transports.ts";
import { type CredentialSource, type Credentials, fixedCredentials } from "../../kube/config/credentials.ts";

const loopback = new LoopbackTransports();
afterEach(() => loopback.close());
const listen = (server: Server) => loopback.listen(server);
const transportTo = (...to: Parameters<typeof loopback.transportTo>) => loopback.transportTo(...to);

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
      ...aPost,
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
    const answer = await transportTo(server).request(aGet);
    expect([answer.status, textOf(answer.body)]).toEqual([500, "oops"]);
  });

  test("leaves no timer behind", async () => {
    const server = await listen(createServer((_request, response) => response.end("{}")));
    const transport = transportTo(server);
    await transport.request(aGet);
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
    for (let i = 0; i < 20; i++) {
      await transport.request(aGet);
      await nextTurn();
    }
    expect(connections()).toBe(1);
  });

  test("never exceed the limit of their lane, and lanes do not wait for each other", async () => {
    const held: (() => void)[] = [];
    const { server, connections } = await counting((request, response) => {
      if (request.url === "/now") response.end("{}");
      else held.push(() => response.end("{}"));
    });
    const transport = transportTo(server, { limits: { callSocketsMax: 2 } });
    const calls = Array.from({ length: 6 }, () => transport.request(aGet));
    await transport.request({ ...aGet, path: "/now", lane: "lease" });
    await transport.request({ ...aGet, path: "/now", lane: "watches" });
    expect(connections()).toBe(4);
    let answered = 0;
    for (const call of calls) call.then(() => (answered += 1)).catch(() => undefined);
    while (answered < 6) {
      held.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(connections()).toBe(4);
  });

  test("of the lease lane are one at a time", async () => {
    const held: (() => void)[] = [];
    const { server, connections } = await counting((_request, response) => held.push(() => response.end("{}")));
    const transport = transportTo(server);
    const calls = [1, 2, 3].map(() => transport.request({ ...aGet, lane: "lease" }));
    for (const call of calls) {
      await vi.waitFor(() => expect(held).toHaveLength(1));
      held.shift()?.();
      await call;
    }
    expect(connections()).toBe(1);
  });

  test("that others have used are up: who waited for one is not told that there was none", async () => {
    const answers: (() => void)[] = [];
    const { server } = await counting((_request, response) => answers.push(() => response.end("{}")));
    const transport = transportTo(server, { limits: { callSocketsMax: 1 } });
    const first = transport.request(aGet);
    const second = failureOf(transport.request(aPost));
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    answers.shift()?.();
    await first;
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    transport.clock.advance(10_000);
    transport.clock.advance(60_000);
    // "unreachable" would let even a create be sent again.
    expect((await second).reason).toBe("timeout");
  });

  test("found dead by a read are replaced once, without the caller noticing", async () => {
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
    await transport.request(aGet);
    await nextTurn();
    expect((await transport.request(aGet)).status).toBe(200);
    expect(requests).toBe(3);
  });

  test("found dead by a write are not replaced: only the caller can tell what a second answer means", async () => {
    let requests = 0;
    const raw = createRawServer((socket) => {
      socket.on("data", () => {
        requests += 1;
        if (requests === 2) socket.destroy();
        else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
      });
    });
    const transport = transportTo(await listen(raw));
    await transport.request(aGet);
    await nextTurn();
    expect([(await failureOf(transport.request(aPost))).reason, requests]).toEqual(["broken", 2]);
  });

  test("that are new and break are not replaced: the caller decides", async () => {
    let requests = 0;
    const raw = createRawServer((socket) => {
      socket.on("data", () => {
        requests += 1;
        socket.destroy();
      });
    });
    const error = await failureOf(transportTo(await listen(raw)).request(aGet));
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

  /** Says 401 in a body that does not end, and tells when its connection is closed. */
  async function refusing() {
    let close: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const server = createServer((_request, response) => {
      response.on("close", close).writeHead(401).write("{");
    });
    return { server: await listen(server), closed };
  }

  test("that were refused are looked up again and the request is repeated, whatever its method", async () => {
    const server = await listen(createServer(accepting("new")));
    const transport = transportTo(server, { credentials: rotating(["old", "new"]) });
    expect((await transport.request(aPost)).status).toBe(200);
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
    expect((await transport.request(aGet)).status).toBe(401);
    expect(requests).toBe(1);
  });

  test("that cannot be renewed after a refusal are an error, and the connection is given back", async () => {
    const { server, closed } = await refusing();
    let isRefused = false;
    const credentials: CredentialSource = {
      current: () => (isRefused ? Promise.reject(new Error("login: no such program")) : Promise.resolve(bearer("old"))),
      refused: () => {
        isRefused = true;
      },
    };
    await expect(transportTo(server, { credentials }).request(aGet)).rejects.toThrow("login: no such program");
    await closed;
  });

  test("may name several groups to act as", async () => {
    const server = await listen(
      createServer((request, response) => response.end(JSON.stringify(request.headersDistinct["impersonate-group"]))),
    );
    const credentials = fixedCredentials({ headers: { "impersonate-group": ["a", "b"] } });
    const answer = await transportTo(server, { credentials }).request(aGet);
    expect(JSON.parse(textOf(answer.body))).toEqual(["a", "b"]);
  });

  test("never appear in an error", async () => {
    const credentials = fixedCredentials({ headers: { authorization: "Bearer s3cret" } });
    const raw = createRawServer((socket) => socket.on("data", () => socket.end("garbage s3cret\r\n\r\n")));
    const error = await failureOf(transportTo(await listen(raw), { credentials }).request(aGet));
    const own = JSON.stringify(error, Object.getOwnPropertyNames(error));
    expect(`${error.message} ${error.stack} ${own}`).not.toContain("s3cret");
  });
});

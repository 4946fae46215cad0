import { createServer } from "node:http";
import { createServer as createRawServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { aGet, aPost, failureOf, LoopbackTransports, textOf } from "../../../sim/loopback-transports.ts";
import { fixedCredentials } from "../../kube/config/credentials.ts";
import { TransportError } from "../../kube/transport-error.ts";
import { authority, serverCertificate, serverKey } from "./testing/tls-fixture.ts";

const loopback = new LoopbackTransports();
afterEach(() => loopback.close());
const listen = (server: Server) => loopback.listen(server);
const transportTo = (...to: Parameters<typeof loopback.transportTo>) => loopback.transportTo(...to);

/** What a server writes at once, at most. */
const RECORD_BYTES = 16 * 1024;

describe("a server that misbehaves", () => {
  const ok = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
  const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
  /** Answers that two readers could understand in two ways. */
  const unclear: (readonly [what: string, answer: string])[] = [
    ["a length and chunks", `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["two lengths", `${ok}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
    ["a negative length", `${ok}content-length: -1\r\n\r\n{}`],
    ["a length in hexadecimal", `${ok}content-length: 0x2\r\n\r\n{}`],
    ["a length beyond numbers", `${ok}content-length: 99999999999999999999\r\n\r\n{}`],
    ["an empty length", `${ok}content-length:\r\n\r\n{}`],
    ["a chunk without size", `${chunked}\r\nabc`],
    ["a chunk with a size that is no number", `${chunked}xyz\r\nabc`],
    ["a chunk with a negative size", `${chunked}-1\r\nabc`],
    ["a chunk that is longer than it says", `${chunked}2\r\nabc\r\n0\r\n\r\n`],
    ["something else behind its last chunk", `${chunked}0\r\nabc\r\n\r\n`],
    ["a bare line break in its head", "HTTP/1.1 200 OK\nx: y\r\ncontent-length: 0\r\n\r\n"],
    ["a header without a colon", `${ok}no colon\r\n\r\n`],
    ["a blank before the colon", `${ok}name : y\r\ncontent-length: 0\r\n\r\n`],
    ["a folded header", `${ok}x: y\r\n folded\r\ncontent-length: 0\r\n\r\n`],
    ["a carriage return within a header", `${ok}x: a\rb\r\ncontent-length: 0\r\n\r\n`],
    ["a zero byte within a header", `${ok}x: a\0b\r\ncontent-length: 0\r\n\r\n`],
    ["another version of HTTP", "HTTP/3.7 200 OK\r\ncontent-length: 0\r\n\r\n"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n"],
  ];
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
      "wants to speak another protocol",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\nxx",
      false,
      "garbled",
      "wants to go on in another protocol (101), which nobody asked for; see whether a proxy in between answers",
    ],
    [
      "sends an encoding that nobody asked for",
      `${ok}content-encoding: br\r\ncontent-length: 2\r\n\r\n{}`,
      false,
      "garbled",
      'the answer is encoded as "br", which nobody asked for',
    ],
    [
      "sends trailers without end",
      `${chunked}0\r\n${"x: y\r\n".repeat(9_000)}`,
      false,
      "garbled",
      "larger than 16 KiB",
    ],
    ...["gzip, chunked", "chunked, gzip", "chunked, chunked"].map((framing): Row => {
      const says = `the answer is sent as ${JSON.stringify(framing)}, which nobody asked for`;
      return [`is sent as ${framing}`, `${ok}transfer-encoding: ${framing}\r\n\r\n0\r\n\r\n`, true, "garbled", says];
    }),
    ...unclear.map((row): Row => [`sends ${row[0]}`, row[1], true, "garbled", "what came back is not HTTP"]),
  ];

  test.each(rows)("%s", async (_what, answer, closes, reason, message) => {
    const raw = createRawServer((socket) => {
      socket.once("data", () => (closes ? socket.end(answer) : socket.write(answer)));
    });
    const server = await listen(raw);
    const error = await failureOf(transportTo(server).request({ ...aGet, answerBytesMax: 1_000 }));
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
    const first = await transport.request(aGet).then((answer) => textOf(answer.body));
    const second = await transport.request(aGet).then((answer) => textOf(answer.body));
    expect([first, second]).toEqual(["{}", "{}"]);
  });

  test("understates its length by more than a record of TLS holds: not even who waits in line gets the surplus", async () => {
    let requests = 0;
    const evil = `${ok}content-length: 6\r\n\r\n"evil"`;
    const raw = createRawServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", () => {
        requests += 1;
        const head = `${ok}content-length: ${RECORD_BYTES}\r\n\r\n`;
        const long = `${ok}content-length: ${RECORD_BYTES - head.length}\r\n\r\n${"x".repeat(RECORD_BYTES - head.length)}`;
        socket.write(requests === 1 ? `${long}${evil}` : `${ok}content-length: 2\r\n\r\n{}`);
      });
    });
    const transport = transportTo(await listen(raw), { limits: { callSocketsMax: 1 } });
    const bodies = [transport.request(aGet), transport.request(aGet)].map(async (answer) =>
      textOf((await answer).body),
    );
    const [first, second] = await Promise.all(bodies);
    expect([first?.replaceAll("x", ""), second]).toEqual(["", "{}"]);
  });

  test("answers, and the connection ends in the same turn: the answer counts", async () => {
    // Over plain TCP the end is seen a turn after the last bytes; with TLS it is a record that comes with them.
    const server = createTlsServer({ cert: serverCertificate, key: serverKey }, (socket) => {
      socket.on("data", () => socket.end(`${ok}content-length: 2\r\n\r\n{}`));
    });
    const address = (await listen(server)).replace("http://", "https://");
    const credentials = fixedCredentials({ tls: { ca: authority } });
    const { body } = await transportTo(address, { credentials }).request(aPost);
    expect(textOf(body)).toBe("{}");
  });

  test("answers, and resets the connection at once, which is seen a turn later: the answer counts", async () => {
    const raw = createRawServer((socket) => {
      socket.on("data", () => {
        socket.write(`${ok}content-length: 2\r\n\r\n{}`);
        socket.resetAndDestroy();
      });
    });
    const { body } = await transportTo(await listen(raw)).request(aPost);
    expect(textOf(body)).toBe("{}");
  });

  test("answers twice: an answer that came before its question is never taken for one", async () => {
    let requests = 0;
    const answer = (text: string) => `${ok}content-length: ${text.length}\r\n\r\n${text}`;
    const raw = createRawServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", () => {
        requests += 1;
        socket.write(answer("{}"));
        if (requests === 1) setImmediate(() => socket.write(answer('"evil"')));
      });
    });
    const transport = transportTo(await listen(raw));
    const first = await transport.request(aGet).then(({ body }) => textOf(body));
    // Until the surplus has come over the loopback.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    const second = await transport.request(aGet).then(({ body }) => textOf(body));
    expect([first, second]).toEqual(["{}", "{}"]);
  });

  test("sends one line of 10 MB: it is read when we allow it", async () => {
    const line = `"${"x".repeat(10_000_000)}"`;
    const server = await listen(createServer((_request, response) => response.end(line)));
    const answer = await transportTo(server).request({ ...aGet, answerBytesMax: 16_000_000 });
    expect(answer.body.byteLength).toBe(10_000_002);
  });

  test("never answers", async () => {
    const raw = createRawServer();
    const asked = new Promise((resolve) => raw.on("connection", (socket) => socket.once("data", resolve)));
    const server = await listen(raw);
    const transport = transportTo(server);
    const failure = failureOf(transport.request(aGet));
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
    const stream = transport.request(aGet);
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
    const error = await failureOf(transportTo(address).request(aPost));
    expect(error.reason).toBe("unreachable");
    expect(error.message).toBe(
      `POST ${address}/api/v1/pods: connection refused; ` +
        "see whether the API server is running and its address is right (ECONNREFUSED)",
    );
  });
});

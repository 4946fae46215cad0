import { createServer } from "node:http";
import type { Server } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { aGet, failureOf, LoopbackTransports, textOf } from "../../../sim/loopback-transports.ts";
import type { HttpRequest } from "../../kube/transport.ts";
import { TransportError } from "../../kube/transport-error.ts";
import { PILE_BYTES_MAX } from "./node-chunks.ts";

const loopback = new LoopbackTransports();
afterEach(() => loopback.close());
const listen = (server: Server) => loopback.listen(server);
const transportTo = (...to: Parameters<typeof loopback.transportTo>) => loopback.transportTo(...to);

describe("an abort", () => {
  test("ends a request that waits for its answer, with the caller's reason", async () => {
    const controller = new AbortController();
    const server = await listen(createServer(() => controller.abort(new Error("enough"))));
    await expect(transportTo(server).request({ ...aGet, signal: controller.signal })).rejects.toThrow("enough");
  });

  test("ends a body that is being read", async () => {
    const controller = new AbortController();
    const server = await listen(createServer((_request, response) => response.write("{")));
    const stream = await transportTo(server).stream({ ...aGet, signal: controller.signal });
    const chunks = stream.chunks[Symbol.asyncIterator]();
    await chunks.next();
    controller.abort(new Error("enough"));
    await expect(chunks.next()).rejects.toThrow("enough");
  });

  test("beforehand sends nothing", async () => {
    const request = { ...aGet, signal: AbortSignal.abort(new Error("enough")) };
    await expect(transportTo("http://127.0.0.1:1").request(request)).rejects.toThrow("enough");
  });
});

describe("a stream", () => {
  const watch: HttpRequest = { ...aGet, lane: "watches" };

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

  test("that is read slowly waits for its reader, and comes whole", async () => {
    const bodyBytes = 8 * 1024 * 1024;
    const server = await listen(createServer((_request, response) => response.end(Buffer.alloc(bodyBytes))));
    const chunks = (await transportTo(server).stream(watch)).chunks[Symbol.asyncIterator]();
    let [allBytes, stretchBytesMax] = [0, 0];
    for (let first = await chunks.next(); !first.done; first = await chunks.next()) {
      // Time enough for all of the body to come, if nobody held it back.
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      let stretchBytes = 0;
      for (let chunk: Uint8Array | undefined = first.value; chunk !== undefined; chunk = chunks.ready?.()) {
        stretchBytes += chunk.byteLength;
      }
      allBytes += stretchBytes;
      stretchBytesMax = Math.max(stretchBytesMax, stretchBytes);
    }
    expect(allBytes).toBe(bodyBytes);
    // The chunk in hand is no longer on the pile, and the two reads that the socket holds may go beyond.
    expect(stretchBytesMax).toBeLessThan(PILE_BYTES_MAX + 2 * 64 * 1024);
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

test("packing is not asked for: inside a cluster the network is faster than gzip", async () => {
  const server = await listen(
    createServer((request, response) => response.end(JSON.stringify(request.headers["accept-encoding"] ?? "none"))),
  );
  expect(textOf((await transportTo(server).request(aGet)).body)).toBe('"none"');
});

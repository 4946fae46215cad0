import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createRawServer } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { aGet, aPost, LoopbackTransports } from "../../../sim/loopback-transports.ts";
import { fixedCredentials } from "../../kube/config/credentials.ts";
import { fenceWrites, NotLeadingError } from "../lease/write-fence.ts";
import { authority, serverCertificate, serverKey } from "./testing/tls-fixture.ts";

const loopback = new LoopbackTransports();
afterEach(() => loopback.close());

/** A fence that the test closes. */
function aFence() {
  let isOpen = true;
  const fence = () => {
    if (!isOpen) throw new NotLeadingError("not now");
  };
  const close = () => {
    isOpen = false;
  };
  return { fence, close };
}

test("a write that waits for a connection does not leave once the fence is closed", async () => {
  const written: string[] = [];
  const answers: (() => void)[] = [];
  const server = createServer((request, response) => {
    written.push(request.method ?? "");
    answers.push(() => response.end("{}"));
  });
  const transport = loopback.transportTo(await loopback.listen(server), { limits: { callSocketsMax: 1 } });
  const { fence, close } = aFence();
  const fenced = fenceWrites(transport, fence);
  const first = fenced.request(aGet);
  const write = expect(fenced.request(aPost)).rejects.toThrow(NotLeadingError);
  const read = fenced.request(aGet);
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  close();
  answers.shift()?.();
  await Promise.all([first, write]);
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  answers.shift()?.();
  await read;
  expect(written).toEqual(["GET", "GET"]);
});

test("a write does not leave when the fence closes during the handshake", async () => {
  const written: string[] = [];
  const tls = createTlsServer({ cert: serverCertificate, key: serverKey }, (request, response) => {
    written.push(request.method ?? "");
    response.end("{}");
  });
  const waiting: (() => void)[] = [];
  const doorkeeper = createRawServer((socket) => waiting.push(() => tls.emit("connection", socket)));
  const server = (await loopback.listen(doorkeeper)).replace("http://", "https://");
  const credentials = fixedCredentials({ tls: { ca: authority } });
  const { fence, close } = aFence();
  const fenced = fenceWrites(loopback.transportTo(server, { credentials }), fence);
  const write = expect(fenced.request(aPost)).rejects.toThrow(NotLeadingError);
  await vi.waitFor(() => expect(waiting).toHaveLength(1));
  close();
  waiting.shift()?.();
  await write;
  // The connection is none the worse for it.
  await fenced.request(aGet);
  expect(written).toEqual(["GET"]);
});

test("a long line of writes that are all held back leaves the connection to who comes next", async () => {
  const server = createServer((_request, response) => response.end("{}"));
  const transport = loopback.transportTo(await loopback.listen(server), { limits: { callSocketsMax: 1 } });
  const mayLeave = () => {
    throw new NotLeadingError("not now");
  };
  const line = Array.from({ length: 20_000 }, () => transport.request({ ...aPost, mayLeave }));
  const ends = await Promise.allSettled(line);
  expect(ends.every(({ status }) => status === "rejected")).toBe(true);
  expect((await transport.request(aGet)).status).toBe(200);
});

test("a write whose caller gives up while it is held back takes its connection along", async () => {
  const server = createServer((_request, response) => response.end("{}"));
  const transport = loopback.transportTo(await loopback.listen(server), { limits: { callSocketsMax: 1 } });
  const controller = new AbortController();
  const mayLeave = () => {
    controller.abort(new Error("enough"));
    throw new NotLeadingError("not now");
  };
  await expect(transport.request({ ...aPost, mayLeave, signal: controller.signal })).rejects.toThrow("enough");
  expect((await transport.request(aGet)).status).toBe(200);
});

test("a read is sent again when the connection of a write that was held back has died since", async () => {
  let connections = 0;
  const raw = createRawServer((socket) => {
    connections += 1;
    const isFirst = connections === 1;
    socket.on("data", () =>
      isFirst ? socket.destroy() : socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"),
    );
  });
  const { fence, close } = aFence();
  const transport = loopback.transportTo(await loopback.listen(raw));
  const write = fenceWrites(transport, fence).request(aPost);
  close();
  await expect(write).rejects.toThrow(NotLeadingError);
  expect([(await transport.request(aGet)).status, connections]).toEqual([200, 2]);
});

test("a write that was met with 401 is not sent again with new credentials once the fence is closed", async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(401).end("{}");
  });
  const { fence, close } = aFence();
  let token = "old";
  const credentials = {
    current: async () => ({ headers: { authorization: `Bearer ${token}` }, tls: {} }),
    refused: () => {
      token = "new";
      close();
    },
  };
  const transport = loopback.transportTo(await loopback.listen(server), { credentials });
  await expect(fenceWrites(transport, fence).request(aPost)).rejects.toThrow(NotLeadingError);
  expect(requests).toBe(1);
});

test("a write behind an open fence arrives whole, on new and on kept connections", async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(`${request.method} ${request.headers["content-length"]} ${body.length}`);
      response.end("{}");
    });
  });
  const transport = loopback.transportTo(await loopback.listen(server));
  const fenced = fenceWrites(transport, aFence().fence);
  const body = "x".repeat(1_000_000);
  for (const method of ["POST", "DELETE", "PATCH"] as const) await fenced.request({ ...aPost, method, body });
  expect(bodies).toEqual(["POST", "DELETE", "PATCH"].map((method) => `${method} 1000000 1000000`));
});

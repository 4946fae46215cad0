import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fixedCredentials } from "../../kube/config/credentials.ts";
import { nodeClock } from "./node-clock.ts";
import { createNodeTransport, type NodeTransport } from "./node-transport.ts";

let server: Server;
let transport: NodeTransport;

beforeAll(async () => {
  server = createServer(async (request, response) => response.end(`${request.method} ${await text(request)}`));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  transport = createNodeTransport({ server: url, credentials: fixedCredentials(), clock: nodeClock() });
});

afterAll(() => {
  transport.close();
  server.close();
});

test.each(["POST", "PUT", "PATCH", "DELETE"] as const)(
  "the body of a %s arrives whole, and the next request on the connection too",
  async (method) => {
    const send = async (body: string) => {
      const answer = await transport.request({ method, path: "/", headers: {}, body, lane: "lease" });
      return { status: answer.status, body: new TextDecoder().decode(answer.body) };
    };
    expect(await send('{"preconditions":"ü"}')).toEqual({ status: 200, body: `${method} {"preconditions":"ü"}` });
    expect(await send("second")).toEqual({ status: 200, body: `${method} second` });
  },
);

test.each(["api", "/a b", "/a\r\nx: y", "/ü", "/a\0"])("the path %j is not sent", async (path) => {
  const request = transport.request({ method: "GET", path, headers: {}, lane: "calls" });
  await expect(request).rejects.toThrow("the path holds characters that have to be escaped");
});

test.each([
  ["authorization", "Bearer s3cret\r\nx: y"],
  ["authorization", "Bearer s3cret\n"],
  ["authorization", "Bearer s3cretü"],
  ["authorization", "Bearer s3cret\0"],
  ["a b", "c"],
  ["", "c"],
])("the header %j with %j is not sent, and its value is not told", async (name, value) => {
  const request = transport.request({ method: "GET", path: "/", headers: { [name]: value }, lane: "calls" });
  const error = await request.catch((reason: unknown) => reason);
  expect(String(error)).toContain(`the header ${JSON.stringify(name)} holds characters that cannot be sent`);
  expect(String(error)).not.toContain("s3cret");
});

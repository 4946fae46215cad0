import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { startTcpProxy } from "./tcp-proxy.ts";
import type { TroubledLink } from "./troubled-link.ts";

const SOON = { deadlineMs: 5_000, everyMs: 5 };

describe("the TCP proxy", () => {
  let received = "";
  let server: Server;
  let proxy: TroubledLink;

  beforeEach(async () => {
    received = "";
    // Says back in capitals what it hears.
    server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        received += chunk.toString();
        socket.write(chunk.toString().toUpperCase());
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const bound = server.address();
    if (bound === null || typeof bound === "string") throw new Error("no port");
    proxy = await startTcpProxy(bound.port);
  });
  afterEach(async () => {
    await proxy.stop();
    server.close();
  });

  async function dial(): Promise<{ socket: Socket; heard: () => string; failure: () => string }> {
    const socket = connect(proxy.port, "127.0.0.1");
    let heard = "";
    let failure = "";
    socket.on("data", (chunk) => {
      heard += chunk.toString();
    });
    socket.on("error", (error) => {
      failure = error.message;
    });
    await once(socket, "connect");
    return { socket, heard: () => heard, failure: () => failure };
  }

  const until = (what: string, claim: () => boolean) => eventually(what, () => claim() || undefined, SOON);

  test("carries both directions", async () => {
    const { socket, heard } = await dial();
    socket.write("hello");
    await until("the answer", () => heard() === "HELLO");
  });

  test("with the answers cut, the server hears and the client does not, until healing", async () => {
    const { socket, heard } = await dial();
    proxy.cut("answers");
    socket.write("hello");
    await until("the server hears", () => received === "hello");
    expect(heard()).toBe("");
    proxy.heal();
    await until("the answer", () => heard() === "HELLO");
  });

  test("with the requests cut, the server hears nothing until healing", async () => {
    const { socket, heard } = await dial();
    socket.write("a");
    await until("the first answer", () => heard() === "A");
    proxy.cut("requests");
    socket.write("b");
    // Another client's round trip: time enough for the byte to arrive, if it could.
    const other = await dial();
    other.socket.end();
    expect(received).toBe("a");
    proxy.heal();
    await until("the second answer", () => heard() === "AB");
  });

  test("refuse() resets what is open and whoever comes, until healing", async () => {
    const { failure } = await dial();
    proxy.refuse();
    await until("the reset", () => failure().includes("ECONNRESET"));
    await expect(once(connect(proxy.port, "127.0.0.1"), "data")).rejects.toThrow("ECONNRESET");
    proxy.heal();
    const again = await dial();
    again.socket.write("x");
    await until("the answer", () => again.heard() === "X");
  });
});

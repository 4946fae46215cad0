import { request } from "node:http";
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AnswerReader, GarbledAnswerError } from "./http-answer-reader.ts";

type Read = {
  readonly statuses: readonly number[];
  readonly body: string;
  readonly surplus: number;
  readonly end: End;
};
/** How an answer ended when the connection closed behind the last byte. */
type End = "whole" | "cut" | { readonly garbled: string };

/** Reads pieces as they might come off a connection, one after the other. */
function readPieces(pieces: readonly Buffer[]): Read {
  const statuses: number[] = [];
  const chunks: Uint8Array[] = [];
  const reader = new AnswerReader({
    head: ({ status }) => statuses.push(status),
    bytes: (bytes) => chunks.push(bytes),
  });
  const told = (end: End, surplus = 0) => ({ statuses, body: Buffer.concat(chunks).toString("latin1"), surplus, end });
  for (const [index, piece] of pieces.entries()) {
    try {
      const surplus = reader.read(piece);
      if (!reader.isDone) continue;
      return told("whole", surplus + pieces.slice(index + 1).reduce((sum, { length }) => sum + length, 0));
    } catch (error) {
      if (error instanceof GarbledAnswerError) return told({ garbled: error.message });
      throw error;
    }
  }
  return told(reader.mayClose ? "whole" : "cut");
}

const bytesOf = (answer: string) => Buffer.from(answer, "latin1");
const byteByByte = (bytes: Buffer) => Array.from(bytes, (byte) => Buffer.of(byte));
const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;

describe("an answer", () => {
  test.each<[string, string, Partial<Read>]>([
    ["with a length", `${ok}content-length: 2\r\n\r\n{}`, { body: "{}", end: "whole" }],
    ["with nothing", `${ok}content-length: 0\r\n\r\n`, { body: "", end: "whole" }],
    ["without a body", "HTTP/1.1 204 No Content\r\n\r\n", { statuses: [204], body: "", end: "whole" }],
    ["in chunks", `${chunked}3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n`, { body: "abc0123456789", end: "whole" }],
    ["with trailers", `${chunked}1\r\na\r\n0\r\nx: y\r\nz: 1\r\n\r\n`, { body: "a", end: "whole" }],
    ["up to the close", `${ok}\r\nabc`, { body: "abc", end: "whole" }],
    [
      "behind interim heads",
      `HTTP/1.1 100 Continue\r\n\r\n${ok}content-length: 1\r\n\r\na`,
      { statuses: [200], body: "a" },
    ],
    ["that goes on in another protocol", "HTTP/1.1 101 Switching\r\n\r\nxx", { statuses: [101], surplus: 2 }],
    ["with a surplus", `${ok}content-length: 1\r\n\r\nabc`, { body: "a", surplus: 2, end: "whole" }],
    ["with a surplus behind chunks", `${chunked}0\r\n\r\nabc`, { body: "", surplus: 3, end: "whole" }],
    ["that is cut in its head", "HTTP/1.1 200 OK\r\nx: ", { statuses: [], end: "cut" }],
    ["that is cut in its body", `${ok}content-length: 9\r\n\r\nabc`, { body: "abc", end: "cut" }],
    ["that is cut between chunks", `${chunked}3\r\nabc\r\n`, { body: "abc", end: "cut" }],
    ["that is cut before its last line", `${chunked}3\r\nabc\r\n0\r\n`, { body: "abc", end: "cut" }],
  ])("%s is read whole and byte by byte", (_what, answer, expected) => {
    expect(readPieces([bytesOf(answer)])).toMatchObject(expected);
    expect(readPieces(byteByByte(bytesOf(answer)))).toMatchObject(expected);
  });

  test.each([
    ["another protocol", "SSH-2.0-OpenSSH_9.6", "what came back is not HTTP"],
    ["a broken status line", "HTTP/1.1 abc what\r\n\r\n", "what came back is not HTTP"],
    ["a head without end", `${ok}x: ${"x".repeat(17_000)}`, "larger than 16 KiB"],
    ["a head that is too large", `${ok}x: ${"x".repeat(17_000)}\r\n\r\n`, "larger than 16 KiB"],
    ["two framings", `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`, "has both a length and chunks"],
    ["a chunk without size", `${chunked}\r\nabc`, "a chunk has no size"],
    ["a size that is no number", `${chunked}xyz\r\nabc`, "a chunk has no size"],
    ["a size beyond numbers", `${chunked}fffffffff\r\nabc`, "a chunk has no size"],
    ["a negative size", `${chunked}-1\r\nabc`, "a chunk has no size"],
    ["a size line without end", `${chunked}1;${"x".repeat(2_000)}`, "a line has no end"],
    ["a chunk that is longer than it says", `${chunked}2\r\nabc\r\n`, "a chunk is longer than it says"],
    ["something else behind its last chunk", `${chunked}0\r\nabc\r\n\r\n`, "something follows its last chunk"],
    ["trailers without end", `${chunked}0\r\n${"x: y\r\n".repeat(5_000)}`, "a line has no end"],
  ])("is not read from %s", (_what, answer, because) => {
    for (const pieces of [[bytesOf(answer)], byteByByte(bytesOf(answer))]) {
      const { end } = readPieces(pieces);
      expect(typeof end === "object" ? end.garbled : end).toContain(because);
    }
  });
});

describe("any answer", () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const body = fc
    .array(fc.string({ maxLength: 40 }), { maxLength: 6 })
    .map((parts) => parts.map((part) => bytesOf(part).toString("latin1")));
  const answer = fc
    .record({
      body,
      headers: fc.array(fc.tuple(word, word), { maxLength: 3 }),
      framing: fc.constantFrom("length", "chunks", "close"),
    })
    .map(({ body: parts, headers, framing }) => {
      const lines = headers.map(([name, value]) => `x-${name}: ${value}\r\n`).join("");
      const all = parts.join("");
      if (framing === "length") return { text: `${ok}${lines}content-length: ${all.length}\r\n\r\n${all}`, body: all };
      if (framing === "close") return { text: `${ok}${lines}\r\n${all}`, body: all };
      const chunks = parts.filter((part) => part !== "").map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
      return { text: `${ok}${lines}transfer-encoding: chunked\r\n\r\n${chunks.join("")}0\r\n\r\n`, body: all };
    });
  const cuts = fc.array(fc.nat(400), { maxLength: 8 });

  function pieces(bytes: Buffer, at: readonly number[]): readonly Buffer[] {
    const places = [0, ...at.map((place) => Math.min(place, bytes.length)).toSorted((a, b) => a - b), bytes.length];
    return places.slice(1).map((to, index) => bytes.subarray(places[index], to));
  }

  test("is read alike however it is cut into pieces", () => {
    fc.assert(
      fc.property(answer, cuts, ({ text: sent, body: expected }, at) => {
        expect(readPieces(pieces(bytesOf(sent), at))).toMatchObject({ body: expected, end: "whole", surplus: 0 });
      }),
    );
  });

  /** What Node's own client reads; undefined if it refuses. */
  async function asNodeReads(bytes: Buffer): Promise<string | undefined> {
    const peer = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    try {
      const got = new Promise<string>((resolve, reject) => {
        const asked = request({ createConnection: () => peer }, (message) => {
          message.setEncoding("latin1");
          text(message).then(resolve, reject);
        });
        asked.on("error", reject);
        asked.end();
      });
      peer.push(bytes);
      peer.push(null);
      return await got;
    } catch {
      return undefined;
    }
  }

  test("that we read from damaged bytes is what Node's own client reads of them", async () => {
    const damage = fc.array(fc.record({ at: fc.nat(200), byte: fc.constantFrom(..."\r\n\0 :;,0129afxX-") }), {
      minLength: 1,
      maxLength: 3,
    });
    let read = 0;
    await fc.assert(
      fc.asyncProperty(answer, damage, async ({ text: sent }, damages) => {
        const bytes = bytesOf(sent);
        for (const { at, byte } of damages) bytes.write(byte, at % bytes.length, "latin1");
        const ours = readPieces([bytes]);
        // What goes on until the connection closes, or has a surplus, is told apart by the connection.
        if (ours.end !== "whole" || ours.statuses[0] !== 200 || ours.surplus > 0) return;
        read += 1;
        expect(await asNodeReads(bytes)).toBe(ours.body);
      }),
      { numRuns: 2_000 },
    );
    expect(read).toBeGreaterThan(50);
  });
});

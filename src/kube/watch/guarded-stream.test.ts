import { describe, expect, test } from "vitest";
import { ByteStream } from "../../../sim/byte-stream.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { HttpRequest, HttpStream, Transport } from "../transport.ts";
import { GuardedStream } from "./guarded-stream.ts";

const times = { answerMs: 1_000, silenceMs: 5_000, totalMs: 60_000 };

/** A transport whose one answer is given by hand, and who ignores abort signals as the worst of them do. */
function aTransport() {
  const answer = Promise.withResolvers<HttpStream>();
  const requests: HttpRequest[] = [];
  let closed = 0;
  const body = new ByteStream(() => {
    closed += 1;
  });
  const transport: Transport = {
    request: () => Promise.reject(new Error("not asked for")),
    stream: (request) => {
      requests.push(request);
      return answer.promise;
    },
  };
  return {
    ...{ transport, body, requests },
    answer: () => answer.resolve({ status: 200, headers: { a: "b" }, chunks: body }),
    refuse: (error: Error) => answer.reject(error),
    closed: () => closed,
  };
}

function open(transport: Transport, signal = new AbortController().signal) {
  const clock = new VirtualClock();
  const opening = GuardedStream.open({ transport, clock }, { path: "/api/v1/things", times, signal });
  return { clock, opening, said: said(opening) };
}

test("the request says who asks, when somebody has told", () => {
  const { transport, requests } = aTransport();
  const get = { path: "/api/v1/things", times, signal: new AbortController().signal };
  const ports = { transport, clock: new VirtualClock() };
  void GuardedStream.open(ports, get);
  void GuardedStream.open(ports, { ...get, userAgent: "tester/1" });
  expect(requests.map(({ headers }) => headers)).toEqual([
    { accept: "application/json" },
    { accept: "application/json", "user-agent": "tester/1" },
  ]);
});

/** What a promise came to, at the time of asking. */
function said(promise: Promise<unknown>): () => string {
  let state = "waiting";
  promise.then(
    (value) => {
      state =
        value instanceof Uint8Array ? `bytes ${new TextDecoder().decode(value)}` : value === undefined ? "end" : "open";
    },
    (error: unknown) => {
      state = String(error);
    },
  );
  return () => state;
}

describe("a guarded stream", () => {
  test("asks in the lane of streams and hands over the bytes as they come, then the end", async () => {
    const server = aTransport();
    const { clock, opening } = open(server.transport);
    server.answer();
    const stream = await opening;
    expect(server.requests[0]).toMatchObject({ method: "GET", path: "/api/v1/things", lane: "watches" });
    expect([stream.status, stream.headers]).toEqual([200, { a: "b" }]);
    server.body.push(new TextEncoder().encode("one"));
    expect(new TextDecoder().decode(await stream.next())).toBe("one");
    const last = said(stream.next());
    await clock.elapse(10);
    expect(last()).toBe("waiting");
    server.body.end();
    await clock.elapse(0);
    expect(last()).toBe("end");
  });

  test("gives up on an answer that does not come, and closes it should it come later", async () => {
    const server = aTransport();
    const { clock, said } = open(server.transport);
    await clock.elapse(999);
    expect(said()).toBe("waiting");
    await clock.elapse(1);
    expect(said()).toBe("TransportError: GET /api/v1/things: no answer for 1 s");
    expect(server.requests[0]?.signal?.aborted).toBe(true);
    server.answer();
    await clock.elapse(0);
    expect(server.closed()).toBe(1);
  });

  test("gives up on a body that falls silent, counting from the last byte", async () => {
    const server = aTransport();
    const { clock, opening } = open(server.transport);
    server.answer();
    const stream = await opening;
    await clock.elapse(4_000);
    server.body.push(new TextEncoder().encode("x"));
    await stream.next();
    const next = said(stream.next());
    await clock.elapse(4_999);
    expect(next()).toBe("waiting");
    await clock.elapse(1);
    expect(next()).toBe("TransportError: GET /api/v1/things: no byte for 5 s");
  });

  test("ends at once with the reason of an aborted signal: before, while opening and while reading", async () => {
    const stop = new AbortController();
    const opened = aTransport();
    const first = open(opened.transport, stop.signal);
    opened.answer();
    const reading = said((await first.opening).next());
    const opening = open(aTransport().transport, stop.signal);
    stop.abort(new Error("stopped"));
    const late = open(aTransport().transport, stop.signal);
    await first.clock.elapse(0);
    expect([reading(), opening.said(), late.said()]).toEqual(["Error: stopped", "Error: stopped", "Error: stopped"]);
  });

  test("passes on the error of a connection that breaks", async () => {
    const server = aTransport();
    const { clock, said: opened } = open(server.transport);
    server.refuse(new Error("reset"));
    await clock.elapse(0);
    expect(opened()).toBe("Error: reset");
  });

  test("hands over without waiting what is there already, which counts as a sign of life, and nothing once it is aborted", async () => {
    const server = aTransport();
    const stop = new AbortController();
    const { clock, opening } = open(server.transport, stop.signal);
    server.answer();
    const stream = await opening;
    expect(stream.ready()).toBeUndefined();
    await clock.elapse(4_000);
    server.body.push(new TextEncoder().encode("one"));
    expect(new TextDecoder().decode(stream.ready())).toBe("one");
    const next = said(stream.next());
    await clock.elapse(4_000);
    expect(next()).toBe("waiting");
    stop.abort(new Error("stopped"));
    // The first goes to who waits and is no longer heard.
    for (const late of ["two", "three"]) server.body.push(new TextEncoder().encode(late));
    expect(stream.ready()).toBeUndefined();
  });

  test("leaves no timer behind once it is closed", async () => {
    const server = aTransport();
    const { clock, opening } = open(server.transport);
    server.answer();
    (await opening).close();
    await clock.elapse(0);
    expect([clock.nextDueMs(), server.closed(), server.requests[0]?.signal?.aborted]).toEqual([undefined, 1, true]);
  });
});

import { describe, expect, test } from "vitest";
import { type Scripted, ScriptedTransport } from "../../../sim/scripted-transport.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { TransportError } from "../transport-error.ts";
import { type CallReport, createCaller } from "./api-caller.ts";
import type { ApiError } from "./api-error.ts";
import type { ApiCall } from "./client.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { RETRY_LIMITS } from "./retry.ts";

const get: ApiCall = { verb: "get", resource: "pods", method: "GET", path: "/api/v1/pods/a", repeatable: true };
const post: ApiCall = { ...get, verb: "create", method: "POST", path: "/api/v1/pods", body: {}, repeatable: false };
const broken = new TransportError("broken", "the connection broke");
const ok = { status: 200, json: { fine: true } };
const busy = (seconds: number) => ({ status: 429, headers: { "retry-after": `${seconds}` } });

function stage(script: ConstructorParameters<typeof ScriptedTransport>[0], lane: "calls" | "lease" = "calls") {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport(script);
  const concurrency = lane === "lease" ? undefined : new ConcurrencyLimit({ min: 1, start: 2, max: 4, waitersMax: 10 });
  const reports: CallReport[] = [];
  const call = createCaller({
    transport,
    clock,
    rand: { next: () => 0 },
    lane,
    concurrency,
    retry: RETRY_LIMITS,
    timeoutMs: 30_000,
    answerBytesMax: 1_000,
    userAgent: "tester",
    onCall: (report) => reports.push(report),
  });
  /** Runs the call to its end and says how it ended and at what time. */
  const run = async (what: ApiCall): Promise<{ status?: number; error?: unknown; endMs: number }> => {
    const end = call(what).then(
      (answer) => ({ status: answer.status, endMs: clock.monotonicMs() }),
      (error: unknown) => ({ error, endMs: clock.monotonicMs() }),
    );
    await clock.elapse(600_000);
    return end;
  };
  return { clock, transport, concurrency, reports, call, run };
}

describe("sending again", () => {
  test("a broken read is sent again after a pause, until it is answered", async () => {
    const { run, transport } = stage([broken, { status: 503 }, ok]);
    expect(await run(get)).toEqual({ status: 200, endMs: 100 + 200 });
    expect(transport.requests).toHaveLength(3);
  });

  test.each([
    ["has to wait longer for its turn than it may be sent again", 20_000, { error: broken, endMs: 20_000 }, 1],
    ["gets its turn in time", 2_000, { status: 200, endMs: 2_000 }, 2],
  ])("one that %s", async (_about, heldMs, end, sent) => {
    const { run, transport, clock, concurrency } = stage([broken, ok]);
    const holdSlot = async () => {
      const slot = await concurrency?.acquire();
      clock.after(heldMs - clock.monotonicMs(), () => slot?.release("other"));
    };
    for (const _slot of ["first", "second"]) clock.after(50, () => void holdSlot());
    expect(await run({ ...get, repeatWithinMs: 5_000 })).toEqual(end);
    expect(transport.requests).toHaveLength(sent);
  });

  test("a broken write that may act twice is not", async () => {
    const { run, transport } = stage([broken]);
    expect(await run(post)).toEqual({ error: broken, endMs: 0 });
    expect(transport.requests).toHaveLength(1);
  });

  test("a write that was turned away is sent again when the server allows it", async () => {
    const { run } = stage([busy(3), { status: 201 }]);
    expect(await run(post)).toEqual({ status: 201, endMs: 3_000 });
  });

  test.each<[string, Scripted, boolean]>([
    ["a connection that broke", new TransportError("broken", "cut"), true],
    ["an answer that did not come in time", new TransportError("timeout", "late"), true],
    ["a failure of the server", { status: 500 }, true],
    ["no connection", new TransportError("unreachable", "refused"), false],
    ["being turned away", { status: 429 }, false],
  ])(
    "a refusal after %s says whether it may be the echo of our own earlier request",
    async (_what, first, mayBeEcho) => {
      const { run } = stage([first, { status: 409 }]);
      const { error } = await run({ ...post, repeatable: true });
      expect(error).toMatchObject({ status: 409, attempts: 2, mayBeEcho });
    },
  );

  test("it ends after the named number of attempts, with the last error", async () => {
    const { run, transport } = stage(() => ({ status: 503, json: { kind: "Status", message: "etcd is away" } }));
    const { error } = await run(get);
    expect((error as ApiError).message).toBe("GET /api/v1/pods/a: 503: etcd is away");
    expect((error as ApiError).attempts).toBe(5);
    expect(transport.requests).toHaveLength(5);
  });

  test("a longer wait than the window is left to the caller", async () => {
    const { run, transport } = stage([busy(61)]);
    const { error, endMs } = await run(get);
    expect((error as ApiError).retryAfterMs).toBe(61_000);
    expect([endMs, transport.requests.length]).toEqual([0, 1]);
  });

  test("an abort ends the pause at once, with the caller's reason", async () => {
    const { call, clock, transport } = stage([busy(10)]);
    const controller = new AbortController();
    const end = expect(call({ ...get, signal: controller.signal })).rejects.toThrow("shutting down");
    await clock.elapse(500);
    controller.abort(new Error("shutting down"));
    await end;
    expect(transport.requests).toHaveLength(1);
  });
});

describe("time limits", () => {
  test("a server that never answers is given up, asked again, and named in the end", async () => {
    const { run, transport } = stage(() => undefined);
    const { error, endMs } = await run({ ...get, timeoutMs: 20_000 });
    expect((error as Error).message).toBe(
      "GET /api/v1/pods/a: no answer within 20000 ms; see whether the API server is overloaded or a firewall drops packets",
    );
    expect(transport.requests).toHaveLength(3);
    expect(endMs).toBe(20_000 * 3 + 100 + 200);
  });

  test("the signal given to the transport is aborted with the attempt", async () => {
    const { run, transport } = stage([undefined]);
    await run({ ...post, timeoutMs: 1_000 });
    expect(transport.requests[0]?.signal?.aborted).toBe(true);
  });

  test("a call that finds no slot in time says who is before it", async () => {
    const { run, call, concurrency } = stage(() => undefined);
    const hung = [1, 2].map(() => call({ ...post, timeoutMs: 900_000 }).catch(() => undefined));
    const { error } = await run({ ...get });
    expect((error as Error).message).toContain(
      "GET /api/v1/pods/a: not sent within 60000 ms, because 2 calls are in flight and 0 others wait",
    );
    expect([hung.length, concurrency?.waiting]).toEqual([2, 0]);
  });
});

describe("calls in flight", () => {
  test("no more calls reach the server than the limit allows", async () => {
    const { call, transport, clock } = stage(() => undefined);
    for (let i = 0; i < 5; i++) call(post).catch(() => undefined);
    await clock.settle();
    expect(transport.requests).toHaveLength(2);
  });

  test.each<[string, Scripted, number]>([
    ["429 shrinks the limit", { status: 429 }, 1],
    ["no answer in time shrinks it", undefined, 1],
    ["a refusal is an answer", { status: 403 }, 2],
    ["a broken connection says nothing about load", broken, 2],
  ])("%s", async (_what, answer, limit) => {
    const { run, concurrency } = stage([answer]);
    await run({ ...post, retriesTooMany: false });
    expect([concurrency?.limit, concurrency?.inFlight]).toEqual([limit, 0]);
  });

  test.each([
    [201, 3],
    [403, 3],
    [503, 2],
  ])("a full house that is answered with %i leaves the limit at %i", async (status, limit) => {
    const { call, clock, concurrency } = stage(() => ({ status }));
    for (let i = 0; i < 2; i++) call(post).catch(() => undefined);
    await clock.settle();
    expect([concurrency?.limit, concurrency?.inFlight]).toEqual([limit, 0]);
  });

  test("while a call waits for its next attempt its slot is free", async () => {
    const { call, clock, concurrency } = stage((_request, index) => (index === 0 ? busy(5) : ok));
    const end = call(get);
    await clock.elapse(1_000);
    expect(concurrency?.inFlight).toBe(0);
    await clock.elapse(5_000);
    expect((await end).status).toBe(200);
  });

  test("the lease lane waits for nobody", async () => {
    const { call, transport, clock } = stage(() => undefined, "lease");
    for (let i = 0; i < 100; i++) call(post).catch(() => undefined);
    await clock.settle();
    expect(transport.requests).toHaveLength(100);
    expect(transport.requests[0]?.lane).toBe("lease");
  });
});

test("each attempt is reported with its code and its times", async () => {
  const { run, reports } = stage([busy(1), broken, ok]);
  await run(get);
  expect(reports.map(({ verb, resource, code, attempt }) => [verb, resource, code, attempt])).toEqual([
    ["get", "pods", "429", 1],
    ["get", "pods", "broken", 2],
    ["get", "pods", "200", 3],
  ]);
});

test("an aborted call is reported as such", async () => {
  const { call, reports, clock } = stage([undefined]);
  const controller = new AbortController();
  const end = expect(call({ ...get, signal: controller.signal })).rejects.toThrow("stop");
  await clock.elapse(70);
  controller.abort(new Error("stop"));
  await end;
  expect(reports).toEqual([
    { verb: "get", resource: "pods", code: "aborted", durationMs: 70, waitedMs: 0, attempt: 1 },
  ]);
});

test("the request carries our name, the wanted type, the size limit, and a body only where there is one", async () => {
  const { run, transport } = stage(() => ok);
  await run(get);
  await run({
    ...post,
    body: { big: 9007199254740993n },
    contentType: "application/merge-patch+json",
    answerBytesMax: 5,
  });
  expect(transport.requests.map(({ signal, ...request }) => request)).toEqual([
    {
      method: "GET",
      path: "/api/v1/pods/a",
      headers: { accept: "application/json", "user-agent": "tester" },
      lane: "calls",
      answerBytesMax: 1_000,
    },
    {
      method: "POST",
      path: "/api/v1/pods",
      headers: { accept: "application/json", "user-agent": "tester", "content-type": "application/merge-patch+json" },
      body: '{"big":9007199254740993}',
      lane: "calls",
      answerBytesMax: 5,
    },
  ]);
});

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { get as httpsGet } from "node:https";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Cluster, startCluster } from "./cluster.ts";
import { describeWith } from "./describe-with.ts";
import { eventually } from "./eventually.ts";
import type { Decide, Fault, Moment } from "./fault.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { type Answer, type Call, call } from "./https-call.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const SHORT_MS = 300;
const RESET = /(connect|read|write) ECONNRESET/;
const NO_ANSWER = /abort|timeout/i;

function configMap(name: string): unknown {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
}

describeWith("api", "the fault proxy", (binaries) => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  let moments: Moment[] = [];

  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api" });
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    moments = [];
    const observe = (moment: Moment) => void moments.push(moment);
    proxy = await startFaultProxy({ target: cluster.address, certificate: cluster.certificate, observe });
  });
  afterEach(() => proxy.stop());

  const through = (path: string, options: Call = {}): Promise<Answer> =>
    call(proxy.address.url + path, { ca: proxy.address.ca, token: cluster.token(), ...options });
  const direct = (path: string, options: Call = {}): Promise<Answer> =>
    call(cluster.address.url + path, { ca: cluster.address.ca, token: cluster.token(), ...options });
  const create = (name: string, options: Call = {}): Promise<Answer> =>
    through(CONFIG_MAPS, { body: configMap(name), ...options });
  const createDirectly = (name: string): Promise<Answer> => direct(CONFIG_MAPS, { body: configMap(name) });
  const exists = async (name: string): Promise<boolean> => (await direct(`${CONFIG_MAPS}/${name}`)).status === 200;

  /** The fault meets creates only, so that the test's own reads stay unharmed. */
  const onCreate =
    (fault: Fault): Decide =>
    (request) =>
      request.verb === "create" ? fault : { do: "pass" };

  test("passes requests and counts them by class", async () => {
    expect((await create("passed")).status).toBe(201);
    expect((await through(`${CONFIG_MAPS}/passed`)).status).toBe(200);
    expect((await through(`${CONFIG_MAPS}/passed`)).status).toBe(200);
    expect([...proxy.counts()]).toEqual([
      ["get configmaps", 2],
      ["create configmaps", 1],
    ]);
  });

  test("drop: the server never sees the request and the client never gets an answer", async () => {
    proxy.decideWith(onCreate({ do: "drop" }));
    await expect(create("dropped", { timeoutMs: SHORT_MS })).rejects.toThrow(NO_ANSWER);
    expect(moments).toEqual(["received"]);
    expect(await exists("dropped")).toBe(false);
  });

  test("reset: the client gets a reset and the server nothing", async () => {
    proxy.decideWith(onCreate({ do: "reset" }));
    await expect(create("reset")).rejects.toThrow(RESET);
    expect(await exists("reset")).toBe(false);
  });

  test("lose-answer: the write is committed although the client only sees a reset", async () => {
    proxy.decideWith(onCreate({ do: "lose-answer" }));
    await expect(create("committed")).rejects.toThrow(RESET);
    expect(moments).toEqual(["received", "forwarded", "answered"]);
    expect(await exists("committed")).toBe(true);
    proxy.decideWith(() => ({ do: "pass" }));
    expect((await create("committed")).status).toBe(409);
  });

  test("swallow: the write is committed, the connection stays open, nothing comes back", async () => {
    proxy.decideWith(onCreate({ do: "swallow" }));
    await expect(create("swallowed", { timeoutMs: SHORT_MS })).rejects.toThrow(NO_ANSWER);
    expect(moments).toEqual(["received", "forwarded", "answered"]);
    expect(await exists("swallowed")).toBe(true);
  });

  test.each(["request", "answer"] as const)("delay of the %s: late, but whole", async (what) => {
    proxy.decideWith(onCreate({ do: "delay", what, ms: SHORT_MS }));
    const startedMs = performance.now();
    const name = `delayed-${what}`;
    const pending = create(name);
    if (what === "answer")
      await eventually("the write is committed", async () => (await exists(name)) || undefined, { deadlineMs: 5_000 });
    expect((await pending).status).toBe(201);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(SHORT_MS - 1);
  });

  test("answer: the proxy speaks for a server that is busy, with Retry-After", async () => {
    proxy.decideWith((request) =>
      request.number === 1 ? { do: "answer", status: 429, retryAfterSeconds: 7 } : { do: "answer", status: 503 },
    );
    const busy = await create("busy");
    expect([busy.status, busy.headers["retry-after"]]).toEqual([429, "7"]);
    expect(JSON.parse(busy.text)).toMatchObject({
      kind: "Status",
      reason: "TooManyRequests",
      details: { retryAfterSeconds: 7 },
    });
    expect((await create("busy")).status).toBe(503);
    expect(await exists("busy")).toBe(false);
  });

  test("break-answer: the client gets the beginning of the answer, then a reset", async () => {
    proxy.decideWith(() => ({ do: "break-answer", afterBytes: 10 }));
    await expect(through(CONFIG_MAPS)).rejects.toThrow(/ECONNRESET|aborted/);
  });

  test("refuse: nobody gets in until heal()", async () => {
    proxy.refuse();
    await expect(through("/readyz")).rejects.toThrow(RESET);
    proxy.heal();
    expect((await through("/readyz")).status).toBe(200);
  });

  test("a server that is down looks like one: the client gets a reset", async () => {
    proxy.aimAt({ ...cluster.address, url: "https://127.0.0.1:1" });
    await expect(through("/readyz")).rejects.toThrow(RESET);
    proxy.aimAt(cluster.address);
    expect((await through("/readyz")).status).toBe(200);
  });

  test("cut of the answers: the write is committed; healing delivers the answer late", async () => {
    proxy.cut("answers");
    const pending = create("one-way");
    await eventually("the write is committed", async () => (await exists("one-way")) || undefined, {
      deadlineMs: 5_000,
    });
    expect(await unsettled(pending)).toBe(true);
    proxy.heal();
    expect((await pending).status).toBe(201);
  });

  test("cut of the requests: a running watch goes on, a new write waits until healing", async () => {
    const watch = await openWatch();
    proxy.cut("requests");
    const pending = create("held");
    await createDirectly("seen-by-watch");
    await eventually("the watch tells it", () => watch.text().includes("seen-by-watch") || undefined, {
      deadlineMs: 5_000,
    });
    expect(await exists("held")).toBe(false);
    proxy.heal();
    expect((await pending).status).toBe(201);
    watch.close();
  });

  test("cut of the answers silences a running watch without ending it", async () => {
    const watch = await openWatch();
    proxy.cut("answers");
    await createDirectly("told-late");
    expect(watch.text()).not.toContain("told-late");
    expect(watch.hasEnded()).toBe(false);
    proxy.heal();
    await eventually("the watch tells it", () => watch.text().includes("told-late") || undefined, {
      deadlineMs: 5_000,
    });
    watch.close();
  });

  test("resetConnections() breaks a running watch", async () => {
    const watch = await openWatch();
    proxy.resetConnections();
    await eventually("the watch is broken", () => watch.hasEnded() || undefined, { deadlineMs: 5_000 });
    expect((await through("/readyz")).status).toBe(200);
  });

  async function openWatch() {
    let text = "";
    let ended = false;
    const { url, ca } = proxy.address;
    const headers = { authorization: `Bearer ${cluster.token()}` };
    const request = httpsGet(`${url}${CONFIG_MAPS}?watch=true`, { ca, headers, agent: false });
    request.on("error", () => {});
    const [response]: IncomingMessage[] = await once(request, "response");
    response?.on("error", () => {});
    response?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    response?.on("close", () => {
      ended = true;
    });
    return { text: () => text, hasEnded: () => ended, close: () => request.destroy() };
  }
});

/** True while a promise has neither answer nor error. */
async function unsettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol("pending");
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
}

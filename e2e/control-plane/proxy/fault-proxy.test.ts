import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { get as httpsGet } from "node:https";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Cluster, startCluster } from "../cluster.ts";
import { describeWith } from "../describe-with.ts";
import { eventually } from "../eventually.ts";
import { type Answer, type Call, call } from "../https-call.ts";
import type { Decide, Fault, Moment } from "./fault.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const LONG_MS = 600_000;
const RESET = /(connect|read|write) ECONNRESET/;
const SILENCE = Symbol("no answer");

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
    expect(await staysSilent(create("dropped"))).toBe(true);
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
    const pending = create("swallowed");
    await committed("swallowed");
    expect(await staysSilent(pending)).toBe(true);
    expect(moments).toEqual(["received", "forwarded", "answered"]);
  });

  test("delay of the request: the server does not see it yet", async () => {
    proxy.decideWith(onCreate({ do: "delay", what: "request", ms: LONG_MS }));
    expect(await staysSilent(create("delayed-request"))).toBe(true);
    expect(moments).toEqual(["received"]);
    expect(await exists("delayed-request")).toBe(false);
  });

  test("delay of the answer: the write is committed, the client does not know yet", async () => {
    proxy.decideWith(onCreate({ do: "delay", what: "answer", ms: LONG_MS }));
    const pending = create("delayed-answer");
    await committed("delayed-answer");
    expect(await staysSilent(pending)).toBe(true);
  });

  test.each(["request", "answer"] as const)("delay of the %s: late, but whole", async (what) => {
    proxy.decideWith(onCreate({ do: "delay", what, ms: 10 }));
    expect((await create(`late-${what}`)).status).toBe(201);
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
    proxy.link.refuse();
    await expect(through("/readyz")).rejects.toThrow(RESET);
    proxy.link.heal();
    expect((await through("/readyz")).status).toBe(200);
  });

  test("a server that is down looks like one: the client gets a reset", async () => {
    proxy.aimAt({ ...cluster.address, url: "https://127.0.0.1:1" });
    await expect(through("/readyz")).rejects.toThrow(RESET);
    proxy.aimAt(cluster.address);
    expect((await through("/readyz")).status).toBe(200);
  });

  test("cut of the answers: the write is committed, and the answer comes with healing", async () => {
    proxy.link.cut("answers");
    const pending = create("one-way");
    await committed("one-way");
    expect(await staysSilent(pending)).toBe(true);
    proxy.link.heal();
    expect((await pending).status).toBe(201);
  });

  test("cut of the answers: a new watch gets not even its head until healing", async () => {
    proxy.link.cut("answers");
    const opening = openWatch();
    expect(await staysSilent(opening)).toBe(true);
    proxy.link.heal();
    (await opening).close();
  });

  test("cut of the requests: a running watch goes on, a new write waits until healing", async () => {
    const watch = await openWatch();
    proxy.link.cut("requests");
    const pending = create("held");
    await createDirectly("seen-by-watch");
    await eventually("the watch tells it", () => watch.text().includes("seen-by-watch") || undefined, {
      deadlineMs: 5_000,
    });
    expect(await exists("held")).toBe(false);
    proxy.link.heal();
    expect((await pending).status).toBe(201);
    watch.close();
  });

  test("cut of the answers silences a running watch without ending it", async () => {
    const watch = await openWatch();
    proxy.link.cut("answers");
    await createDirectly("told-late");
    await roundTrips();
    expect(watch.text()).not.toContain("told-late");
    expect(watch.hasEnded()).toBe(false);
    proxy.link.heal();
    await eventually("the watch tells it", () => watch.text().includes("told-late") || undefined, {
      deadlineMs: 5_000,
    });
    watch.close();
  });

  test("resetConnections() breaks a running watch", async () => {
    const watch = await openWatch();
    proxy.link.resetConnections();
    await eventually("the watch is broken", () => watch.hasEnded() || undefined, { deadlineMs: 5_000 });
    expect((await through("/readyz")).status).toBe(200);
  });

  /** Time enough for bytes to come through, if they could. */
  async function roundTrips(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await direct(CONFIG_MAPS);
  }

  /** True when nothing comes of a request although there was time for it. */
  async function staysSilent(pending: Promise<unknown>): Promise<boolean> {
    // The end of the test resets the connection.
    pending.catch(() => {});
    await roundTrips();
    return (await Promise.race([pending, Promise.resolve(SILENCE)])) === SILENCE;
  }

  const committed = (name: string) =>
    eventually(`${name} is committed`, async () => (await exists(name)) || undefined, { deadlineMs: 10_000 });

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

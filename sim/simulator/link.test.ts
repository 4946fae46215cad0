// Each fault of the network, forced by a tape, does what its name says: what the server holds and what the caller is told.
import { expect, test } from "vitest";
import type { KubeObject, Resource } from "../../src/kube/resource.ts";
import type { HttpRequest, Transport } from "../../src/kube/transport.ts";
import { TransportError } from "../../src/kube/transport-error.ts";
import { plainKinds } from "../api-server/plain-kinds.ts";
import type { Ports } from "./ports.ts";
import type { Scenario } from "./scenario.ts";
import type { Choice } from "./tape.ts";
import { createWorld } from "./world.ts";

const calm: Scenario = {
  ...{ name: "calm", about: "", faultsMs: 60_000, settleMs: 0, quietMs: 0, faults: [], worldFaults: [] },
  ...{ invariants: [], requestRules: [], isNoise: () => false, unsettled: () => undefined },
  setUp: async () => undefined,
};
const entries: Resource = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };
const path = "/api/v1/namespaces/default/configmaps";
const anEntry = (name: string): KubeObject => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } },
});

/** Faults without a place are those of the process. */
const fullName = (fault: string) => (fault.startsWith("replica-") ? fault : `p-${fault}`);

/** A world with one process whose network does what the tape says, and nothing else. */
function aProcess(forced: Readonly<Record<string, readonly (number | Choice)[]>>) {
  const streams = new Map<string, readonly Choice[]>(
    Object.entries(forced).map(([name, at]) => [
      fullName(name),
      at.map((choice) => (typeof choice === "number" ? { at: choice, value: 1 } : choice)),
    ]),
  );
  const tape = { scenario: "calm", seed: 1, streams };
  const world = createWorld({ scenario: calm, source: { tape }, builtIn: plainKinds, keepsTrace: true });
  const lives: Ports[] = [];
  const host = world.host("p", (ports) => lives.push(ports));
  const transport: Transport = {
    request: (request) => lives[0]?.transport.request(request) ?? Promise.reject(new Error("not started")),
    stream: (request) => lives[0]?.transport.stream(request) ?? Promise.reject(new Error("not started")),
  };
  return { world, host, lives, transport };
}

const post = (name: string): HttpRequest => ({
  ...{ method: "POST", path, lane: "calls", headers: { "content-type": "application/json" } },
  body: JSON.stringify(anEntry(name)),
});

/** How an answer looks to who waits for it: a status, why there is none, or nothing at all. */
async function outcome({ world, transport }: ReturnType<typeof aProcess>, request: HttpRequest): Promise<string> {
  let seen = "no answer";
  transport.request(request).then(
    ({ status }) => {
      seen = `${status}`;
    },
    (error: unknown) => {
      seen = error instanceof TransportError ? error.reason : String(error);
    },
  );
  await world.clock.elapse(30_000);
  return seen;
}

test.each([
  ["none", "201", true],
  ["refused", "unreachable", false],
  ["request-lost", "broken", false],
  ["mute", "no answer", false],
  ["overloaded", "429", false],
  ["failed", "500", false],
  ["answer-lost", "broken", true],
  ["failed-after", "504", true],
  ["crash-before-write", "no answer", false],
  ["crash-after-write", "no answer", true],
  ["crash-at-answer", "201", true],
  ["slow", "201", true],
  ["request-twice", "201", true],
  ["goes-away", "201", true],
  ["unauthorized", "401", false],
  ["forbidden", "403", false],
  ["conflict", "409", false],
  ["invalid", "422", false],
])("%s: the caller is told %s, the server has acted: %s", async (fault, told, hasActed) => {
  const process = aProcess({ [fault]: [0] });
  expect(await outcome(process, post("a"))).toBe(told);
  expect(process.world.state.object("configmaps", "default/a") !== undefined).toBe(hasActed);
});

test.each([
  ["failed", ["500", "503", "504"], false],
  ["failed-after", ["504", "500", "503"], true],
])("%s has the faces %j, the server has acted: %s", async (fault, faces, hasActed) => {
  for (const [face, told] of faces.entries()) {
    const process = aProcess({ [fault]: [0], [`${fault}-how`]: [{ at: 0, value: face }] });
    expect(await outcome(process, post("a"))).toBe(told);
    expect(process.world.state.object("configmaps", "default/a") !== undefined).toBe(hasActed);
  }
});

test("a process that dies at an answer has done what it does at once, and is started anew", async () => {
  const process = aProcess({ "crash-at-answer": [0] });
  const seen: string[] = [];
  void process.transport.request(post("a")).then(({ status }) => seen.push(`${status}`));
  process.lives[0]?.clock.after(100, () => seen.push("later"));
  await process.world.clock.elapse(2_000);
  expect([seen, process.lives.length]).toEqual([["201"], 2]);
});

test("a process that dies when a timer is due does nothing of what the timer was for", async () => {
  const process = aProcess({ "dies-at-timer": [1] });
  const fired: number[] = [];
  for (const ms of [10, 20]) process.lives[0]?.clock.after(ms, () => fired.push(ms));
  await process.world.clock.elapse(2_000);
  expect([fired, process.lives.length]).toEqual([[10], 2]);
});

test("an old server refuses to stream a list, and one that has forgotten a page says so", async () => {
  const get = (query: string): HttpRequest => ({ method: "GET", path: `${path}?${query}`, headers: {}, lane: "calls" });
  const process = aProcess({ "old-server": [0], "position-expired": [0] });
  const streamed = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  expect([await outcome(process, get(streamed)), await outcome(process, get("limit=1"))]).toEqual(["422", "200"]);
  expect(await outcome(process, get("limit=1&continue=x"))).toBe("410");
});

test("a write that arrives twice is done twice, and its sender hears of one", async () => {
  const process = aProcess({ "request-twice": [0] });
  const body = JSON.stringify({ ...anEntry(""), metadata: { generateName: "a-", namespace: "default" } });
  expect(await outcome(process, { ...post(""), body })).toBe("201");
  expect([...process.world.state.objects("configmaps")]).toHaveLength(2);
});

test("who only reads is never told that a write cannot be", async () => {
  const process = aProcess({ conflict: [0], invalid: [0] });
  expect(await outcome(process, { method: "GET", path, headers: {}, lane: "calls" })).toBe("200");
});

test("no connection comes about while a certificate has expired, and one does as soon as it is renewed", async () => {
  const process = aProcess({});
  process.host.distrust(40_000);
  expect(await outcome(process, post("a"))).toBe("untrusted");
  await process.world.clock.elapse(10_000);
  expect(await outcome(process, post("a"))).toBe("201");
});

test.each([
  ["timer-early", 999],
  ["timer-late", 1_400],
])("a timer of a second with the fault %s fires after %s ms", async (fault, afterMs) => {
  const process = aProcess({ [fault]: [0], "timer-late-how": [0] });
  const fired: number[] = [];
  const { clock } = process.world;
  process.lives[0]?.clock.after(1_000, () => fired.push(clock.monotonicMs()));
  await clock.elapse(10_000);
  expect(fired).toEqual([afterMs]);
});

test.each([
  ["clock-rate", 950],
  ["clock-wild", 500],
])("with %s a second of the world is %s ms of the process", async (fault, itsMs) => {
  const process = aProcess({ [fault]: [0] });
  await process.world.clock.elapse(1_000);
  expect(process.lives[0]?.clock.monotonicMs()).toBeCloseTo(itsMs);
});

test("a process that died is started anew, with an identity and a memory of its own", async () => {
  const process = aProcess({ "crash-after-write": [0] });
  await outcome(process, post("a"));
  expect(process.lives.map(({ identity }) => identity)).toEqual(["p.1", "p.2"]);
  expect(process.host.lives.map(({ name }) => name)).toEqual(["p.2"]);
});

test("a dead process sends nothing more, and its timers do not fire", async () => {
  const process = aProcess({});
  let fired = 0;
  process.lives[0]?.clock.after(100, () => fired++);
  process.host.lives[0]?.crash();
  expect(await outcome(process, post("a"))).toBe("no answer");
  expect([fired, process.world.state.object("configmaps", "default/a")]).toEqual([0, undefined]);
});

test("a process that hangs gets everything when it goes on", async () => {
  const process = aProcess({});
  const fired: number[] = [];
  const [ports] = process.lives;
  for (const ms of [10, 20]) ports?.clock.after(ms, () => fired.push(ms));
  process.host.lives[0]?.pause();
  await process.world.clock.elapse(1_000);
  expect(fired).toEqual([]);
  process.host.lives[0]?.resume();
  await process.world.clock.elapse(0);
  expect(fired).toEqual([10, 20]);
});

test("a wall clock that jumped is right again when the faults are over, and monotonic time never noticed", async () => {
  const process = aProcess({});
  const clockOf = () => [process.lives[0]?.clock.wallMs(), process.lives[0]?.clock.monotonicMs()];
  const before = clockOf();
  process.host.lives[0]?.clock.jumpWall(3_600_000);
  expect(clockOf()).toEqual([(before[0] ?? 0) + 3_600_000, 0]);
  process.host.calm();
  expect(clockOf()).toEqual(before);
});

test("a process that is cut off hears nothing, and what it sent arrives when it no longer counts on it", async () => {
  const process = aProcess({});
  process.host.cutOff(40_000);
  expect(await outcome(process, post("a"))).toBe("no answer");
  expect(process.world.state.object("configmaps", "default/a")).toBeUndefined();
  await process.world.clock.elapse(10_000);
  expect(process.world.state.object("configmaps", "default/a")).toBeDefined();
});

test("what a process throws at the world is a finding", async () => {
  const process = aProcess({});
  process.lives[0]?.clock.after(10, () => {
    throw new Error("no luck");
  });
  await process.world.clock.elapse(10);
  expect(process.world.failure()).toMatchObject({ oracle: "Uncaught", message: expect.stringContaining("no luck") });
});

/** What a watcher of the entries gets to see of three creates, and how it ends. */
async function watched(forced: Readonly<Record<string, readonly number[]>>, stop?: AbortSignal) {
  const process = aProcess(forced);
  const seen: string[] = [];
  const follow = async () => {
    const signal = stop === undefined ? {} : { signal: stop };
    const watch = {
      method: "GET",
      path: `${path}?watch=true&resourceVersion=1`,
      headers: {},
      lane: "watches",
    } as const;
    const { chunks } = await process.transport.stream({ ...watch, ...signal });
    for await (const chunk of chunks) {
      const { type, object } = JSON.parse(new TextDecoder().decode(chunk));
      seen.push(`${type} ${object.metadata.name ?? object.code}`);
    }
    seen.push("end");
  };
  const wordFor = (error: unknown) => (error instanceof SyntaxError ? "no JSON" : String(error));
  follow().catch((error: unknown) => seen.push(error instanceof TransportError ? error.reason : wordFor(error)));
  const user = process.world.client("user");
  await process.world.clock.elapse(100);
  for (const name of ["a", "b", "c"]) {
    await user.create(entries, anEntry(name));
    await process.world.clock.elapse(100);
  }
  return { process, seen };
}

test.each([
  ["none", ["ADDED a", "ADDED b", "ADDED c"]],
  ["watch-broken", ["ADDED a", "broken"]],
  ["watch-ended", ["ADDED a", "end"]],
  ["watch-silent", ["ADDED a"]],
  ["watch-twice", ["ADDED a", "ADDED b", "ADDED b", "ADDED c"]],
  ["watch-garbled", ["ADDED a", "no JSON"]],
  ["event-dropped", ["ADDED a", "ADDED c"]],
])("a stream with the fault %s shows %j", async (fault, expected) => {
  const { seen } = await watched({ [fault]: [1] });
  expect(seen).toEqual(expected);
});

test("a server that goes away ends all that streams at once, after the answer that it owed", async () => {
  const { process, seen } = await watched({ "goes-away": [0] });
  expect(seen).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
  expect(await outcome(process, post("d"))).toBe("201");
  expect(seen.at(-1)).toBe("end");
});

test("bookmarks may be lost, but not the one that ends the initial events", async () => {
  const bookmarks = async (forced: Readonly<Record<string, readonly number[]>>) => {
    const process = aProcess(forced);
    let text = "";
    const initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const watch = { method: "GET", path: `${path}?watch=true&${initial}`, headers: {}, lane: "watches" } as const;
    const follow = async () => {
      const { chunks } = await process.transport.stream(watch);
      for await (const chunk of chunks) text += new TextDecoder().decode(chunk);
    };
    void follow();
    await process.world.clock.elapse(150_000);
    return text.split("\n").map((line) => (line.includes("initial-events-end") ? "end" : line.slice(9, 17)));
  };
  const all = await bookmarks({});
  expect(all).toEqual(["end", "BOOKMARK", "BOOKMARK", ""]);
  expect(await bookmarks({ "bookmark-lost": [0] })).toEqual(["end", "BOOKMARK", ""]);
});

test("a slow piece holds up those behind it, and none is lost or overtaken", async () => {
  const { process, seen } = await watched({ slow: [2] });
  await process.world.clock.elapse(30_000);
  expect(seen).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
});

test("a connection to a replica that lags shows an old picture, until the replica has caught up", async () => {
  const process = aProcess({ "stale-server": [0, 1], "replica-a-freeze": [0] });
  const list: HttpRequest = { method: "GET", path: `${path}?resourceVersion=0`, headers: {}, lane: "calls" };
  const names = async () => {
    const answer = process.transport.request(list);
    await process.world.clock.elapse(10);
    const { items } = JSON.parse(new TextDecoder().decode((await answer).body));
    return items.map(({ metadata }: KubeObject) => metadata.name);
  };
  await process.world.client("user").create(entries, anEntry("a"));
  expect(await names()).toEqual([]);
  await process.world.clock.elapse(200);
  expect(await names()).toEqual(["a"]);
});

test("clogged streams keep what they carry, each until it is let go", async () => {
  const { process, seen } = await watched({});
  process.host.clog(path, 0, 5_000);
  await process.world.client("user").create(entries, anEntry("d"));
  await process.world.clock.elapse(4_000);
  expect(seen.at(-1)).toBe("ADDED c");
  await process.world.clock.elapse(2_000);
  expect(seen.at(-1)).toBe("ADDED d");
});

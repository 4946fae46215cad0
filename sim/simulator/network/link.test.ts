// Each fault of the network, forced by a tape, does what its name says: what the server holds and what the caller is told.
import { expect, test } from "vitest";
import type { KubeObject } from "../../../src/kube/resource.ts";
import type { HttpRequest } from "../../../src/kube/transport.ts";
import { TransportError } from "../../../src/kube/transport-error.ts";
import { anEntry, aProcess, entries, outcome, path, post } from "../testing/link-fixture.ts";

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

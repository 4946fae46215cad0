// How a cache starts, follows and reports. Long runs against random trouble are in cache-chaos.test.ts.
import { describe, expect, test } from "vitest";
import {
  aCache,
  aList,
  aPod,
  bookmark,
  broken,
  event,
  expired,
  inTurn,
  listed,
  quiet,
  type Reply,
  refused,
} from "../../../sim/stated-cache.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

describe("a cache that starts", () => {
  test("streams the list by quorum, then follows the same stream", async () => {
    const { cache, clock, requests, changes, names } = aCache(
      inTurn(listed(10, [aPod("a", 3), aPod("b", 7, { node: "w2" })], event("ADDED", aPod("c", 11)))),
    );
    await clock.elapse(1);
    await cache.synced;
    expect(requests).toEqual([
      {
        ...{ labelSelector: "a=b", watch: "true", allowWatchBookmarks: "true", atMs: "0" },
        ...{ sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" },
        timeoutSeconds: expect.stringMatching(/^[123][0-9][0-9]$/),
      },
    ]);
    expect([names(), cache.resourceVersion, cache.size]).toEqual([["a", "b", "c"], "11", 3]);
    expect([cache.get("ns/b"), [...cache.by("node", "w2")], cache.count("node", "w1")]).toEqual([
      { name: "b", node: "w2" },
      [{ name: "b", node: "w2" }],
      2,
    ]);
    expect(changes.map(({ key, initial }) => [key, initial])).toEqual([
      ["ns/a", true],
      ["ns/b", true],
      ["ns/c", false],
    ]);
  });

  test("shows nothing of a list that is not whole", async () => {
    const half: Reply = { body: [event("ADDED", aPod("a", 3))], after: "stay" };
    const { cache, clock, names } = aCache(inTurn(half));
    await clock.elapse(30 * SECOND_MS);
    expect([names(), cache.resourceVersion, cache.vitals().isSynced]).toEqual([[], "", false]);
  });

  test("lists in pages where the server refuses to stream, and watches from the version of the list", async () => {
    const { clock, requests, names } = aCache(
      inTurn(refused(422, "Invalid"), aList(20, [aPod("a", 3)], "page two"), aList(20, [aPod("b", 4)]), {
        body: [event("DELETED", aPod("a", 21))],
        after: "stay",
      }),
      { pageSize: 1 },
    );
    await clock.elapse(1);
    expect(
      requests.slice(1).map(({ limit, continue: from, resourceVersion }) => [limit, from, resourceVersion]),
    ).toEqual([
      ["1", undefined, undefined],
      ["1", "page two", undefined],
      [undefined, undefined, "20"],
    ]);
    expect(names()).toEqual(["b"]);
  });

  test("tells of every request: its verb, its resource, how it was answered, and how long that took", async () => {
    const calls: unknown[] = [];
    const { clock } = aCache(
      inTurn(refused(422, "Invalid"), aList(20, [aPod("a", 3)]), "never"),
      {},
      { onCall: ({ verb, resource, code, durationMs }) => calls.push([verb, resource, code, durationMs]) },
    );
    await clock.elapse(MINUTE_MS);
    expect(calls).toEqual([
      ["watch", "pods", "422", 0],
      ["list", "pods", "200", 0],
      ["watch", "pods", "timeout", MINUTE_MS],
    ]);
  });

  test("gives the objects of a list the kind that those of a watch have", async () => {
    const { metadata, spec } = aPod("a", 3);
    const added = { ...quiet, body: [event("ADDED", aPod("b", 6))] };
    const { clock, objects } = aCache(inTurn(refused(400, "BadRequest"), aList(5, [{ metadata, spec }]), added));
    await clock.elapse(1);
    expect(objects).toEqual([aPod("a", 3), aPod("b", 6)]);
  });

  test("starts a list over, in one page, when its position expires in the middle", async () => {
    const { clock, requests, names } = aCache((query) => {
      if (query.sendInitialEvents !== undefined) return refused(400, "BadRequest");
      if (query.watch !== undefined) return quiet;
      if (query.limit === undefined) return aList(30, [aPod("b", 25), aPod("c", 26)]);
      return query.continue === undefined ? aList(20, [aPod("a", 3)], "next") : refused(410, "Expired");
    });
    await clock.elapse(SECOND_MS);
    expect([names(), requests.length]).toEqual([["b", "c"], 5]);
  });

  test("does not mix pages of two versions", async () => {
    const { clock, names } = aCache((query) => {
      if (query.sendInitialEvents !== undefined) return refused(400, "BadRequest");
      if (query.watch !== undefined) return quiet;
      if (query.limit === undefined) return aList(40, [aPod("d", 33)]);
      return query.continue === undefined ? aList(20, [aPod("a", 3)], "next") : aList(30, [aPod("b", 25)]);
    });
    await clock.elapse(SECOND_MS);
    expect(names()).toEqual(["d"]);
  });

  test("rejects `synced` when it is stopped before, and leaves nothing behind", async () => {
    const { cache, clock, stop, running } = aCache(inTurn("never"));
    await clock.elapse(5);
    stop.abort(new Error("enough"));
    await running;
    await expect(cache.synced).rejects.toThrow("enough");
    expect(clock.nextDueMs()).toBeUndefined();
  });
});

describe("a watch that ends", () => {
  test.each([
    { name: "with 410 in an event", last: expired },
    { name: "with 410 as an answer", last: refused(410, "Gone") },
  ])("is followed by a list into the same store: $name", async ({ last }) => {
    const first = broken(listed(10, [aPod("a", 3), aPod("b", 4), aPod("c", 5)]));
    const second = listed(30, [aPod("b", 4), aPod("c", 25, { uid: "another" }), aPod("d", 26)]);
    const { clock, changes } = aCache(inTurn(first, last, second));
    await clock.elapse(10 * SECOND_MS);
    expect(changes.slice(3).map(({ key, was, now }) => [key, was !== undefined, now !== undefined])).toEqual([
      ["ns/a", true, false],
      ["ns/c", true, false],
      ["ns/c", false, true],
      ["ns/d", false, true],
    ]);
  });

  test("is resumed at once behind the last version seen, also when its last line was torn", async () => {
    const torn = `${JSON.stringify(event("ADDED", aPod("b", 12)))}\n${JSON.stringify(bookmark(15))}\n{"type":"ADDED","obj`;
    const { clock, requests, names } = aCache(inTurn(broken(listed(10, [aPod("a", 3)])), { body: torn }, quiet));
    await clock.elapse(SECOND_MS);
    await clock.elapse(SECOND_MS);
    expect(requests.map(({ resourceVersion }) => resourceVersion)).toEqual([undefined, "10", "15"]);
    expect(names()).toEqual(["a", "b"]);
  });

  test("because nothing came for 90 s is given up and resumed", async () => {
    const { clock, requests } = aCache(inTurn(listed(10, []), quiet));
    await clock.elapse(89 * SECOND_MS);
    expect(requests).toHaveLength(1);
    await clock.elapse(2 * SECOND_MS);
    expect(requests[1]).toMatchObject({ resourceVersion: "10" });
  });

  test("turned away with Retry-After is not asked again before", async () => {
    const busy = refused(429, "TooManyRequests", { "retry-after": "7" });
    const { clock, requests } = aCache(inTurn(busy, listed(10, [])));
    await clock.elapse(7 * SECOND_MS - 1);
    expect(requests).toHaveLength(1);
    await clock.elapse(3 * SECOND_MS);
    expect(requests).toHaveLength(2);
  });

  test("is asked for between 3 and 5 minutes, each time another", async () => {
    const { clock, requests } = aCache((_query, index) =>
      index === 0 ? listed(10, []) : { body: [bookmark(10 + index)] },
    );
    await clock.elapse(MINUTE_MS * 4);
    const seconds = requests.map(({ timeoutSeconds }) => Number(timeoutSeconds));
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(180);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(300);
    expect(new Set(seconds).size).toBeGreaterThan(20);
  });
});

describe("more objects than allowed", () => {
  test("stop the cache loudly: it keeps the last whole state, says so, and recovers when there is room", async () => {
    const three = [aPod("a", 3), aPod("b", 4), aPod("c", 5)];
    let items: readonly unknown[] = three.slice(0, 2);
    const { cache, clock, names } = aCache(
      (query) => {
        if (query.sendInitialEvents !== undefined) return listed(10, items, event("ADDED", aPod("c", 11)));
        return query.watch === undefined ? aList(12, items) : quiet;
      },
      { objectsMax: 2 },
    );
    await clock.elapse(100);
    expect([names(), cache.vitals().trouble]).toEqual([
      ["a", "b"],
      expect.objectContaining({
        reason: "TooManyObjects",
        message: expect.stringMatching(/more than 2 pods; narrow the selector or raise objectsMax/),
      }),
    ]);
    items = three;
    await clock.elapse(5 * MINUTE_MS);
    expect([names(), cache.vitals().trouble?.forMs]).toEqual([["a", "b"], expect.any(Number)]);
    items = three.slice(2);
    await clock.elapse(MINUTE_MS);
    expect([names(), cache.vitals().trouble]).toEqual([["c"], undefined]);
  });
});

describe("vitals", () => {
  test("tell the size, the silence, the restarts and the trouble, until the server has shown that it is current", async () => {
    const { cache, clock } = aCache(
      inTurn(broken(listed(10, [aPod("a", 3)])), { status: 503, body: "" }, { body: [bookmark(10)], after: "stay" }),
    );
    await clock.elapse(1);
    expect(cache.vitals()).toMatchObject({
      size: 1,
      isSynced: true,
      silentMs: 1,
      trouble: { reason: "Broken", forMs: 1 },
    });
    await clock.elapse(1_500);
    expect(cache.vitals()).toMatchObject({ trouble: { reason: "ServerFailed", forMs: 1_501 } });
    await clock.elapse(2 * SECOND_MS);
    expect(cache.vitals().trouble).toBeUndefined();
    expect([...cache.vitals().restarts]).toEqual([
      ["Broken", 1],
      ["ServerFailed", 1],
    ]);
  });

  test("do not take a bookmark without a version for a sign of health", async () => {
    const empty: Reply = { body: [event("BOOKMARK", {})], after: "stay" };
    const { cache, clock, requests } = aCache(inTurn(broken(listed(10, [])), empty));
    await clock.elapse(2 * SECOND_MS);
    expect([requests.length, cache.vitals().trouble?.reason]).toEqual([2, "Broken"]);
  });

  test("a writer can wait for its own write", async () => {
    const { cache, clock } = aCache(inTurn(listed(10, [], event("ADDED", aPod("a", 12)))));
    let seen = false;
    void cache.observed("12", new AbortController().signal).then(() => {
      seen = true;
    });
    await clock.elapse(1);
    expect([seen, cache.get("ns/a")?.name]).toEqual([true, "a"]);
  });

  test("hooks and listeners that throw do not stop the cache", async () => {
    const fail = () => {
      throw new Error("mine");
    };
    const hooks = { onRestart: fail, onUnreadable: fail, onListenerFailure: fail };
    const poisoned = broken(listed(10, [aPod("a", 3), aPod("x", 4, { node: "poison" })]));
    const { cache, clock, names } = aCache(
      inTurn(poisoned, { body: [event("ADDED", aPod("b", 11))], after: "stay" }),
      {},
      hooks,
    );
    cache.changes(fail);
    await clock.elapse(2 * SECOND_MS);
    expect(names()).toEqual(["a", "b"]);
  });
});

// A cache that meets servers which are behind: replicas that lag, lists that lie, history that was set back.
import { describe, expect, test } from "vitest";
import { ObjectHistory } from "../../../sim/object-history.ts";
import { ScriptedServer } from "../../../sim/scripted-server.ts";
import { seededRand } from "../../../sim/seeded-rand.ts";
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
  pods,
  type Reply,
  refused,
} from "../../../sim/stated-cache.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { createCache } from "./cache.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

describe("a server that is behind", () => {
  test("cannot move the store back by events, bookmarks or a list", async () => {
    const old = [
      event("MODIFIED", aPod("a", 5, { node: "old" })),
      event("DELETED", aPod("b", 6)),
      event("ADDED", aPod("z", 7)),
      bookmark(8),
    ];
    const { cache, clock, names, changes } = aCache(
      inTurn(
        broken(listed(20, [aPod("a", 10), aPod("b", 11)])),
        { body: old },
        expired,
        listed(15, [aPod("a", 9, { node: "old" })]),
        aList(15, [aPod("a", 9, { node: "old" })]),
        listed(21, [aPod("a", 10), aPod("b", 21, { node: "w3" })]),
      ),
    );
    await clock.elapse(5 * SECOND_MS);
    expect([names(), cache.get("ns/a")?.node, cache.resourceVersion]).toEqual([["a", "b"], "w1", "20"]);
    await clock.elapse(MINUTE_MS);
    expect([names(), cache.get("ns/b")?.node, cache.resourceVersion]).toEqual([["a", "b"], "w3", "21"]);
    expect(changes.filter(({ now }) => now?.node === "old" || now === undefined)).toEqual([]);
  });

  test("is believed to be set back for good when lists stay old for minutes, and the cache follows", async () => {
    const { cache, clock, names } = aCache((query, index) => {
      if (index === 0) return broken(listed(500, [aPod("a", 400), aPod("b", 410)]));
      if (query.watch === undefined) return aList(450, [aPod("a", 400, { node: "restored" })]);
      return query.sendInitialEvents === undefined ? expired : refused(400, "BadRequest");
    });
    await clock.elapse(2 * MINUTE_MS);
    expect([names(), cache.vitals().trouble?.reason]).toEqual([["a", "b"], "StaleList"]);
    await clock.elapse(3 * MINUTE_MS);
    expect([names(), cache.get("ns/a")?.node, cache.resourceVersion]).toEqual([["a"], "restored", "450"]);
  });

  test("asks for a second list when the first one lacks almost everything", async () => {
    const many = Array.from({ length: 40 }, (_, index) => aPod(`p${index}`, 5));
    const lie = (later: Reply) => aCache(inTurn(broken(listed(10, many)), expired, listed(20, []), later));
    const lied = lie(aList(21, many));
    const told = lie(aList(21, []));
    await lied.clock.elapse(20 * SECOND_MS);
    await told.clock.elapse(20 * SECOND_MS);
    expect([lied.cache.size, lied.changes.length, told.cache.size]).toEqual([40, 40, 0]);
  });

  test("or in disorder within one stream is listed again, since only a list can tell what is true", async () => {
    const { clock, requests, names } = aCache(
      inTurn(
        listed(10, [aPod("a", 3)], event("DELETED", aPod("b", 15)), event("ADDED", aPod("b", 14))),
        listed(20, [aPod("a", 3), aPod("b", 18)]),
      ),
    );
    await clock.elapse(2 * SECOND_MS);
    expect([names(), requests[1]?.sendInitialEvents]).toEqual([["a", "b"], "true"]);
  });

  test("for ever, and says so by old bookmarks, is left for another, and a list brings what it hides", async () => {
    const clock = new VirtualClock();
    const history = new ObjectHistory();
    history.put("a", "white", 0);
    const server = new ScriptedServer({ clock, rand: seededRand(3), history, lagsMs: [1e9] });
    const ends: string[] = [];
    const cache = createCache({
      ...{ transport: server, clock, rand: seededRand(4), resource: pods, indexes: {} },
      project: ({ metadata }) => metadata.name,
      hooks: { onRestart: ({ reason }) => ends.push(reason) },
    });
    const stop = new AbortController();
    const running = cache.run(stop.signal);
    await clock.elapse(MINUTE_MS);
    history.put("b", "white", clock.monotonicMs());
    server.changed();
    await clock.elapse(9 * MINUTE_MS);
    expect([[...cache.values()], [...new Set(ends)]]).toEqual([["a", "b"], ["Behind"]]);
    stop.abort();
    await running;
  });
});

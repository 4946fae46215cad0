// What a cache does with answers that no API server should give: each costs as little as possible, and none makes a hot loop.
import { describe, expect, test } from "vitest";
import {
  type Answer,
  aCache,
  aList,
  aPod,
  bookmark,
  broken,
  endOfList,
  event,
  inTurn,
  listed,
  type Query,
  quiet,
  type Reply,
  refused,
} from "../../../sim/stated-cache.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

describe("bad input", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`;
  const deep = lineOf(event("ADDED", aPod("deep", 11, { node: "#" }))).replace(
    '"#"',
    `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
  );
  const good = lineOf(event("ADDED", aPod("good", 13)));

  test.each([
    { name: "binary", line: "\u0000\u0001\u0002\n" },
    { name: "no JSON", line: '{"type":"ADDED","object":{{}}\n' },
    { name: "a web page", line: "<html>\n" },
    { name: "two events in one line", line: `${lineOf(bookmark(11)).trim()}${lineOf(bookmark(12))}` },
    { name: "no metadata", line: lineOf(event("ADDED", { spec: {} })) },
    { name: "no name", line: lineOf(event("ADDED", { metadata: { uid: "u", resourceVersion: "11" } })) },
    { name: "no UID", line: lineOf(event("ADDED", { metadata: { name: "n", resourceVersion: "11" } })) },
    { name: "an error without code", line: lineOf(event("ERROR", {})) },
  ])("in a watch line ($name) ends the stream, and a list gets past it", async ({ line }) => {
    const { clock, requests, names } = aCache((query, index) => {
      if (index === 0) return broken(listed(10, [aPod("a", 3)]));
      if (query.sendInitialEvents !== undefined) return listed(12, [aPod("a", 3), aPod("good", 12)]);
      return { body: bytes(`${line}${good}`), after: "stay" };
    });
    await clock.elapse(20 * SECOND_MS);
    expect([names(), requests.map((each) => each.resourceVersion)]).toEqual([
      ["a", "good"],
      [undefined, "10", "10", "10", undefined],
    ]);
  });

  test("nested 10,000 deep is held as far as it can be read, and said to be cut, in a watch and in a list", async () => {
    const watch = aCache(inTurn({ body: bytes(`${lineOf(endOfList(10))}${deep}${good}`), after: "stay" }));
    await watch.clock.elapse(1);
    const item = deep.slice('{"type":"ADDED","object":'.length, -"}\n".length);
    const page = String(aList(20, ["#", aPod("good", 13)]).body).replace('"#"', item);
    const list = aCache(inTurn(refused(400, "BadRequest"), { body: page }, quiet));
    await list.clock.elapse(1);
    for (const { names, unreadable, cache } of [watch, list]) {
      expect(names()).toEqual(["deep", "good"]);
      expect(unreadable).toEqual([expect.stringMatching(/^pods: object "ns\/deep" is nested deeper than 500 levels/)]);
      expect(cache.vitals().trouble).toBeUndefined();
    }
  });

  test("of 10 MB in one line is read when it is an object", async () => {
    const { metadata } = aPod("big", 11);
    const big = event("ADDED", { metadata, spec: { node: "w1", text: "x".repeat(10_000_000) } });
    const { clock, names } = aCache(inTurn({ body: bytes(`${lineOf(endOfList(10))}${lineOf(big)}`), after: "stay" }));
    await clock.elapse(1);
    expect(names()).toEqual(["big"]);
  });

  test("longer than the limit is never kept: the watch ends, and the list leaves that object out", async () => {
    const { metadata } = aPod("big", 11);
    const big = { metadata, spec: { text: "x".repeat(5_000) } };
    const { clock, names, unreadable } = aCache(
      (query) => {
        if (query.sendInitialEvents !== undefined) return refused(400, "BadRequest");
        if (query.watch === undefined) return aList(10, [big, aPod("a", 3)]);
        return { body: [event("ADDED", big)], after: "stay" };
      },
      { objectBytesMax: 1_000 },
    );
    await clock.elapse(10 * SECOND_MS);
    expect(names()).toEqual(["a"]);
    expect(new Set(unreadable)).toEqual(
      new Set([expect.stringMatching(/^pods: an object of \d{4} bytes is longer than 1000$/)]),
    );
  });

  test("without end is not read to its end: neither a list that is none, nor a refusal, nor a line of a watch", async () => {
    const endless: Answer = { body: "<p>sorry</p>".repeat(30_000), after: "stay" };
    const list = aCache(inTurn(refused(400, "BadRequest"), endless));
    const refusal = aCache(inTurn({ ...endless, status: 500 }));
    const line = aCache(inTurn(broken(listed(10, [])), endless), { objectBytesMax: 1_000 });
    for (const { clock } of [list, refusal, line]) await clock.elapse(SECOND_MS);
    expect([list, refusal, line].map(({ cache }) => cache.vitals().trouble?.reason)).toEqual([
      "Garbled",
      "ServerFailed",
      "Garbled",
    ]);
  });

  test("on which the projection fails costs that one object, which stays as it was", async () => {
    const { cache, clock, names, unreadable } = aCache(
      inTurn(
        listed(
          10,
          [aPod("a", 3), aPod("b", 4), aPod("x", 5, { node: "poison" })],
          event("MODIFIED", aPod("a", 11, { node: "poison" })),
          event("MODIFIED", aPod("b", 12, { node: "poison", uid: "another" })),
          event("ADDED", aPod("c", 13)),
        ),
      ),
    );
    await clock.elapse(1);
    expect([names(), cache.get("ns/a"), cache.resourceVersion]).toEqual([["a", "c"], { name: "a", node: "w1" }, "13"]);
    expect(unreadable).toHaveLength(3);
    expect(unreadable[0]).toBe('pods: object "ns/x" cannot be read: no such node');
  });

  test("on which the projection fails in a later list leaves the object as it was, too", async () => {
    const first = broken(listed(10, [aPod("a", 3), aPod("b", 4)]));
    const second = listed(20, [aPod("a", 15, { node: "poison" }), aPod("b", 16, { node: "poison", uid: "another" })]);
    const { cache, clock, names } = aCache(inTurn(first, refused(410, "Gone"), second));
    await clock.elapse(10 * SECOND_MS);
    expect([names(), cache.get("ns/a")?.node, cache.resourceVersion]).toEqual([["a"], "w1", "20"]);
  });

  test.each<{ name: string; reply: (query: Query) => Reply; reason: string }>([
    { name: "never answers", reply: () => "never", reason: "Silent" },
    { name: "answers with a web page", reply: () => ({ body: "<html>welcome</html>" }), reason: "Garbled" },
    { name: "answers {}", reply: () => ({ body: "{}\n" }), reason: "Garbled" },
    { name: "ends every stream at once", reply: () => ({ body: "" }), reason: "Garbled" },
    {
      name: "denies all",
      reply: () => refused(403, "Forbidden"),
      reason: "Denied",
    },
    { name: "knows no such resource", reply: () => ({ status: 404, body: "404 page not found" }), reason: "NotFound" },
    { name: "fails", reply: () => ({ status: 500, body: "" }), reason: "ServerFailed" },
    {
      name: "says 410 to all",
      reply: () => refused(410, "Gone"),
      reason: "Expired",
    },
    { name: "pages without end", reply: () => aList(5, [], "again"), reason: "Garbled" },
  ])("from a server that $name makes no hot loop, and the trouble can be read", async ({ reply, reason }) => {
    const { cache, clock, requests } = aCache(reply, { pagesMax: 3 });
    await clock.elapse(10 * MINUTE_MS);
    expect(requests.length).toBeGreaterThan(4);
    expect(requests.length).toBeLessThan(150);
    await clock.elapse(10 * MINUTE_MS - 1);
    const late = requests.filter(({ atMs }) => Number(atMs) > 10 * MINUTE_MS);
    // Back-off has reached its end: at most one attempt per 15 s, of three requests where a list has pages.
    expect(late.length).toBeLessThan(3 * 40);
    expect(cache.vitals()).toMatchObject({ isSynced: false, trouble: { forMs: expect.any(Number) } });
    expect([...cache.vitals().restarts.keys()]).toContain(reason);
  });

  test("from a server whose watches end at once, for ever, makes no hot loop", async () => {
    const { cache, clock, requests } = aCache((query) =>
      query.sendInitialEvents === undefined ? { body: "" } : broken(listed(10, [aPod("a", 3)])),
    );
    await clock.elapse(60 * MINUTE_MS);
    expect(requests.length).toBeLessThan(300);
    expect(cache.size).toBe(1);
  });

  test("from a server that ends every watch after one event is followed, but not without pause", async () => {
    const { cache, clock, requests } = aCache((_query, index) =>
      index === 0 ? listed(10, []) : { body: [event("MODIFIED", aPod("a", 10 + index))] },
    );
    await clock.elapse(90 * SECOND_MS);
    const before = requests.length;
    await clock.elapse(10 * SECOND_MS);
    expect(requests.length - before).toBe(20);
    expect(cache.resourceVersion).toBe(String(9 + requests.length));
  });
});

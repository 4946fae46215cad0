// Watches: that nothing is missed or told twice, what they cost, and every way in which they end.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aServer, call, follow } from "../testing/plain-kinds.ts";
import { WATCH_BACKLOG_MAX } from "./watch-stream.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const aMap = (name: string, n = 0, labels: Readonly<Record<string, string>> = {}) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data: { n: `${n}` } },
});
const namesOf = (body: { readonly items?: unknown }) =>
  (body.items as readonly { readonly metadata: { readonly name: string } }[]).map(({ metadata }) => metadata.name);

describe("watches", () => {
  test("a watch from any version gives exactly the changes since, filtered as its selector says", async () => {
    const step = fc.record({ name: fc.constantFrom("a", "b"), do: fc.constantFrom("on", "off", "remove") });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.nat({ max: 25 }), async (steps, at) => {
        const { transport, server, clock } = aServer();
        const begin = server.revision();
        for (const { name, do: what } of steps) {
          if (what === "remove") await call(transport, "DELETE", `${maps}/${name}`);
          else if (
            (await call(transport, "PATCH", `${maps}/${name}`, { metadata: { labels: { on: what } } })).status === 404
          )
            await call(transport, "POST", maps, aMap(name, 0, { on: what }));
        }
        const from = begin + Math.min(at, server.revision() - begin);
        const before = await call(
          transport,
          "GET",
          `${maps}?resourceVersion=${from}&resourceVersionMatch=Exact&labelSelector=on%3Don`,
        );
        const watch = follow(
          transport,
          `${maps}?watch=true&timeoutSeconds=1&resourceVersion=${from}&labelSelector=on%3Don`,
        );
        await clock.elapse(1_000);
        await watch.whole;
        const held = new Set(namesOf(before.body));
        for (const { type, name, version } of watch.seen) {
          expect(type === "ADDED").toBe(!held.has(name));
          expect(Number(version)).toBeGreaterThan(from);
          if (type === "DELETED") held.delete(name);
          else held.add(name);
        }
        const now = namesOf((await call(transport, "GET", `${maps}?labelSelector=on%3Don`)).body);
        expect([...held].toSorted()).toEqual(now);
      }),
      { numRuns: 60 },
    );
  });

  test("an event's bytes are made once and shared by all watchers", async () => {
    const { transport, server } = aServer();
    const path = `${maps}?watch=true&resourceVersion=${server.revision()}`;
    const open = async () => {
      const { chunks } = await transport.stream({ method: "GET", path, headers: {}, lane: "watches" });
      return chunks[Symbol.asyncIterator]();
    };
    const [one, two] = [await open(), await open()];
    await call(transport, "POST", maps, aMap("a"));
    const [first, second] = [await one.next(), await two.next()];
    expect(first.value).toBe(second.value);
    await Promise.all([one.return?.(), two.return?.()]);
  });

  test("a version from before compaction ends the watch with a 410 in its first event", async () => {
    const { transport, server } = aServer();
    const version = server.revision();
    await call(transport, "POST", maps, aMap("a"));
    server.compact();
    const watch = follow(transport, `${maps}?watch=true&resourceVersion=${version}`);
    await watch.whole;
    expect(watch.seen).toMatchObject([{ type: "ERROR", object: { code: 410, reason: "Expired" } }]);
  });

  test("a reader that stops reading is ended: by compaction with a 410, by its backlog without a word", async () => {
    const { transport, server } = aServer();
    const path = `${maps}?watch=true&resourceVersion=${server.revision()}`;
    const open = async () => {
      const { chunks } = await transport.stream({ method: "GET", path, headers: {}, lane: "watches" });
      return chunks[Symbol.asyncIterator]();
    };
    const [late, slow] = [await open(), await open()];
    await call(transport, "POST", maps, aMap("a"));
    await call(transport, "PATCH", `${maps}/a`, { data: { n: "x" } });
    server.compact();
    expect(new TextDecoder().decode((await late.next()).value)).toContain('"code":410');
    expect((await late.next()).done).toBe(true);
    const write = { table: "configmaps", key: "default/a", object: aMap("a") };
    for (let n = 0; n <= WATCH_BACKLOG_MAX; n++) server.store.put(write);
    expect((await slow.next()).done).toBe(true);
  });

  test("bookmarks come every minute to those who want them, and the time limit ends a watch", async () => {
    const { transport, clock } = aServer();
    const path = `${maps}?watch=true&timeoutSeconds=150`;
    const [plain, marked] = [follow(transport, path), follow(transport, `${path}&allowWatchBookmarks=true`)];
    await clock.elapse(61_000);
    await call(transport, "POST", maps, aMap("a"));
    await clock.elapse(90_000);
    expect(plain.seen.map(({ type }) => type)).toEqual(["ADDED"]);
    expect(marked.seen.map(({ type }) => type)).toEqual(["BOOKMARK", "ADDED", "BOOKMARK"]);
    expect(marked.seen[2]?.version).toBe(marked.seen[1]?.version);
    expect([plain.isOver, marked.isOver]).toEqual([true, true]);
    expect(clock.timerCount).toBe(0);
  });

  test("a client that goes away breaks its watch and leaves nothing behind", async () => {
    const { transport, clock } = aServer();
    const gone = new AbortController();
    const watch = follow(transport, `${maps}?watch=true&allowWatchBookmarks=true`, gone.signal);
    await clock.settle();
    gone.abort();
    await watch.whole;
    expect(watch.failure).toMatchObject({ reason: "broken" });
    expect(clock.timerCount).toBe(0);
  });
});

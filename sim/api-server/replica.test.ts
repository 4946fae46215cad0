// Replicas that lag behind: what they show to whom, and how long a request waits for them.
import { describe, expect, test } from "vitest";
import { aServer, call, follow } from "./testing/plain-kinds.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const aMap = (name: string, n = 0, labels: Readonly<Record<string, string>> = {}) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data: { n: `${n}` } },
});
const namesOf = (body: { readonly items?: unknown }) =>
  (body.items as readonly { readonly metadata: { readonly name: string } }[]).map(({ metadata }) => metadata.name);

describe("replicas", () => {
  /** A replica that sees changes only when the test says so. */
  const lagging = () => {
    const parts = aServer();
    const shows: (() => void)[] = [];
    const replica = parts.server.replica((_change, show) => shows.push(show));
    return { ...parts, shows, behind: parts.server.transport(replica) };
  };

  test("an old picture is shown only to those who allow it", async () => {
    const { transport, behind, shows } = lagging();
    await call(transport, "POST", maps, aMap("a"));
    expect(namesOf((await call(behind, "GET", `${maps}?resourceVersion=0`)).body)).toEqual([]);
    expect((await call(behind, "GET", `${maps}/a?resourceVersion=0`)).status).toBe(404);
    expect(namesOf((await call(behind, "GET", maps)).body)).toEqual(["a"]);
    expect((await call(behind, "GET", `${maps}/a`)).status).toBe(200);
    shows.at(-1)?.();
    expect(namesOf((await call(behind, "GET", `${maps}?resourceVersion=0`)).body)).toEqual(["a"]);
  });

  test("a read that is not older than a version waits for it, and gives up after three seconds", async () => {
    const { transport, behind, shows, server, clock } = lagging();
    await call(transport, "POST", maps, aMap("a"));
    const path = `${maps}?resourceVersionMatch=NotOlderThan&resourceVersion=`;
    const waiting = call(behind, "GET", `${path}${server.revision()}`);
    const hopeless = call(behind, "GET", `${path}999`);
    await clock.elapse(1_000);
    shows.at(-1)?.();
    expect(namesOf((await waiting).body)).toEqual(["a"]);
    expect(clock.timerCount).toBe(1);
    await clock.elapse(2_000);
    expect(await hopeless).toMatchObject({ status: 504, headers: { "retry-after": "1" }, body: { reason: "Timeout" } });
  });

  test("a watch shows what its replica sees, also when it sees several changes at once", async () => {
    const { transport, behind, shows, clock, server } = lagging();
    const watch = follow(behind, `${maps}?watch=true&resourceVersion=${server.revision()}`);
    for (const name of ["a", "b"]) await call(transport, "POST", maps, aMap(name));
    await call(transport, "PATCH", "/api/v1/namespaces/default", { metadata: { labels: { a: "b" } } });
    await clock.settle();
    expect(watch.seen).toEqual([]);
    server.compact();
    shows[2]?.();
    await clock.settle();
    expect(watch.seen.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("a streamed list by quorum waits until the replica is as new as the request", async () => {
    const { transport, behind, shows, clock } = lagging();
    await call(transport, "POST", maps, aMap("a"));
    const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const watch = follow(behind, `${maps}?${query}`);
    await clock.elapse(100);
    expect(watch.seen).toEqual([]);
    shows[0]?.();
    await clock.settle();
    expect(watch.seen.map(({ type, name }) => `${type} ${name}`)).toEqual(["ADDED a", "BOOKMARK "]);
  });
});

// The operator's own client and cache on this server: what they do on a real cluster they do here, through the same port.
import { describe, expect, test } from "vitest";
import { createCache } from "../../src/kube/cache/cache.ts";
import type { CacheLimits } from "../../src/kube/cache/cache-limits.ts";
import { isConflict } from "../../src/kube/client/api-error.ts";
import { createClient } from "../../src/kube/client/create-client.ts";
import { discoverGroups, discoverResources } from "../../src/kube/client/discovery.ts";
import { evict } from "../../src/kube/client/eviction.ts";
import type { KubeObject, Resource, Stored } from "../../src/kube/resource.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { TransportError } from "../../src/kube/transport-error.ts";
import { seededRand } from "../seeded-rand.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { aServer } from "./testing/plain-kinds.ts";

type Entry = KubeObject & { readonly data?: { readonly n?: string } };
const entries: Resource<Entry> = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};
const pods: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const anEntry = (name: string, n = "0"): Entry => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data: { n } },
});

function aCache(transport: Transport, clock: VirtualClock, limits: Partial<CacheLimits> = {}) {
  const restarts: string[] = [];
  const cache = createCache({
    ...{ transport, clock, rand: seededRand(2), resource: entries, indexes: {}, limits },
    project: ({ metadata, data }: Stored<Entry>) => `${metadata.name}=${data?.n ?? ""}`,
    hooks: { onRestart: ({ reason }) => restarts.push(reason) },
  });
  const stop = new AbortController();
  const running = cache.run(stop.signal);
  return { cache, stop, running, restarts, held: () => [...cache.values()].toSorted() };
}

const aClient = (transport: Transport, clock: VirtualClock) =>
  createClient({ transport, clock, rand: seededRand(3), fieldManager: "test" });

describe("the client", () => {
  test("creates, reads, patches, replaces and deletes", async () => {
    const { transport, clock } = aServer();
    const client = aClient(transport, clock);
    const made = await client.create(entries, anEntry("a"));
    expect(await client.get(entries, "default/a")).toEqual(made);
    const patched = await client.patch(entries, "default/a", { type: "merge", body: { data: { n: "1" } } });
    expect(patched.data).toEqual({ n: "1" });
    const stale = await client.update(entries, { ...made, data: { n: "2" } }).catch((error: unknown) => error);
    expect(isConflict(stale)).toBe(true);
    expect((await client.update(entries, { ...patched, data: { n: "3" } })).data).toEqual({ n: "3" });
    expect(await client.remove(entries, "default/a")).toBe(true);
    expect(await client.remove(entries, "default/a")).toBe(false);
    expect(await client.get(entries, "default/a")).toBeUndefined();
  });

  test("discovers groups and resources, and evicts", async () => {
    const { transport, clock } = aServer();
    const client = aClient(transport, clock);
    expect((await discoverGroups(client)).map(({ name }) => name)).toContain("apiextensions.k8s.io");
    expect(await discoverResources(client, "", "v1")).toContainEqual(
      expect.objectContaining({ plural: "pods", kind: "Pod", namespaced: true }),
    );
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default" }, spec: {} };
    const { metadata } = await client.create(pods, pod);
    expect(await evict(client, "default/p", { uid: "another" })).toMatchObject({ evicted: false, reason: "Gone" });
    expect(await client.get(pods, "default/p")).toMatchObject({
      metadata: { resourceVersion: metadata.resourceVersion },
    });
    expect(await evict(client, "default/p", { uid: metadata.uid })).toEqual({ evicted: true });
  });
});

/** The server as one sees it through a connection that can be cut, or past a proxy that streams no lists. */
function connection(transport: Transport, { streamsLists = true } = {}) {
  const line = { isCut: false };
  const through: Transport = {
    request: (request) => transport.request(request),
    async stream(request) {
      if (line.isCut) throw new TransportError("unreachable", "cut");
      const isRefused = !streamsLists && request.path.includes("sendInitialEvents");
      return transport.stream(isRefused ? { ...request, path: request.path.replace("NotOlderThan", "None") } : request);
    },
  };
  return { line, through };
}

describe("the cache", () => {
  test.each([[true], [false]])("holds what the server holds; lists are streamed: %s", async (streamsLists) => {
    const { transport, clock } = aServer();
    const client = aClient(transport, clock);
    for (const name of ["a", "b", "c", "d", "e"]) await client.create(entries, anEntry(name));
    const { cache, held, stop, running } = aCache(connection(transport, { streamsLists }).through, clock, {
      pageSize: 2,
    });
    await clock.elapse(2_000);
    await cache.synced;
    await client.patch(entries, "default/a", { type: "merge", body: { data: { n: "1" } } });
    await client.remove(entries, "default/b");
    const { metadata } = await client.create(entries, anEntry("f"));
    await clock.elapse(2_000);
    await cache.observed(metadata.resourceVersion, stop.signal);
    expect(held()).toEqual(["a=1", "c=0", "d=0", "e=0", "f=0"]);
    stop.abort();
    await running;
  });

  test("lists again when its version is compacted while it is away", async () => {
    const { server, transport, clock } = aServer();
    const { line, through } = connection(transport);
    // So long that the cache would not list in any case.
    const { cache, held, stop, running, restarts } = aCache(through, clock, { relistMs: 3_600_000 });
    const client = aClient(transport, clock);
    await cache.synced;
    await client.create(entries, anEntry("a"));
    await clock.settle();
    expect(held()).toEqual(["a=0"]);
    line.isCut = true;
    // Until the watch has ended and cannot begin again.
    await clock.elapse(400_000);
    for (const name of ["b", "c"]) await client.create(entries, anEntry(name));
    server.compact();
    line.isCut = false;
    await clock.elapse(60_000);
    expect(held()).toEqual(["a=0", "b=0", "c=0"]);
    expect(restarts).toContain("Expired");
    stop.abort();
    await running;
  });
});

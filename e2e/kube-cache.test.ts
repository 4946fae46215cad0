// The cache of src/kube against a real API server: what the scripted servers assume about lists and watches must be so.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cache, createCache } from "../src/kube/cache/cache.ts";
import type { CacheLimits } from "../src/kube/cache/cache-limits.ts";
import type { KubeObject, Resource, Stored } from "../src/kube/resource.ts";
import type { HttpRequest, Transport } from "../src/kube/transport.ts";
import { type Cluster, startCluster } from "./control-plane/cluster.ts";
import { type Connection, connect } from "./control-plane/connect.ts";
import { describeWith } from "./control-plane/describe-with.ts";
import { eventually } from "./control-plane/eventually.ts";

type ConfigMap = KubeObject & { readonly data?: Readonly<Record<string, string>> };
type Seen = { readonly name: string; readonly uid: string; readonly size: string; readonly fields: readonly string[] };
const configMaps: Resource<ConfigMap> = {
  ...{ group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true },
};
const SOON = { deadlineMs: 30_000 };

describeWith("api", "the cache on a real API server", (binaries) => {
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  let cluster: Cluster;
  let connection: Connection;

  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api" });
    connection = connect(cluster.address, cluster.token(), "cache-test");
    for (let index = 0; index < 20; index++) await put(`map-${index}`, "1");
  });
  afterAll(async () => {
    stop.abort();
    await Promise.all(running);
    connection?.close();
    await cluster?.stop();
  });

  const map = (name: string, size: string): ConfigMap => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", data: { size } },
    metadata: { name, namespace: "default", labels: { of: "cache-test" } },
  });
  const put = (name: string, size: string) => connection.client.apply(configMaps, map(name, size), { force: true });

  /** A cache that runs, by way of a transport that may change requests or answer them itself. */
  async function aCache(via: (transport: Transport) => Transport, limits: Partial<CacheLimits> = {}) {
    const ends: string[] = [];
    const cache = createCache({
      ...{ clock: connection.clock, rand: connection.rand, resource: configMaps, limits },
      ...{ transport: via(connection.transport), labelSelector: "of=cache-test" },
      project: ({ kind, metadata, data }: Stored<ConfigMap>): Seen => ({
        ...{ name: metadata.name, uid: metadata.uid, size: data?.size ?? "" },
        fields: [kind, ...Object.keys(metadata)],
      }),
      indexes: { size: ({ size }) => [size] },
      hooks: { onRestart: ({ reason }) => ends.push(reason) },
    });
    running.push(cache.run(stop.signal));
    await cache.synced;
    return { cache, ends };
  }

  const same = (transport: Transport) => transport;
  const changing =
    (change: (request: HttpRequest) => HttpRequest) =>
    (transport: Transport): Transport => ({
      request: (request) => transport.request(request),
      stream: (request) => transport.stream(change(request)),
    });
  /** Old enough servers do not know the parameter and refuse what comes with it. */
  const withoutStreamedLists = changing((request) => ({
    ...request,
    path: request.path.replace("&sendInitialEvents=true", ""),
  }));

  async function expectTruth(cache: Cache<Seen, "size">): Promise<void> {
    const { items } = await connection.client.list(configMaps, { labelSelector: "of=cache-test" });
    const truth = items.map(({ metadata, data }) => `${metadata.name} ${metadata.uid} ${data?.size}`).sort();
    await eventually(
      "the cache equals a list",
      () => {
        expect([...cache.values()].map(({ name, uid, size }) => `${name} ${uid} ${size}`).sort()).toEqual(truth);
        return true;
      },
      SOON,
    );
  }

  test("streams the list, then follows creates, changes, deletes and re-creates", async () => {
    const { cache, ends } = await aCache(same);
    expect([cache.size, cache.count("size", "1")]).toEqual([20, 20]);
    const written = await put("map-3", "2");
    await cache.observed(written.metadata.resourceVersion, AbortSignal.timeout(SOON.deadlineMs));
    expect(cache.get("default/map-3")?.size).toBe("2");
    await connection.client.remove(configMaps, "default/map-4");
    await connection.client.remove(configMaps, "default/map-5");
    await put("map-5", "3");
    await put("new", "3");
    await expectTruth(cache);
    expect([cache.count("size", "3"), ends]).toEqual([2, []]);
    expect(new Set([...cache.values()].flatMap(({ fields }) => fields))).toEqual(
      new Set(["ConfigMap", "name", "namespace", "uid", "resourceVersion", "creationTimestamp", "labels"]),
    );
  });

  test("lists in pages from one snapshot where lists are not streamed, and holds the same", async () => {
    const { cache, ends } = await aCache(withoutStreamedLists, { pageSize: 7 });
    await put("map-6", "6");
    await expectTruth(cache);
    expect(ends).toEqual(["Invalid", "Listed"]);
    expect(new Set([...cache.values()].map(({ fields }) => fields[0]))).toEqual(new Set(["ConfigMap"]));
  });

  test("goes on after the API server was killed and started again", async () => {
    const { cache } = await aCache(same);
    await cluster.part("kube-apiserver").restart();
    await put("map-8", "8");
    await connection.client.remove(configMaps, "default/map-9");
    await expectTruth(cache);
    expect(cache.vitals().isSynced).toBe(true);
  });

  // A server that was started again remembers nothing from before, so what follows the restart above meets a 410.
  test("lists again when its version has expired", async () => {
    let isFirst = true;
    const fromLongAgo = changing((request) => {
      const path = request.path.replace(/([?&])resourceVersion=\d+/, "$1resourceVersion=1");
      if (path === request.path || !isFirst) return request;
      isFirst = false;
      return { ...request, path };
    });
    const { cache, ends } = await aCache(fromLongAgo, { watchMinSeconds: 1, watchMaxSeconds: 1 });
    await eventually("the version expires", () => (ends.includes("Expired") ? true : undefined), SOON);
    await put("map-7", "7");
    await expectTruth(cache);
  });
});

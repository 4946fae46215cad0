// The cache while the control plane crashes under it: whatever is killed or frozen, in the end it is the truth, and at no
// moment was it anything that the store never held.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Cluster, startCluster } from "../control-plane/cluster.ts";
import { type Connection, connect } from "../control-plane/connect.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { call } from "../control-plane/https-call.ts";
import { makeNamespace } from "./config-maps.ts";
import { type Observer, STORES_JSON, startObserver } from "./observer.ts";
import { type WatchedCache, watchConfigMaps } from "./watched-cache.ts";
import { HANDS, Writer } from "./writer.ts";

const API_SERVER_KILLS = 3;
/** How long the fault lasts; nothing is awaited by it. */
const FREEZE_MS = 10_000;
const SOON = { deadlineMs: 60_000 };

describeWith("api", "a cache over crashes of the control plane", (binaries) => {
  let cluster: Cluster;
  let observer: Observer;
  let reader: Connection;
  let admin: Connection;
  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api", extraArgs: STORES_JSON });
    observer = await startObserver(cluster.etcdPort);
    reader = connect(cluster.address, cluster.token(), "reader");
    admin = connect(cluster.address, cluster.token(), "writer");
  });
  afterAll(async () => {
    observer?.stop();
    reader?.close();
    admin?.close();
    await cluster?.stop();
  });

  /** Runs a cache and a writer side by side through a disaster, and compares everybody with everybody when it is over. */
  async function surviving(
    namespace: string,
    disaster: (writer: Writer, watched: WatchedCache) => Promise<void>,
    writing: Connection = admin,
  ): Promise<WatchedCache> {
    await makeNamespace(admin.client, namespace);
    const watched = await watchConfigMaps(reader, namespace);
    const writer = new Writer(writing.client, namespace);
    writer.start();
    await writer.doesMore(40);
    await disaster(writer, watched).finally(() => writer.stop());
    const confirmed = await writer.stop();
    await watched.becomesSameAs(cluster);
    expect(new Map([...watched.cache.values()].map(({ key, text }) => [key.split("/")[1], text]))).toEqual(confirmed);
    expect(watched.liesBy(observer)).toEqual([]);
    await watched.stop();
    return watched;
  }

  test("its API server is killed again and again, while others write through another one", async () => {
    const replica = await cluster.startReplica();
    const writing = connect(replica.address, cluster.token(), "writer");
    onTestFinished(async () => {
      writing.close();
      await replica.part.kill();
    });
    const disaster = async (writer: Writer, watched: WatchedCache) => {
      for (let kill = 0; kill < API_SERVER_KILLS; kill++) {
        await cluster.part("kube-apiserver").kill();
        await writer.doesMore(40);
        await eventually("the cache misses its server", () => watched.isTroubled || undefined, SOON);
        await cluster.part("kube-apiserver").start();
        // Otherwise the next kill might hit a server that the cache has not come back to.
        await eventually("the cache is current again", () => !watched.isTroubled || undefined, SOON);
        await writer.doesMore(40);
      }
      await replica.part.restart();
      await writer.doesMore(40);
    };
    const watched = await surviving("api-server-kills", disaster, writing);
    expect(watched.restartsBy("Broken")).toBeGreaterThanOrEqual(API_SERVER_KILLS);
    // A new API server knows nothing of the time before it, so what was missed came as a list.
    expect(watched.restartsBy("Expired")).toBeGreaterThan(0);
  });

  test("etcd is killed", async () => {
    await surviving("etcd-kill", async (writer) => {
      await cluster.part("etcd").kill();
      await eventually("the API server misses its store", isUnready, { deadlineMs: 30_000 });
      await cluster.part("etcd").start();
      await writer.doesMore(40);
    });
  });

  test("etcd is frozen for ten seconds", async () => {
    await surviving("etcd-freeze", async (writer) => {
      const before = writer.steps;
      cluster.part("etcd").freeze();
      await pause(FREEZE_MS);
      const meanwhile = writer.steps - before;
      cluster.part("etcd").thaw();
      await writer.doesMore(40);
      // What was under way when the store froze.
      expect(meanwhile).toBeLessThanOrEqual(HANDS);
    });
  });

  async function isUnready(): Promise<true | undefined> {
    const { url, ca } = cluster.address;
    return (await call(`${url}/readyz`, { ca, token: cluster.token() })).status === 200 ? undefined : true;
  }
});

// The cache behind a link that breaks, falls silent or leads to another API server: it goes on from where it was, lists
// again only when it must, and never shows an older world than before.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Cluster, startCluster } from "../control-plane/cluster.ts";
import { type Connection, connect } from "../control-plane/connect.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { call } from "../control-plane/https-call.ts";
import { type FaultProxy, startFaultProxy } from "../control-plane/proxy/fault-proxy.ts";
import { startTcpProxy } from "../control-plane/proxy/tcp-proxy.ts";
import type { ServerAddress } from "../control-plane/users.ts";
import { aConfigMap, configMaps, makeNamespace, newText } from "./config-maps.ts";
import { compactHistory, currentRevision, hasHistoryAt } from "./etcd-gateway.ts";
import { type Observer, STORES_JSON, startObserver } from "./observer.ts";
import { watchConfigMaps } from "./watched-cache.ts";
import { Writer } from "./writer.ts";

const SOON = { deadlineMs: 30_000 };
const OBJECTS = 12;

describeWith("api", "a cache over bad links", (binaries) => {
  let cluster: Cluster;
  let observer: Observer;
  let proxy: FaultProxy;
  let reader: Connection;
  let admin: Connection;
  /** The paths of the requests that have arrived at the proxy. */
  const asked: string[] = [];
  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api", extraArgs: STORES_JSON });
    observer = await startObserver(cluster.etcdPort);
    admin = connect(cluster.address, cluster.token(), "writer");
  });
  afterAll(async () => {
    observer?.stop();
    admin?.close();
    await cluster?.stop();
  });
  beforeEach(async () => {
    asked.length = 0;
    proxy = await startFaultProxy({
      ...{ target: cluster.address, certificate: cluster.certificate },
      observe: (moment, { path }) => void (moment === "received" && asked.push(path)),
    });
    reader = connect(proxy.address, cluster.token(), "reader");
  });
  afterEach(async () => {
    reader?.close();
    await proxy?.stop();
  });

  /** A namespace with objects "old-0", "old-1", … */
  async function fill(namespace: string): Promise<void> {
    await makeNamespace(admin.client, namespace);
    const names = Array.from({ length: OBJECTS }, (_, index) => `old-${index}`);
    await Promise.all(names.map((name) => admin.client.create(configMaps, aConfigMap(namespace, name))));
  }

  test("what happened in a compacted past arrives as a diff: nothing is cleared, a successor is another object", async () => {
    await fill("compacted");
    const watched = await watchConfigMaps(reader, "compacted");
    const seen = Number(watched.cache.resourceVersion);
    const told = watched.changes.length;
    proxy.link.refuse();
    await admin.client.remove(configMaps, "compacted/old-0");
    await admin.client.remove(configMaps, "compacted/old-1");
    await admin.client.create(configMaps, aConfigMap("compacted", "old-1", "successor"));
    await admin.client.patch(configMaps, "compacted/old-2", newText("changed"));
    await admin.client.create(configMaps, aConfigMap("compacted", "new-0"));
    await compactHistory(cluster.etcdPort, await currentRevision(cluster.etcdPort));
    expect(await hasHistoryAt(cluster.etcdPort, seen)).toBe(false);
    // An API server remembers a while of history by itself; a new one has only what the store has.
    await cluster.part("kube-apiserver").restart();
    proxy.link.heal();
    await watched.becomesSameAs(cluster);
    expect(watched.restartsBy("Expired")).toBe(1);
    const diff = Map.groupBy(watched.changes.slice(told), ({ key }) => key.split("/")[1]);
    const texts = [...diff].map(([name, changes]) => [name, changes.map(({ was, now }) => [was?.text, now?.text])]);
    expect(Object.fromEntries(texts)).toEqual({
      "new-0": [[undefined, "new"]],
      "old-0": [["new", undefined]],
      "old-1": [
        ["new", undefined],
        [undefined, "successor"],
      ],
      "old-2": [["new", "changed"]],
    });
    expect(watched.liesBy(observer)).toEqual([]);
    expect(watched.sizeMin).toBe(OBJECTS);
    await watched.stop();
  });

  test("a watch that is half-open is noticed by its silence and resumed where it was", async () => {
    await fill("half-open");
    const watched = await watchConfigMaps(reader, "half-open", { silenceMs: 3_000, answerMs: 3_000 });
    // Others write all the time, so a stream that works is never silent.
    const writer = new Writer(admin.client, "half-open");
    writer.start();
    await admin.client.patch(configMaps, "half-open/old-0", newText("before"));
    await eventually("the watch works", () => watched.text("old-0") === "before" || undefined, SOON);
    expect(watched.restartsBy("Silent")).toBe(0);
    asked.length = 0;
    proxy.link.cut("answers");
    await admin.client.patch(configMaps, "half-open/old-0", newText("unheard"));
    await eventually("the silence is noticed", () => watched.restartsBy("Silent") > 0 || undefined, SOON);
    expect(watched.text("old-0")).toBe("before");
    proxy.link.heal();
    await writer.stop();
    await watched.becomesSameAs(cluster);
    expect(asked).not.toEqual([]);
    expect(asked.filter((path) => !/[?&]watch=true.*&resourceVersion=\d+/.test(path))).toEqual([]);
    expect(watched.liesBy(observer)).toEqual([]);
    await watched.stop();
  });

  test("an API server that lags behind cannot take it back in time", async () => {
    await fill("lagging");
    const link = await startTcpProxy(cluster.etcdPort);
    const replica = await cluster.startReplica(link.port);
    await eventually(
      "the replica knows",
      async () => (await seenBy(replica.address)).includes("old-0") || undefined,
      SOON,
    );
    const watched = await watchConfigMaps(reader, "lagging", {
      silenceMs: 2_000,
      answerMs: 2_000,
      barrenWatchesMax: 1,
    });
    link.cut("answers");
    await admin.client.patch(configMaps, "lagging/old-0", newText("later"));
    await admin.client.remove(configMaps, "lagging/old-1");
    await watched.becomesSameAs(cluster);

    proxy.resetCounts();
    proxy.aimAt(replica.address);
    proxy.link.resetConnections();
    const hasTriedAll = () => ["watch", "list"].every((verb) => proxy.counts().has(`${verb} configmaps`)) || undefined;
    await eventually("the replica was asked for watches and lists", hasTriedAll, SOON);
    await eventually("and gave no answer of use", () => watched.cache.vitals().trouble, SOON);
    expect(await seenBy(replica.address)).toContain("old-1");
    await watched.becomesSameAs(cluster);

    await admin.client.patch(configMaps, "lagging/old-0", newText("last"));
    expect(watched.text("old-0")).toBe("later");
    link.heal();
    await watched.becomesSameAs(cluster);
    expect(watched.text("old-0")).toBe("last");
    expect(watched.liesBy(observer)).toEqual([]);
    await watched.stop();
    await replica.part.kill();
    await link.stop();
  });

  /** What a replica shows to those who ask for whatever it has. */
  async function seenBy({ url, ca }: ServerAddress): Promise<string> {
    const path = "/api/v1/namespaces/lagging/configmaps?resourceVersion=0";
    return (await call(url + path, { ca, token: cluster.token() })).text;
  }
});

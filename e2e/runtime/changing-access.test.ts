// Tokens that are rotated and rights that are taken away while client and cache run: both go on by themselves as soon as
// they may, keep what they have until then, ask seldom, and tell nobody a token.
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { REREAD_SOON_MS } from "../../src/kube/config/reread-file.ts";
import { createLog } from "../../src/runtime/log/log.ts";
import { type Cluster, startCluster } from "../control-plane/cluster.ts";
import { type Connection, connect } from "../control-plane/connect.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { type FaultProxy, startFaultProxy } from "../control-plane/proxy/fault-proxy.ts";
import { grant, issueToken, makeServiceAccount, statusFor } from "./access.ts";
import { aConfigMap, configMaps, makeNamespace, newText } from "./config-maps.ts";
import { type Observer, STORES_JSON, startObserver } from "./observer.ts";
import { TokenFile } from "./token-file.ts";
import { watchConfigMaps } from "./watched-cache.ts";

const SOON = { deadlineMs: 30_000 };
const WATCHER = "watcher";
/** So long the rights are missing, and so many requests a cache may send meanwhile: a hot loop sends thousands. */
const DENIED_MS = 12_000;
const DENIED_REQUESTS_MAX = 12;

describeWith("api", "client and cache while their access changes", (binaries) => {
  let cluster: Cluster;
  let observer: Observer;
  let proxy: FaultProxy;
  let admin: Connection;
  beforeAll(async () => {
    const users = [{ name: WATCHER, groups: [] }];
    cluster = await startCluster({ binaries, parts: "api", users, extraArgs: STORES_JSON });
    observer = await startObserver(cluster.etcdPort);
    admin = connect(cluster.address, cluster.token(), "admin");
  });
  afterAll(async () => {
    observer?.stop();
    admin?.close();
    await cluster?.stop();
  });
  beforeEach(async () => {
    proxy = await startFaultProxy({ target: cluster.address, certificate: cluster.certificate });
  });
  afterEach(() => proxy?.stop());

  async function addObject(namespace: string, name: string): Promise<void> {
    await admin.client.create(configMaps, aConfigMap(namespace, name));
  }

  test("a rotated token is taken up in time, or as soon as it is there; no token is ever told", async () => {
    const namespace = "rotation";
    await makeNamespace(admin.client, namespace);
    await addObject(namespace, "one");
    const account = await makeServiceAccount(admin.client, namespace, "rotating");
    await grant(admin.client, namespace, account, ["get", "list", "watch"]);
    const issue = (name: string) => issueToken(cluster, admin.client, account, name);
    const [first, second, third] = [await issue("first"), await issue("second"), await issue("third")];
    const file = new TokenFile(cluster.folder);
    file.publish(first.token);
    const rotating = await file.connect(proxy.address);
    const lines: string[] = [];
    const log = createLog({ write: (line) => lines.push(line) }, rotating.clock, { level: "debug" });
    const errors: unknown[] = [];
    const look = () =>
      rotating.client.get(configMaps, `${namespace}/one`).catch((error) => {
        errors.push(error);
        log.warn("cannot look", { error });
        throw error;
      });
    const watched = await watchConfigMaps(rotating, namespace);
    const startedMs = rotating.clock.monotonicMs();
    await look();

    // In good order: the new token is in the file before the old one ends.
    file.publish(second.token);
    await first.revoke();
    const isDue = () => rotating.clock.monotonicMs() - startedMs > REREAD_SOON_MS || undefined;
    await eventually("a token that is refused may be read again", isDue, SOON);
    proxy.link.resetConnections();
    expect((await look())?.metadata.name).toBe("one");
    await addObject(namespace, "two");
    await watched.becomesSameAs(cluster);
    expect([errors, watched.restartsBy("Denied")]).toEqual([[], 0]);

    // Late: for a while there is no good token at all.
    await second.revoke();
    proxy.link.resetConnections();
    await expect(look()).rejects.toThrow("401 Unauthorized");
    await eventually("the cache is turned away", () => watched.restartsBy("Denied") > 0 || undefined, SOON);
    await addObject(namespace, "three");
    file.publish(third.token);
    await eventually("the client is back", look, SOON);
    await watched.becomesSameAs(cluster);
    expect(watched.liesBy(observer)).toEqual([]);

    for (const restart of watched.restarts) log.warn("watch restarted", restart);
    const raw = [...errors, ...watched.restarts].map((value) => inspect(value, { depth: 10, showHidden: true }));
    const told = [...lines, ...raw].join("\n");
    expect(told).toContain("401 Unauthorized");
    const parts = [first, second, third].flatMap(({ token }) => token.split(".").slice(1));
    expect(parts.filter((part) => told.includes(part))).toEqual([]);
    await watched.stop();
    rotating.close();
  });

  test("a cache without rights says so, asks seldom, keeps what it has, and goes on when it may again", async () => {
    const namespace = "rights";
    await makeNamespace(admin.client, namespace);
    await addObject(namespace, "one");
    const rights = await grant(admin.client, namespace, { kind: "User", name: WATCHER }, ["list", "watch"]);
    const answered = (status: number) => async () =>
      (await statusFor(cluster, cluster.token(WATCHER), namespace)) === status || undefined;
    await eventually("the watcher may list", answered(200), SOON);
    const watcher = connect(proxy.address, cluster.token(WATCHER), WATCHER);
    const watched = await watchConfigMaps(watcher, namespace, { delayMaxMs: 3_000 });

    await rights.withdraw();
    await eventually("the watcher may not list", answered(403), SOON);
    proxy.resetCounts();
    proxy.link.resetConnections();
    const isDeniedForLong = () => {
      const trouble = watched.cache.vitals().trouble;
      return trouble !== undefined && trouble.forMs >= DENIED_MS ? trouble : undefined;
    };
    await addObject(namespace, "two");
    await admin.client.patch(configMaps, `${namespace}/one`, newText("changed"));
    const trouble = await eventually("the cache tells its trouble", isDeniedForLong, SOON);
    expect(trouble).toMatchObject({ reason: "Denied", message: expect.stringContaining('"watcher" cannot watch') });
    expect([...watched.cache.values()].map(({ text }) => text)).toEqual(["new"]);
    const requests = [...proxy.counts().values()].reduce((sum, count) => sum + count, 0);
    expect(requests).toBeLessThanOrEqual(DENIED_REQUESTS_MAX);
    expect(watched.restartsBy("Denied")).toBeGreaterThanOrEqual(requests - 1);
    expect(requests).toBeGreaterThan(2);

    await rights.giveBack();
    await watched.becomesSameAs(cluster);
    expect(watched.cache.vitals().trouble).toBeUndefined();
    expect(watched.liesBy(observer)).toEqual([]);
    await watched.stop();
    watcher.close();
  });
});

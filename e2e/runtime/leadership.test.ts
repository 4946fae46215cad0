// Two replicas of one operator on a real Lease: somebody always leads again, and never do two write at once, whether the
// leader is killed, frozen, asked to go, or robbed of its Lease. Judged by the store's history and the audit log.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { LEADERSHIP_LIMITS, type LeadershipLimits } from "../../src/runtime/lease/lease-leadership.ts";
import { leases } from "../../src/runtime/lease/lease-record.ts";
import type { AuditedRequest } from "../control-plane/audit.ts";
import { type Cluster, startCluster } from "../control-plane/cluster.ts";
import { type Connection, connect } from "../control-plane/connect.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { PASS, type ProxiedRequest } from "../control-plane/proxy/fault.ts";
import { startFaultProxy } from "../control-plane/proxy/fault-proxy.ts";
import { type Observer, STORES_JSON, startObserver } from "./observer.ts";
import { COUNTER } from "./replica.ts";
import { type Count, LEASE, overlapsIn, REPLICAS, type ReplicaPair, startPair } from "./replica-pair.ts";

/** Shorter than in production, so that a test does not wait for a quarter of a minute each time. */
const SHORT: LeadershipLimits = {
  ...{ leaseDurationMs: 5_000, fenceMarginMs: 1_500 },
  ...{ retryMs: 500, requestTimeoutMs: 1_000 },
};
/** How late a machine that is busy with other things may be. */
const SLACK_MS = 4_000;
const SOON = { deadlineMs: 15_000 };
/** Long enough to freeze somebody who waits for the answer, and over before anybody takes over. */
const ANSWER_HELD_MS = 2_000;
/** The last renewal may be seen one retry late, and the first look after the end of the lease may come one retry later. */
const TAKE_OVER_MS = SHORT.leaseDurationMs + 2 * SHORT.retryMs + SLACK_MS;

describeWith("api", "two replicas and one lease", (binaries) => {
  let cluster: Cluster;
  let observer: Observer;
  let admin: Connection;
  let pair: ReplicaPair | undefined;
  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api", users: REPLICAS, extraArgs: STORES_JSON });
    observer = await startObserver(cluster.etcdPort);
    admin = connect(cluster.address, cluster.token(), "admin");
  });
  afterAll(async () => {
    observer?.stop();
    admin?.close();
    await cluster?.stop();
  });
  afterEach(() => pair?.stop());

  async function start(namespace: string, limits: LeadershipLimits, via = cluster.address): Promise<ReplicaPair> {
    const folder = mkdtempSync(join(tmpdir(), "farrier-replicas-"));
    pair = await startPair({ cluster, observer, client: admin.client, folder, via }, namespace, limits);
    return pair;
  }

  test("when the leader is killed, the other takes over as soon as the lease has expired and not before", async () => {
    const replicas = await start("killed", SHORT);
    const { leader, other } = replicas.roles();
    await replicas.countsMore(10, SOON.deadlineMs);
    await leader.kill();
    await replicas.countsAfter(lastRevision(replicas), TAKE_OVER_MS, other);
    const renewed = msOf(replicas.writesOf(leader, "leases").at(-1));
    const taken = msOf(replicas.writesOf(other, "leases").find(isDone));
    expect(taken - renewed).toBeGreaterThanOrEqual(SHORT.leaseDurationMs);
    expect(overlapsIn(replicas.counts())).toEqual([]);
  });

  test("a leader that was frozen for longer than its lease does not write when it wakes up", async () => {
    const proxy = await startFaultProxy({ target: cluster.address, certificate: cluster.certificate });
    onTestFinished(() => proxy.stop());
    const replicas = await start("frozen", SHORT, proxy.address);
    const { leader, other } = replicas.roles();
    await replicas.countsMore(10, SOON.deadlineMs);
    // It freezes between two writes: the answer to the first comes while it cannot act on it.
    let held: ProxiedRequest | undefined;
    proxy.decideWith((request) => {
      if (held !== undefined || request.verb !== "patch" || request.name !== COUNTER) return PASS;
      held = request;
      return { do: "delay", what: "answer", ms: ANSWER_HELD_MS };
    });
    await eventually("a count is under way", () => held, SOON);
    leader.freeze();
    await replicas.countsAfter(lastRevision(replicas), TAKE_OVER_MS, other);
    await replicas.countsMore(10, SOON.deadlineMs);
    leader.thaw();
    const isAwake = () => leader.log().includes("no longer leading") || undefined;
    await eventually("the former leader knows that it does not lead", isAwake, SOON);
    await replicas.countsMore(10, SOON.deadlineMs);

    const takenAt = replicas.holders().find(({ holder }) => holder === other.name)?.revision ?? 0;
    expect(takenAt).toBeGreaterThan(0);
    const isLate = ({ revision, replica }: Count) => revision > takenAt && replica === leader.name;
    expect(replicas.written().filter(isLate)).toEqual([]);
    // It has not even tried.
    const taken = msOf(replicas.writesOf(other, "leases").find(isDone));
    expect(replicas.writesOf(leader, "configmaps").filter((write) => msOf(write) > taken)).toEqual([]);
    // And it is a candidate again, not a wreck.
    await other.kill();
    await replicas.countsAfter(lastRevision(replicas), TAKE_OVER_MS, leader);
    expect(overlapsIn(replicas.counts())).toEqual([]);
  });

  test("a leader that is asked to go hands its lease on at once", async () => {
    const replicas = await start("asked-to-go", LEADERSHIP_LIMITS);
    const { leader, other } = replicas.roles();
    await replicas.countsMore(10, SOON.deadlineMs);
    await leader.stop();
    expect(await leader.ended()).toContain("ended with 0");
    await replicas.countsAfter(lastRevision(replicas), LEADERSHIP_LIMITS.leaseDurationMs, other);
    const released = msOf(replicas.writesOf(leader, "leases").at(-1));
    const taken = msOf(replicas.writesOf(other, "leases").find(isDone));
    expect(taken - released).toBeLessThan(LEADERSHIP_LIMITS.leaseDurationMs / 2);
    expect(replicas.writesOf(leader, "configmaps").filter((write) => msOf(write) > released)).toEqual([]);
    expect(overlapsIn(replicas.counts())).toEqual([]);
  });

  test.each([
    ["deleted", () => admin.client.remove(leases, `deleted/${LEASE}`)],
    ["erased", () => edit("erased", { holderIdentity: null })],
    ["seized", () => edit("seized", { holderIdentity: "somebody-else" })],
  ] as const)(
    "when the lease is %s by hand, one of them leads again and never two at once",
    async (namespace, meddle) => {
      const replicas = await start(namespace, SHORT);
      const { leader, other } = replicas.roles();
      await replicas.countsMore(10, SOON.deadlineMs);
      // The other is the first to notice; the leader goes on until it notices, too.
      leader.freeze();
      const looks = () => other.log().split('"why":').length;
      const before = looks();
      await meddle();
      await eventually("the other notices", () => looks() > before || undefined, SOON);
      leader.thaw();
      const isReplica = (holder: string) => REPLICAS.some(({ name }) => name === holder);
      const isHeldAgain = () => {
        const holders = replicas.holders();
        // Before any of them counted nobody held it either.
        const robbed = holders.findIndex(({ holder }, index) => index > 0 && !isReplica(holder));
        return robbed < 0 ? undefined : holders.slice(robbed).find(({ holder }) => isReplica(holder));
      };
      const again = await eventually("the lease is held again", isHeldAgain, { deadlineMs: TAKE_OVER_MS });
      const counts = () => replicas.counts().filter((count) => count.revision > again.revision);
      const leads = () => counts().filter(({ replica }) => replica === again.holder).length >= 10 || undefined;
      await eventually("who holds the lease counts", leads, { deadlineMs: TAKE_OVER_MS });
      expect(overlapsIn(replicas.counts())).toEqual([]);
    },
  );

  async function edit(namespace: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
    await admin.client.patch(leases, `${namespace}/${LEASE}`, { type: "merge", body: { spec } });
  }
});

function lastRevision(replicas: ReplicaPair): number {
  return replicas.written().at(-1)?.revision ?? 0;
}

function isDone(write: AuditedRequest): boolean {
  return write.code === 200;
}

function msOf(write: AuditedRequest | undefined): number {
  if (write === undefined) throw new Error("there is no such write in the audit log");
  return Date.parse(write.receivedAt);
}

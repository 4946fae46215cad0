// A rollout over three hundred nodes in which the operator, the API server and etcd are killed in its middle, on a real control plane. What
// happened is read from every change that etcd committed, in its own order: the observer watches etcd and goes on after each kill.
import { afterAll, beforeAll, expect, test } from "vitest";
import { mixedFleet } from "../../../sim/fleets/mixed-fleet.ts";
import type { Client } from "../../../src/kube/client.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { type InstalledCluster, startInstalledCluster } from "../../program/installed-cluster.ts";
import { type OperatorProcess, startOperatorProcess } from "../../program/operator-process.ts";
import { type Observer, STORES_JSON, startObserver } from "../../runtime/observer.ts";
import { judgeRollout, servingWith } from "./rollout-judge.ts";
import { aSet, aTemplate, SET_NAME, setDefinition, sets } from "./set-fixture.ts";

const NODES = 300;
const BUDGET = 60;
/** A third of the fleet is moved when the kill comes. */
const MIDDLE = 100;
const SOON = { deadlineMs: 300_000, everyMs: 500 };
const LIMIT_MS = 600_000;
const flags = ["--kinds", "DaemonSet"];

describeWith("controllers", "kills in the middle of a rollout over 300 nodes", (binaries) => {
  let world: InstalledCluster;
  let client: Client;
  let observer: Observer;
  let operator: OperatorProcess;

  beforeAll(async () => {
    world = await startInstalledCluster({
      binaries,
      definitions: [setDefinition()],
      machines: mixedFleet({ count: NODES }),
      extraArgs: STORES_JSON,
    });
    client = world.admin.client;
    observer = await startObserver(world.cluster.etcdPort);
    operator = await startOperatorProcess(world.operatorKubeconfig, { flags });
    const updateStrategy = { rollingUpdate: { maxUnavailable: BUDGET } };
    await client.create(sets, aSet({ updateStrategy, patches: [], burstReplicas: NODES }));
    await serve("1", NODES);
  }, LIMIT_MS);
  afterAll(async () => {
    observer?.stop();
    await operator?.kill();
    await world?.stop();
  });

  const record = () => observer.changes("pods", "default");
  const serve = (tag: string, count: number) =>
    eventually(
      `${count} nodes run ${tag}`,
      () => {
        const there = servingWith(record(), tag);
        if (there < count) throw new Error(`${there} do`);
        return true;
      },
      SOON,
    );
  const edit = (tag: string) =>
    eventually(
      `the set asks for ${tag}`,
      () => client.patch(sets, `default/${SET_NAME}`, { type: "merge", body: { spec: { template: aTemplate(tag) } } }),
      SOON,
    );

  const kills: readonly (readonly [who: string, tag: string, kill: () => Promise<void>])[] = [
    [
      ...(["the operator", "2"] as const),
      async () => {
        await operator.kill();
        operator = await startOperatorProcess(world.operatorKubeconfig, { flags });
      },
    ],
    ["the API server", "3", () => world.cluster.part("kube-apiserver").restart()],
    [
      ...(["etcd", "4"] as const),
      async () => {
        await world.cluster.part("etcd").restart();
        await world.cluster.part("kube-apiserver").ready();
      },
    ],
  ];

  test.each(kills)(
    "%s dies: no node ever has two pods, the budget holds, and the rollout ends",
    async (_who, tag, kill) => {
      await edit(tag);
      await serve(tag, MIDDLE);
      await kill();
      // Its watches may come back late after a restart of the server; that is the scheduler's own affair.
      await world.cluster.part("kube-scheduler").restart();
      await serve(tag, NODES);
      expect(judgeRollout(record(), NODES, BUDGET)).toMatchObject({ twins: [], breaches: [] });
    },
    LIMIT_MS,
  );

  test("as many pods were taken as had to be, and the fleet was never further down than the budget", () => {
    const { taken, unavailableMax } = judgeRollout(record(), NODES, BUDGET);
    expect(taken).toBe(kills.length * NODES);
    expect(unavailableMax).toBeLessThanOrEqual(BUDGET);
    expect(unavailableMax).toBeGreaterThan(BUDGET / 2);
  });
});

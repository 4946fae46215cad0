// Two operators without a lease, each of which believes that it is the only one, for a minute on a real control plane: the template is edited
// in the middle of rollouts, at the very moment at which a node has lost its pod, and nodes are relabelled. What happened is read from
// every change that etcd committed.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mixedFleet } from "../../../sim/fleets/mixed-fleet.ts";
import type { Client } from "../../../src/kube/client.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { type InstalledCluster, startInstalledCluster } from "../../program/installed-cluster.ts";
import { type OperatorProcess, startOperatorProcess } from "../../program/operator-process.ts";
import { type Observer, STORES_JSON, startObserver } from "../../runtime/observer.ts";
import { judgeRollout, servingWith } from "./rollout-judge.ts";
import { aSet, aTemplate, nodes, SET_NAME, SIZE_LABEL, setDefinition, sets } from "./set-fixture.ts";

const NODES = 32;
const BUDGET = 6;
const ROUNDS = 8;
/** A round: an edit, and another one as soon as a pod is gone for it. */
const ROUND_MS = 8_000;
const SOON = { deadlineMs: 300_000, everyMs: 500 };
const LIMIT_MS = 600_000;
const flags = ["--kinds", "DaemonSet", "--leader-elect", "false"];

describeWith("controllers", "two operators without a lease", (binaries) => {
  let world: InstalledCluster;
  let client: Client;
  let observer: Observer;
  const operators: OperatorProcess[] = [];

  beforeAll(async () => {
    const machines = mixedFleet({ count: NODES });
    world = await startInstalledCluster({
      ...{ binaries, machines, definitions: [setDefinition()], extraArgs: STORES_JSON },
    });
    client = world.admin.client;
    observer = await startObserver(world.cluster.etcdPort);
    for (const name of ["a", "b"])
      operators.push(await startOperatorProcess(world.operatorKubeconfig, { name, flags }));
    await client.create(sets, aSet({ updateStrategy: { rollingUpdate: { maxUnavailable: BUDGET } } }));
    await serve("1", NODES);
  }, LIMIT_MS);
  afterAll(async () => {
    observer?.stop();
    for (const operator of operators) await operator.kill();
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
    client.patch(sets, `default/${SET_NAME}`, { type: "merge", body: { spec: { template: aTemplate(tag) } } });
  const relabel = (node: string, size: string) =>
    client.patch(nodes, node, { type: "merge", body: { metadata: { labels: { [SIZE_LABEL]: size } } } });
  /** Resolves when another pod is gone, or the time is up. */
  const anotherGone = async (untilMs: number) => {
    const count = () => record().filter(({ object }) => object === undefined).length;
    const before = count();
    while (count() === before && performance.now() < untilMs) await pause(2);
  };

  test(
    "no node ever has two pods, and the budget holds, however they disagree",
    async () => {
      const names = (await client.list(nodes)).items.map(({ metadata }) => metadata.name).sort();
      for (let round = 1; round <= ROUNDS; round++) {
        const endMs = performance.now() + ROUND_MS;
        await edit(`${round}-a`);
        await anotherGone(endMs);
        const name = names[(round * 7) % NODES] ?? "";
        await Promise.all([edit(`${round}-b`), relabel(name, round % 2 === 0 ? "small" : "large")]);
        await pause(Math.max(0, endMs - performance.now()));
      }
      await serve(`${ROUNDS}-b`, NODES);
      const verdict = judgeRollout(record(), NODES, BUDGET);
      expect(verdict).toMatchObject({ twins: [], breaches: [] });
      // It has to have been a race: many pods of many templates.
      expect(verdict.taken).toBeGreaterThan(NODES);
    },
    LIMIT_MS,
  );
});

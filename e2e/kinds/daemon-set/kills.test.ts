// A rollout over three hundred nodes in which the operator, the API server and etcd are killed in its middle, on a real control plane. What
// happened is read from every change that etcd committed, in its own order: the observer watches etcd and goes on after each kill.
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import type { OperatorProcess } from "../../program/operator-process.ts";
import { RecordedFleet } from "./recorded-fleet.ts";
import { judgeRollout } from "./rollout-judge.ts";

const NODES = 300;
const BUDGET = 60;
/** A third of the fleet is moved when the kill comes. */
const MIDDLE = 100;
const LIMIT_MS = 600_000;
/** The server may have come back a moment ago. */
const ANSWERING_AGAIN = { deadlineMs: 60_000, everyMs: 500 };

describeWith("controllers", "kills in the middle of a rollout over 300 nodes", (binaries) => {
  let fleet: RecordedFleet;
  let operator: OperatorProcess;

  beforeAll(async () => {
    fleet = await RecordedFleet.start(binaries, NODES);
    operator = await fleet.operate();
    const updateStrategy = { rollingUpdate: { maxUnavailable: BUDGET } };
    await fleet.run({ updateStrategy, patches: [], burstReplicas: NODES }, NODES);
  }, LIMIT_MS);
  afterAll(() => fleet?.stop());

  const kills: readonly (readonly [who: string, tag: string, kill: () => Promise<void>])[] = [
    [
      ...(["the operator", "2"] as const),
      async () => {
        await operator.kill();
        operator = await fleet.operate();
      },
    ],
    ["the API server", "3", () => fleet.cluster.part("kube-apiserver").restart()],
    [
      ...(["etcd", "4"] as const),
      async () => {
        await fleet.cluster.part("etcd").restart();
        await fleet.cluster.part("kube-apiserver").ready();
      },
    ],
  ];

  test.each(kills)(
    "%s dies: no node ever has two pods, the budget holds, and the rollout ends",
    async (_who, tag, kill) => {
      await eventually(`the set asks for ${tag}`, () => fleet.edit(tag), ANSWERING_AGAIN);
      await fleet.serves(tag, MIDDLE);
      await kill();
      // Its watches may come back late after a restart of the server; that is the scheduler's own affair.
      await fleet.cluster.part("kube-scheduler").restart();
      await fleet.serves(tag, NODES);
      expect(judgeRollout(fleet.record(), NODES, BUDGET)).toMatchObject({ twins: [], breaches: [] });
    },
    LIMIT_MS,
  );

  test("as many pods were taken as had to be, and the fleet was never further down than the budget", () => {
    const { taken, unavailableMax } = judgeRollout(fleet.record(), NODES, BUDGET);
    expect(taken).toBe(kills.length * NODES);
    expect(unavailableMax).toBeLessThanOrEqual(BUDGET);
    expect(unavailableMax).toBeGreaterThan(BUDGET / 2);
  });
});

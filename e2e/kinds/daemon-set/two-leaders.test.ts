// Two operators without a lease, each of which believes that it is the only one, for a minute on a real control plane: the template is edited
// in the middle of rollouts, at the very moment at which a node has lost its pod, and nodes are relabelled. What happened is read from
// every change that etcd committed.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodes, SIZE_LABEL } from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { RecordedFleet } from "./recorded-fleet.ts";
import { judgeRollout } from "./rollout-judge.ts";

const NODES = 32;
const BUDGET = 6;
const ROUNDS = 8;
/** A round: an edit, and another one as soon as a pod is gone for it. */
const ROUND_MS = 8_000;
const LIMIT_MS = 600_000;
const flags = ["--leader-elect", "false"];

describeWith("controllers", "two operators without a lease", (binaries) => {
  let fleet: RecordedFleet;

  beforeAll(async () => {
    fleet = await RecordedFleet.start(binaries, NODES);
    for (const name of ["a", "b"]) await fleet.operate({ name, flags });
    await fleet.run({ updateStrategy: { rollingUpdate: { maxUnavailable: BUDGET } } }, NODES);
  }, LIMIT_MS);
  afterAll(() => fleet?.stop());

  const relabel = (node: string, size: string) =>
    fleet.client.patch(nodes, node, { type: "merge", body: { metadata: { labels: { [SIZE_LABEL]: size } } } });
  /** Resolves when another pod is gone, or the time is up. */
  const anotherGone = async (untilMs: number) => {
    const count = () => fleet.record().filter(({ object }) => object === undefined).length;
    const before = count();
    while (count() === before && performance.now() < untilMs) await pause(2);
  };

  test(
    "no node ever has two pods, and the budget holds, however they disagree",
    async () => {
      const names = (await fleet.client.list(nodes)).items.map(({ metadata }) => metadata.name).sort();
      for (let round = 1; round <= ROUNDS; round++) {
        const endMs = performance.now() + ROUND_MS;
        await fleet.edit(`${round}-a`);
        await anotherGone(endMs);
        const name = names[(round * 7) % NODES] ?? "";
        await Promise.all([fleet.edit(`${round}-b`), relabel(name, round % 2 === 0 ? "small" : "large")]);
        await pause(Math.max(0, endMs - performance.now()));
      }
      await fleet.serves(`${ROUNDS}-b`, NODES);
      const verdict = judgeRollout(fleet.record(), NODES, BUDGET);
      expect(verdict).toMatchObject({ twins: [], breaches: [] });
      // It has to have been a race: many pods of many templates.
      expect(verdict.taken).toBeGreaterThan(NODES);
    },
    LIMIT_MS,
  );
});

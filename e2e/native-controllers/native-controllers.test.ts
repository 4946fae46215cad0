// The model controllers against the real ones: the same script on kube-controller-manager and kube-scheduler, and on the embedded
// control plane, with the same simulated kubelets, ends in the same state with as many pods made and deleted.
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../control-plane/describe-with.ts";
import { type ClusterWithNodes, startClusterWithNodes } from "../kubelets/cluster-with-nodes.ts";
import { HEARTBEAT, type Outcome, playForReal, playOnModel } from "./play.ts";
import { scenarios } from "./scenarios.ts";

/** On a small machine more at once would only wait for each other. */
const AT_ONCE = 6;

describeWith("controllers", "the model controllers end as the real ones do", (binaries) => {
  let world: ClusterWithNodes;
  const real = new Map<string, PromiseSettledResult<Outcome>>();

  beforeAll(async () => {
    world = await startClusterWithNodes({ binaries, machines: [], heartbeat: HEARTBEAT });
    const waiting = scenarios.map((scenario, place) => ({ scenario, namespace: namespaceOf(place) }));
    const playNext = async (): Promise<void> => {
      const next = waiting.shift();
      if (next === undefined) return;
      const [result] = await Promise.allSettled([playForReal(world, next.scenario, next.namespace)]);
      real.set(next.scenario.name, result);
      return playNext();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, playNext));
  });
  afterAll(() => world?.stop());

  test.each(scenarios.map((scenario, place) => [scenario.name, scenario, place] as const))(
    "%s",
    async (name, scenario, place) => {
      const expected = real.get(name);
      if (expected?.status !== "fulfilled") throw expected?.reason;
      expect(await playOnModel(scenario, namespaceOf(place))).toEqual(expected.value);
    },
  );
});

function namespaceOf(place: number): string {
  return `scenario-${place + 1}`;
}

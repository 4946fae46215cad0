import { expect, test } from "vitest";
import { parseNodeFacts } from "../../../core/node/node-facts.ts";
import { type DaemonPod, parseDaemonPod } from "../../../core/pod/daemon-pod.ts";
import { RENDERED_HASH, REVISION_HASH } from "../pods/pod-keys.ts";
import { createSetMemory } from "../set-memory.ts";
import { aNode, SetOnPaper } from "../testing/set-on-paper.ts";
import { createNodeViews, type FleetSight } from "./node-views.ts";

const memory = () => createSetMemory({ arePatchesEnabled: true });
const nodes = ["n1", "n2"].map((name) => parseNodeFacts(aNode(name)));

const aPod = (name: string, nodeName: string, labels: Readonly<Record<string, string>> = {}): DaemonPod =>
  parseDaemonPod({ metadata: { name, labels }, spec: { nodeName }, status: { phase: "Running" } });

function viewsOfSet() {
  const read = memory().read(new SetOnPaper({}, []).stored);
  if (!read.ok || !read.value.resolver.plain.ok) throw new Error("the set of the test is bad");
  const { resolver, set } = read.value;
  return { follow: createNodeViews(resolver.place, set.minReadySeconds), hash: read.value.resolver.plain.value.hash };
}

/** Revisions of which the template is this one. */
const sight = (pods: readonly DaemonPod[], plain = "", revisions = "a"): FleetSight => ({
  ...{ nodes, pods, revisions },
  rule: { revisions: { newest: "new", plainIdentity: () => plain }, arePatchesEnabled: true },
});

test("a pod that comes for a node that is not there is adrift, until it goes", () => {
  const { follow } = viewsOfSet();
  const [there, late] = [aPod("p1", "n1"), aPod("p2", "gone")];
  expect(follow(sight([there])).adrift).toEqual([]);
  expect(follow(sight([there, late])).adrift).toEqual([late]);
  expect(follow(sight([there])).adrift).toEqual([]);
});

test("what was told of pods by other revisions is forgotten", () => {
  const { follow, hash } = viewsOfSet();
  const ofKruise = aPod("p1", "n1", { [REVISION_HASH]: "old" });
  expect(follow(sight([ofKruise])).desired[0]).toMatchObject({ current: [], old: [ofKruise] });
  expect(follow(sight([ofKruise], hash, "a,b")).desired[0]).toMatchObject({ current: [ofKruise], old: [] });
});

test("a node is the same value as before while neither it nor its pods change", () => {
  const { follow, hash } = viewsOfSet();
  const pods = [aPod("p1", "n1", { [RENDERED_HASH]: hash }), aPod("p2", "n2")];
  const [first, second] = follow(sight(pods)).desired;
  const after = follow({ ...sight([...pods.slice(0, 1), aPod("p2", "n2")]), nodes: nodes.slice() }).desired;
  expect(after[0]).toBe(first);
  expect(after[1]).not.toBe(second);
});

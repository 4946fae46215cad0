// Kruise's table of nodes that need pods, told as it happens: a set that grows by its partition, and an update that shrinks one.
import { expect, test } from "vitest";
import { keyOf } from "../forecast/paper-shelf.ts";
import { aNode, image, never, nodes, rolling, running, SetOnPaper } from "./testing/set-on-paper.ts";

const step = (partition: number) => rolling({ maxUnavailable: "100%", partition });
const scaleStrategy = { partitionedScaling: true };
const nodesWithPods = ({ pods }: SetOnPaper) => pods.map(({ node }) => node).sort();
const updated = (set: SetOnPaper) => set.settle().status.updatedNumberScheduled;

/** Takes a node out of the cluster, with its pod. */
function leave(set: SetOnPaper, name: string): void {
  for (const pod of set.pods.filter(({ node }) => node === name)) set.cluster.remove(set.cluster.pods, keyOf(pod));
  set.cluster.put(aNode(name, {}, { spec: { taints: [{ key: "gone", effect: "NoExecute" }] } }));
}

test("a set grows as its partition shrinks, by the first names, and nodes that come and go are counted", () => {
  const set = new SetOnPaper({ scaleStrategy, ...step(10) }, nodes(10)).settle();
  expect(nodesWithPods(set)).toEqual([]);
  set.edit(step(9));
  expect(nodesWithPods(set.settle())).toEqual(["n0"]);
  set.edit(step(5));
  expect(nodesWithPods(set.settle())).toEqual(["n0", "n1", "n2", "n3", "n4"]);
  for (const name of ["n10", "n11"]) set.cluster.put(aNode(name));
  expect(nodesWithPods(set.settle())).toEqual(["n0", "n1", "n10", "n11", "n2", "n3", "n4"]);
  for (const name of ["n4", "n8", "n11"]) leave(set, name);
  // Nine are left, five of them are kept back, and five have pods: nobody loses one.
  expect(nodesWithPods(set.settle())).toEqual(["n0", "n1", "n10", "n2", "n3"]);
  set.edit(step(0));
  expect(set.settle().pods).toHaveLength(9);
  for (const name of ["n12", "n13", "n14"]) set.cluster.put(aNode(name));
  expect(set.settle().pods).toHaveLength(12);
});

test("an update follows its partition, and nodes that join in its middle get the new pods at once", () => {
  const set = running(step(10), nodes(10));
  set.edit(image("2"));
  expect(updated(set)).toBe(0);
  set.edit(step(9));
  expect(updated(set)).toBe(1);
  set.edit(step(5));
  expect(updated(set)).toBe(5);
  for (const name of ["n10", "n11"]) set.cluster.put(aNode(name));
  expect([updated(set), set.pods.length]).toEqual([7, 12]);
  set.edit(step(0));
  expect(updated(set)).toBe(12);
});

test("a wider node selector gives pods to as many of the new nodes as the partition lets", () => {
  const pools = [...nodes(10, { pool: "a" }), ...Array.from({ length: 10 }, (_, at) => aNode(`x${at}`, { pool: "b" }))];
  const only = (nodeSelector: { readonly pool: string } | null) => ({ template: { spec: { nodeSelector } } });
  const set = new SetOnPaper({ scaleStrategy, ...step(0), ...template({ pool: "a" }) }, pools).settle();
  expect(set.pods).toHaveLength(10);
  set.edit({ ...only(null), ...step(20) });
  expect([updated(set), set.pods.length]).toEqual([0, 10]);
  set.edit(step(15));
  expect([updated(set), set.pods.length]).toEqual([5, 15]);
  set.edit(step(0));
  expect([updated(set), set.pods.length]).toEqual([20, 20]);
});

test("a partition of more than there is keeps everything as it is", () => {
  const set = running(step(100), nodes(10));
  expect(set.decide().steps).toEqual([]);
  set.edit({ scaleStrategy });
  set.cluster.put(aNode("n10"));
  expect(set.settle().pods).toHaveLength(10);
});

test("an old pod that is deleted by hand comes back new, whatever the partition, and the update counts it", () => {
  const set = running(step(5), nodes(10));
  set.edit(image("2"));
  expect(updated(set)).toBe(5);
  const old = set.pods.find(({ node }) => node === "n2") ?? never();
  set.cluster.remove(set.cluster.pods, keyOf(old));
  expect([updated(set), set.pods.length]).toEqual([6, 10]);
});

function template(nodeSelector: { readonly pool: string }) {
  const containers = [{ name: "agent", image: "registry.example.com/agent:1" }];
  return { template: { metadata: { labels: { app: "agent" } }, spec: { nodeSelector, containers } } };
}

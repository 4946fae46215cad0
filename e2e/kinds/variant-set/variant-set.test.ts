// VariantSets on a real control plane: the map of the csi-baremetal proposal, nodes that cross the line, an operator that dies at every
// write, and labels that somebody else wants. What the embedded control plane was believed about is seen once more.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { nodesResource, variantSets } from "../../../sim/scenarios/variant-set/set-world.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { images, KEY, LABEL, pause, SetCluster, SOON } from "./set-cluster.ts";
import { setPicture, stalledMessage } from "./set-picture.ts";

const QUIET_MS = 4_000;
const LIMIT_MS = 400_000;
const kernels = [
  "4.18.0-193.el8.x86_64",
  "5.3.18-57-default",
  "5.4.0-66-generic",
  "5.12.0",
  "6.1.0-25-amd64",
  "corrupted",
];
const OLD = "4.18.0-193.el8.x86_64";
const NEW = "5.12.0";
/** What every node has at first; nobody can tell what the corrupted one needs. */
const start = ["default", "5.x", "5.x", "5.x", "default", undefined] as const;

describeWith("controllers", "VariantSets on a real control plane", (binaries) => {
  let cluster: SetCluster;

  beforeAll(async () => {
    cluster = await SetCluster.start(binaries, kernels);
  });
  afterEach(() => cluster.clean(), LIMIT_MS);
  afterAll(() => cluster?.stop());

  const begin = async () => {
    cluster.operate();
    await cluster.create(images("1.2"));
    await cluster.settled("agent", cluster.fitted("1.2", start));
  };

  test("the map of the proposal: every node gets its variant, the corrupted one nothing, and then nobody writes", async () => {
    await begin();
    await cluster.settled("agent", { nodes: { inScope: 6, fitted: 5, unknown: 1, held: 0, none: 0, excluded: 0 } });
    const { variants } = Object((await cluster.client.get(variantSets, KEY))?.status);
    expect(variants).toMatchObject([
      { name: "5.x", daemonSet: "csi-baremetal-node-kernel-5.x", nodes: 3, ready: 3, updated: 3, deployed: true },
      { name: "default", daemonSet: "csi-baremetal-node", nodes: 2, ready: 2, updated: 2, deployed: true },
    ]);
    await pause(QUIET_MS);
    const before = cluster.writes.length;
    await pause(QUIET_MS);
    expect(cluster.writes.slice(before)).toEqual([]);
  });

  test("two nodes cross the line during a rollout, and no node ever has pods of two variants", async () => {
    await begin();
    const twins = cluster.watchTwins();
    await cluster.edit(images("1.3"));
    cluster.reboot(0, NEW);
    cluster.reboot(3, OLD);
    await cluster.settled("agent", cluster.fitted("1.3", ["5.x", "5.x", "5.x", "default", "default", undefined]));
    expect(await twins.end()).toEqual([]);
    cluster.reboot(0, OLD);
    cluster.reboot(3, NEW);
    await cluster.settled("agent", cluster.fitted("1.3", start));
  });

  test("an operator that is killed at every write of a hand-over brings it to the same end", {
    timeout: LIMIT_MS,
  }, async () => {
    await begin();
    cluster.kill();
    const twins = cluster.watchTwins();
    const deaths: string[] = [];
    const moved = cluster.fitted("1.2", ["default", "default", "5.x", "5.x", "default", undefined]);
    cluster.reboot(1, OLD);
    const isMoved = async () => {
      const { bindings, pods } = await setPicture(cluster.client, KEY, LABEL);
      return JSON.stringify([bindings, pods]) === JSON.stringify([moved.bindings, moved.pods]);
    };
    // Each process makes one write and is gone before it hears what came of it.
    while (!(await isMoved())) {
      const before = cluster.writes.length;
      const life = cluster.operate(1);
      await eventually("it has died, or all is done", async () => life.aborted || (await isMoved()) || undefined, SOON);
      deaths.push(...cluster.writes.slice(before));
      cluster.kill();
    }
    const onNode = deaths.filter((write) => write.endsWith("/nodes/node-002"));
    expect(onNode.length, deaths.join("\n")).toBeGreaterThanOrEqual(2);
    cluster.operate();
    await cluster.settled("agent", { ...moved, ready: "False", nodes: expect.objectContaining({ fitted: 5 }) });
    expect(await twins.end()).toEqual([]);
    cluster.reboot(1, "5.3.18-57-default");
    await cluster.settled("agent", cluster.fitted("1.2", start));
  });

  const label = (node: string, labels: object, manager: string, force = false) =>
    cluster.client.apply(nodesResource, Object({ apiVersion: "v1", kind: "Node", metadata: { name: node, labels } }), {
      ...{ fieldManager: manager, force },
    });
  const contested = () =>
    eventually(
      "the set is stalled",
      async () => ((await setPicture(cluster.client, KEY, LABEL)).stalled === "LabelContested" ? true : undefined),
      SOON,
    );

  test("labels of others stay, and one that somebody else holds is reported with its holder and not fought over", async () => {
    const [first = ""] = cluster.nodeNames;
    await label(first, { [LABEL]: "mine", "example.com/kept": "yes" }, "rival");
    cluster.operate();
    await cluster.create(images("1.2"));
    await contested();
    expect(await stalledMessage(cluster.client, KEY)).toContain('"rival"');
    // All other nodes were fitted all the same.
    const { pods } = cluster.fitted("1.2", [undefined, ...start.slice(1)]);
    const { bindings } = await cluster.settled("agent", { pods });
    expect(bindings[first]).toBe("mine");
    await label(first, { "example.com/kept": "yes" }, "rival");
    await cluster.settled("agent", cluster.fitted("1.2", start));
    const node = await cluster.client.get(nodesResource, first);
    expect(node?.metadata.labels?.["example.com/kept"]).toBe("yes");
    await label(first, {}, "rival");
  });

  test("a label that somebody else holds too is reported, its node stays as it is, and no other node waits for it", async () => {
    await begin();
    const [, second = ""] = cluster.nodeNames;
    await label(second, { [LABEL]: "5.x" }, "rival");
    const [variant, ...others] = Object(images("1.2", "five")).variants;
    const { daemonSetName: _, ...renamed } = variant;
    await cluster.edit({ variants: [renamed, ...others] });
    await cluster.settled("agent", cluster.fitted("1.2", ["default", "5.x", "five", "five", "default", undefined]));
    // It is tried again when all others have moved, and from then on the set says so.
    const says = new RegExp(`${second}.*"${LABEL}".*"rival"`);
    const isSaid = async () => says.test(await stalledMessage(cluster.client, KEY)) || undefined;
    await eventually("the set says who holds the label", isSaid, SOON);
    await label(second, {}, "rival");
  });

  test("somebody who takes our label by force is detected and reported, and the label is left to them until they let go", async () => {
    await begin();
    const [, second = ""] = cluster.nodeNames;
    await label(second, { [LABEL]: "mine" }, "rival", true);
    await contested();
    expect(await stalledMessage(cluster.client, KEY)).toMatch(new RegExp(`${second}.*"rival"|"rival".*${second}`));
    const before = cluster.writes.length;
    await pause(QUIET_MS);
    const onNode = cluster.writes.slice(before).filter((write) => write.endsWith(`/nodes/${second}`));
    // It may be tried again, with growing pauses; it is never forced.
    expect(onNode.length).toBeLessThanOrEqual(3);
    const node = await cluster.client.get(nodesResource, second);
    expect(node?.metadata.labels?.[LABEL]).toBe("mine");
    await label(second, {}, "rival");
    await cluster.settled("agent", { ...cluster.fitted("1.2", start), stalled: undefined });
  });
});

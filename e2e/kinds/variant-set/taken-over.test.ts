// DaemonSets that change hands on a real control plane and keep their pods: those of csi-baremetal that a set takes over, one whose
// variant gets another name; and two that should not be there or cannot go: a copy, and a set that a finalizer holds.
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import {
  type AnyObject,
  daemonSets,
  nodesResource,
  variantSets,
} from "../../../sim/scenarios/variant-set/set-world.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { images, KEY, LABEL, pause, SetCluster, SOON } from "./set-cluster.ts";
import { setPicture, stalledMessage } from "./set-picture.ts";

const QUIET_MS = 4_000;
const LIMIT_MS = 400_000;
const kernels = ["4.18.0-193.el8.x86_64", "5.3.18-57-default", "5.12.0", "corrupted"];
const PLATFORM = "nodes.csi-baremetal.dell.com/platform";
const start = ["default", "5.x", "5.x", undefined] as const;
const FIVE = "default/csi-baremetal-node-kernel-5.x";

describeWith("controllers", "DaemonSets that change hands", (binaries) => {
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
  const stalled = (reason: string) =>
    eventually(
      `the set is stalled: ${reason}`,
      async () => ((await setPicture(cluster.client, KEY, LABEL)).stalled === reason ? true : undefined),
      SOON,
    );

  test("the page on csi-baremetal: DaemonSets are taken over and their pods stay", async () => {
    const page = readFileSync(new URL("../../../docs/how-to/csi-baremetal.md", import.meta.url), "utf8");
    const [before = "", after = ""] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = ""]) => yaml);
    const objectsIn = (yaml: string): readonly AnyObject[] =>
      parseAllDocuments(yaml).map((document) => document.toJS());
    const platforms = ["default", "kernel-5.x", "kernel-5.x", "default"];
    for (const [place, name] of cluster.nodeNames.entries()) {
      const body = { metadata: { labels: { [PLATFORM]: platforms[place] ?? "" } } };
      await cluster.client.patch(nodesResource, name, { type: "merge", body });
    }
    for (const object of objectsIn(before)) await cluster.client.create(daemonSets, object);
    const pods = await eventually(
      "all pods are ready",
      async () => {
        const picture = await setPicture(cluster.client, KEY, LABEL);
        const areReady = picture.pods.length === kernels.length && picture.pods.every((pod) => pod.endsWith(" ready"));
        return areReady ? cluster.uids() : undefined;
      },
      SOON,
    );
    cluster.operate();
    for (const object of objectsIn(after)) await cluster.client.create(variantSets, object);
    // The corrupted node runs the default's pod, and keeps it.
    await cluster.settled("csi-baremetal", {
      bindings: Object.fromEntries(
        platforms.map((value, place) => [cluster.nodeNames[place], value === "default" ? "default" : "5.x"]),
      ),
      nodes: { inScope: 4, fitted: 3, unknown: 1, held: 0, none: 0, excluded: 0 },
    });
    await pause(QUIET_MS);
    expect(await cluster.uids()).toEqual(pods);
  });

  test("a variant gets another name and keeps its daemonSetName: its nodes are relabelled, and no pod is restarted", async () => {
    await begin();
    const pods = await cluster.uids();
    await cluster.edit(images("1.2", "five"));
    await cluster.settled("agent", cluster.fitted("1.2", ["default", "five", "five", undefined]));
    const selected = await eventually(
      "the DaemonSet selects by the new label alone",
      async () => {
        const { nodeSelector, affinity } = Object((await cluster.client.get(daemonSets, FIVE))?.spec).template.spec;
        return affinity === undefined ? nodeSelector : undefined;
      },
      SOON,
    );
    expect(selected).toEqual({ [LABEL]: "five" });
    await cluster.settled("agent", { nodes: { inScope: 4, fitted: 3, unknown: 1, held: 0, none: 0, excluded: 0 } });
    await pause(QUIET_MS);
    expect(await cluster.uids()).toEqual(pods);
  });

  test("a copy of a DaemonSet with our owner reference is reported with both names, and nothing of it is touched", async () => {
    await begin();
    const { metadata, spec } = Object(await cluster.client.get(daemonSets, FIVE));
    const { labels, annotations, ownerReferences, namespace } = metadata;
    const copy = { name: "a-copy", namespace, labels, annotations, ownerReferences };
    await cluster.client.create(daemonSets, Object({ apiVersion: "apps/v1", kind: "DaemonSet", metadata: copy, spec }));
    await stalled("SurplusWorkload");
    const message = await stalledMessage(cluster.client, KEY);
    for (const words of ['"a-copy"', '"csi-baremetal-node-kernel-5.x"', "delete it"]) expect(message).toContain(words);
    await cluster.client.remove(daemonSets, "default/a-copy");
    await cluster.settled("agent", { ...cluster.fitted("1.2", start), stalled: undefined });
  });

  test("a set whose deletion a finalizer holds says so, with the finalizer, and keeps its pods until it is gone", async () => {
    await begin();
    const hold = (finalizers: readonly string[] | null) =>
      cluster.client.patch(variantSets, KEY, { type: "merge", body: Object({ metadata: { finalizers } }) });
    await hold(["example.com/backup"]);
    await cluster.client.remove(variantSets, KEY);
    await stalled("BeingDeleted");
    expect(await stalledMessage(cluster.client, KEY)).toContain('"example.com/backup"');
    expect((await setPicture(cluster.client, KEY, LABEL)).pods).toEqual(cluster.fitted("1.2", start).pods);
    await hold(null);
    await cluster.settled("agent", { bindings: {}, pods: [] });
  });
});

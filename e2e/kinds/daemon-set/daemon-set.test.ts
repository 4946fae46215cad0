// Advanced DaemonSets on a real control plane: the cases that Kruise publishes for them, retold, and what patches add to them.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  type AnyObject,
  aPatch,
  aSet,
  aTemplate,
  nodes,
  olderSets,
  pods,
  revisions,
  SET_NAME,
  type SetObject,
  SIZE_LABEL,
  sets,
} from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { DaemonSetCluster } from "./daemon-set-cluster.ts";

const SOON = { deadlineMs: 60_000, everyMs: 200 };
const KEY = `default/${SET_NAME}`;
const NODES = 4;

describeWith("controllers", "the advanced DaemonSet on a real control plane", (binaries) => {
  let cluster: DaemonSetCluster;
  let client: Client;
  let names: readonly string[];

  beforeAll(async () => {
    cluster = await DaemonSetCluster.start(binaries, NODES);
    client = cluster.client;
    names = cluster.nodeNames;
  });
  afterEach(async () => {
    for (const name of names) await label(name, { [SIZE_LABEL]: null, colour: null });
    await cluster.clean();
    cluster.kill();
  });
  afterAll(() => cluster?.stop());

  const label = (name: string, labels: JsonObject) =>
    client.patch(nodes, name, { type: "merge", body: { metadata: { labels } } });
  const edit = (spec: JsonObject) => client.patch(sets, KEY, { type: "merge", body: { spec } });
  const podsOf = () => cluster.pods();
  const liveOf = async () => (await podsOf()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const theSet = async () => (await client.get(sets, KEY)) ?? aSet();
  const namesOf = (list: readonly AnyObject[]) => list.map(({ metadata }) => metadata.name).sort();

  /** Waits until a sentence about the live pods is true, and returns them. */
  const until = (what: string, holds: (live: readonly AnyObject[], set: SetObject) => boolean) =>
    eventually(
      what,
      async () => {
        const [live, set] = [await liveOf(), await theSet()];
        if (!holds(live, set)) throw new Error(JSON.stringify({ pods: live.map(summary), status: set.status }));
        return live;
      },
      SOON,
    );
  /** One ready pod on each of these nodes, and a status that counts them. */
  const runsOn = (wanted: readonly string[]) =>
    until(`pods run on ${wanted.length} nodes`, (live, { status = {}, metadata }) => {
      const places = live.filter(isReady).map(nodeOf).sort();
      const isCounted = status.numberAvailable === wanted.length && status.updatedNumberScheduled === wanted.length;
      return same(places, wanted.toSorted()) && isCounted && status.observedGeneration === metadata.generation;
    });
  const rolled = (tag: string) =>
    until(`all run image ${tag}`, (live, { status = {} }) => {
      return live.length === NODES && status.updatedNumberScheduled === NODES && live.every((pod) => has(pod, tag));
    });

  test("a simple daemon runs on every node, and a deleted pod is revived", async () => {
    cluster.operate();
    await client.create(sets, aSet({ updateStrategy: {} }));
    const [pod] = await runsOn(names);
    await client.remove(pods, `default/${pod?.metadata.name}`);
    await runsOn(names);
    const { status } = await theSet();
    expect(status).toMatchObject({ desiredNumberScheduled: NODES, currentNumberScheduled: NODES, numberReady: NODES });
  });

  test("a daemon with a node selector follows the labels of nodes and the template", async () => {
    cluster.operate();
    const [first = ""] = names;
    const template = (colour: string) => withSpec(aTemplate("1"), { nodeSelector: { colour } });
    await client.create(sets, aSet({ template: template("blue") }));
    await runsOn([]);
    await label(first, { colour: "blue" });
    await runsOn([first]);
    await label(first, { colour: "green" });
    await runsOn([]);
    await edit({ template: template("green"), updateStrategy: { type: "RollingUpdate" } });
    await runsOn([first]);
  });

  test("a failed pod is replaced under another name, and goes", async () => {
    cluster.operate();
    await client.create(sets, aSet());
    const [pod] = await runsOn(names);
    const name = pod?.metadata.name ?? "";
    const body = { status: { phase: "Failed" } };
    await client.patch(pods, `default/${name}`, { type: "merge", body }, { subresource: "status" });
    await eventually(
      "the failed pod is gone",
      async () => (namesOf(await podsOf()).includes(name) ? undefined : true),
      SOON,
    );
    expect(namesOf(await runsOn(names))).not.toContain(name);
  });

  test("an image is changed in place, and other changes make pods anew", async () => {
    cluster.operate();
    const updateStrategy = { rollingUpdate: { rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 2 } };
    await client.create(sets, aSet({ updateStrategy }));
    const before = namesOf(await runsOn(names));
    await edit({ template: aTemplate("2") });
    const after = await rolled("2");
    expect(namesOf(after)).toEqual(before);
    expect(JSON.stringify(after.map(({ spec }) => spec?.readinessGates))).toContain("InPlaceUpdateReady");
    await runsOn(names);
    await edit({ template: withSpec(aTemplate("2"), { hostNetwork: true }) });
    const made = await until("all pods are new", (live) => {
      return (
        live.length === NODES &&
        live.filter(isReady).length === NODES &&
        namesOf(live).every((name) => !before.includes(name))
      );
    });
    expect(made).toHaveLength(NODES);
  });

  test("a hook before the deletion lets go of one pod at a time", async () => {
    cluster.operate();
    const template = aTemplate("1");
    const held = { ...template, metadata: { labels: { app: SET_NAME, hold: "yes" } } };
    await client.create(sets, aSet({ template: held, lifecycle: { preDelete: { labelsHandler: { hold: "yes" } } } }));
    await runsOn(names);
    await edit({ template: aTemplate("2") });
    const isMarked = (pod: AnyObject) => pod.metadata.labels?.["lifecycle.apps.kruise.io/state"] === "PreparingDelete";
    const live = await until("one pod is marked", (all, { status = {} }) => {
      return all.filter(isMarked).length === 1 && status.observedGeneration === 2;
    });
    expect(live).toHaveLength(NODES);
    const [marked] = live.filter(isMarked);
    await client.patch(pods, `default/${marked?.metadata.name}`, {
      ...{ type: "merge", body: { metadata: { labels: { hold: null } } } },
    });
    await until("one pod is new", (all) => all.filter((pod) => has(pod, "2")).length === 1);
    expect((await theSet()).metadata.generation).toBe(2);
  });

  test("a surge adds new pods beside the old ones until they have been ready for long enough", async () => {
    cluster.operate();
    const updateStrategy = { rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } };
    await client.create(sets, aSet({ updateStrategy, minReadySeconds: 3 }));
    const before = namesOf(await runsOn(names));
    await edit({ template: aTemplate("2") });
    const doubled = await until("every node has two", (live) => live.length === 2 * NODES);
    expect(doubled.filter((pod) => before.includes(pod.metadata.name)).every(isReady)).toBe(true);
    const after = await rolled("2");
    expect(namesOf(after).some((name) => before.includes(name))).toBe(false);
  });

  test("nodes that are not ready and excluded do not hold up the update of the others", async () => {
    cluster.operate();
    await client.create(sets, aSet({ updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } }));
    for (const name of names.slice(2)) await label(name, { colour: "blue" });
    await runsOn(names);
    const [dark = ""] = names;
    cluster.kubelets.vanish(dark);
    const key = "colour";
    const nodeSelectorTerms = [{ matchExpressions: [{ key, operator: "In", values: ["blue"] }] }];
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    await edit({ template: withSpec(aTemplate("2"), { affinity: { nodeAffinity } }) });
    await until("the others run the new image", (live) => {
      const updated = live.filter((pod) => has(pod, "2") && isReady(pod)).map(nodeOf);
      return same(updated.sort(), names.slice(2).toSorted());
    });
    cluster.kubelets.comeBack(dark);
    await runsOn(names.slice(2));
  });

  test("patches follow the labels of nodes, an edit restarts only whom it touches, and a rollback restores them", async () => {
    cluster.operate();
    const [large = "", other = ""] = names;
    await label(large, { [SIZE_LABEL]: "large" });
    await client.create(sets, aSet({ updateStrategy: { rollingUpdate: { maxUnavailable: NODES } } }));
    const first = await runsOn(names);
    const sizeOn = (live: readonly AnyObject[], node: string) => sizeOf(live.find((pod) => nodeOf(pod) === node));
    expect([sizeOn(first, large), sizeOn(first, other)]).toEqual(["large", "small"]);
    await edit({ patches: [aPatch("huge")] });
    const edited = await until(
      "the large node has more",
      (live) => sizeOn(live, large) === "huge" && live.length === NODES,
    );
    const kept = namesOf(edited).filter((name) => namesOf(first).includes(name));
    expect(kept).toHaveLength(NODES - 1);
    await until("all bear the newest revision", (live, { status = {} }) =>
      live.every(({ metadata }) => metadata.labels?.["controller-revision-hash"] === status.updateRevision),
    );
    await label(other, { [SIZE_LABEL]: "large" });
    await until("the relabelled node has more, too", (live) => sizeOn(live, other) === "huge" && live.length === NODES);
    await label(other, { [SIZE_LABEL]: null });
    const back = (await client.list(revisions, { namespace: "default" })).items.find(({ revision }) => revision === 1);
    await client.patch(olderSets, KEY, { type: "merge", body: back?.data ?? {} });
    await until("the first revision is back", (live) => {
      return sizeOn(live, large) === "large" && sizeOn(live, other) === "small" && live.length === NODES;
    });
    expect((await theSet()).status).toMatchObject({ patches: [{ index: 0, matched: 1 }] });
  });

  test("the older version is served: what it writes is run, and it reads the patches", async () => {
    cluster.operate();
    const older: SetObject = {
      ...aSet({ updateStrategy: { rollingUpdate: { rollingUpdateType: "Standard" } } }),
      apiVersion: "apps.kruise.io/v1alpha1",
    };
    await client.create(olderSets, older);
    await runsOn(names);
    const read = await client.get(olderSets, KEY);
    expect(read?.spec?.patches).toEqual([aPatch("large")]);
    await client.patch(olderSets, KEY, { type: "merge", body: { spec: { template: aTemplate("2") } } });
    await rolled("2");
  });

  test("patches are ignored while the gate is off, and come with it again", async () => {
    const off = cluster.operate({ gates: { AdvancedDaemonSetNodeLabelPatches: false } });
    const [large = ""] = names;
    await label(large, { [SIZE_LABEL]: "large" });
    await client.create(sets, aSet());
    const plain = await runsOn(names);
    expect(plain.map(sizeOf)).toEqual(Array(NODES).fill("small"));
    off.abort(new Error("restarted"));
    cluster.operate();
    await until("the patch has come", (live) => live.length === NODES && live.map(sizeOf).includes("large"));
  });
});

function withSpec(template: JsonObject, spec: JsonObject): JsonObject {
  return { ...template, spec: { ...(template.spec as JsonObject), ...spec } };
}

function nodeOf({ spec }: AnyObject): string {
  return typeof spec?.nodeName === "string" ? spec.nodeName : "";
}

function isReady({ status }: AnyObject): boolean {
  const conditions = (status?.conditions ?? []) as readonly JsonObject[];
  return conditions.some(({ type, status: is }) => type === "Ready" && is === "True");
}

function has({ spec, status }: AnyObject, tag: string): boolean {
  const reported = (status?.containerStatuses ?? []) as readonly JsonObject[];
  const isReported = reported.every(({ image }) => String(image).endsWith(`:${tag}`));
  return JSON.stringify(spec?.containers).includes(`agent:${tag}"`) && reported.length > 0 && isReported;
}

function sizeOf(pod: AnyObject | undefined): string {
  const containers = (pod?.spec?.containers ?? []) as readonly { env?: readonly JsonObject[] }[];
  return String(containers[0]?.env?.find(({ name }) => name === "SIZE")?.value ?? "");
}

function summary(pod: AnyObject): string {
  return `${pod.metadata.name} on ${nodeOf(pod)} ${isReady(pod) ? "ready" : "not ready"} ${sizeOf(pod)}`;
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.join() === b.join();
}

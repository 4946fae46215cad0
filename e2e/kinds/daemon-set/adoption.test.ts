// Sets, revisions and pods that others made, on a real control plane: an installation of Kruise that is taken over and could be given
// back, pods that lost their owner, and pods that do not match any more. Nothing that runs is restarted.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type AnyObject, pods, revisions, sets } from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import { canonicalJson } from "../../../src/core/json/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import kruise from "../../../src/kinds/daemon-set/pods/vectors/kruise-installation.json" with { type: "json" };
import { recordingOf, revisionText } from "../../../src/kinds/daemon-set/revision/revision.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { DaemonSetCluster } from "./daemon-set-cluster.ts";

type Recorded = {
  readonly set: JsonObject;
  readonly revisions: readonly JsonObject[];
  readonly pods: readonly JsonObject[];
};
const recorded: Readonly<Record<"standard" | "inPlace", Recorded>> = JSON.parse(JSON.stringify(kruise));

const SOON = { deadlineMs: 60_000, everyMs: 200 };
const QUIET_MS = 3_000;
const NAMESPACE = "monitoring";
const HASH = "controller-revision-hash";
const namespaces: Resource<KubeObject> = {
  ...{ group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false },
};
const accounts: Resource<KubeObject> = {
  ...{ group: "", version: "v1", plural: "serviceaccounts", kind: "ServiceAccount", namespaced: true },
};

describeWith("controllers", "what others made of a set, on a real control plane", (binaries) => {
  let cluster: DaemonSetCluster;
  let client: Client;
  let machines: readonly string[];

  beforeAll(async () => {
    cluster = await DaemonSetCluster.start(binaries, 3);
    client = cluster.client;
    machines = cluster.nodeNames;
    await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
    for (const name of ["exporter", "agent"]) {
      await client.create(accounts, {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name, namespace: NAMESPACE },
      });
    }
  });
  afterEach(async () => {
    cluster.kill();
    await cluster.clean(NAMESPACE);
    for (const { metadata } of await revisionsOf()) await client.remove(revisions, `${NAMESPACE}/${metadata.name}`);
  });
  afterAll(() => cluster?.stop());

  const podsOf = () => cluster.pods(NAMESPACE);
  const revisionsOf = async () => (await client.list(revisions, { namespace: NAMESPACE })).items;
  const setOf = async (name: string) => client.get(sets, `${NAMESPACE}/${name}`);
  const identities = () => cluster.identities(NAMESPACE);
  const restarts = async () =>
    JSON.stringify((await podsOf()).map(({ status }) => status?.containerStatuses)).match(/"restartCount":[^0]/g);

  /** Stores what was recorded, as objects of this cluster, and lets the kubelets run it. */
  const install = async ({ set, revisions: history, pods: fleet }: Recorded): Promise<string> => {
    const { metadata } = await client.create(sets, stripped(set));
    const owned = (object: JsonObject) => withOwner(stripped(object), metadata.uid);
    for (const revision of history) await client.create(revisions, owned(revision));
    for (const [index, pod] of fleet.entries()) await client.create(pods, onNode(owned(pod), machines[index] ?? ""));
    await eventually(
      "the pods run",
      async () => ((await podsOf()).every(({ status }) => status?.phase === "Running") ? true : undefined),
      SOON,
    );
    return metadata.name;
  };

  const counted = (name: string, ready: number) =>
    eventually(
      `${name} counts ${ready} ready pods`,
      async () => {
        const { status = {}, metadata } = (await setOf(name)) ?? {};
        const isSeen = status.observedGeneration === metadata?.generation && status.conditions !== undefined;
        if (!isSeen || status.numberAvailable !== ready || status.updatedNumberScheduled !== ready)
          throw new Error(JSON.stringify(status));
        return status;
      },
      SOON,
    );

  /** The pods that Kruise would replace: those whose hash is not that of the revision with the bytes that it would write. */
  const kruiseReplaces = async (name: string): Promise<readonly string[]> => {
    const recording = recordingOf((await setOf(name))?.spec ?? {});
    const wanted = recording && revisionText(recording, { namesPatches: false });
    const stored = await revisionsOf();
    const current = stored.filter(({ data: written = {} }) => canonicalJson(written) === wanted);
    expect(current).toHaveLength(1);
    const hash = current[0]?.metadata.labels?.[HASH];
    return (await podsOf())
      .filter(({ metadata }) => metadata.labels?.[HASH] !== hash)
      .map(({ metadata }) => metadata.name);
  };

  test("a set that Kruise rolled is taken over without a restart, and could be given back at once", async () => {
    const name = await install(recorded.standard);
    const before = await identities();
    cluster.operate();
    await counted(name, 3);
    await quiet();
    expect(await identities()).toEqual(before);
    expect(await restarts()).toBeNull();
    expect((await setOf(name))?.status?.updateRevision).toBe(
      (recorded.standard.set.status as JsonObject).updateRevision,
    );
    expect(await revisionsOf()).toHaveLength(2);
    expect(await kruiseReplaces(name)).toEqual([]);
  });

  test("a set that Kruise updated in place goes on in place, and could be given back after it", async () => {
    const name = await install(recorded.inPlace);
    const before = await identities();
    cluster.operate();
    await counted(name, 3);
    expect(await identities()).toEqual(before);
    const [container] = templateIn(await setOf(name));
    const containers = [{ ...container, image: "registry.example.com/agent:5" }];
    await client.patch(sets, `${NAMESPACE}/${name}`, {
      type: "merge",
      body: { spec: { template: { spec: { containers } } } },
    });
    await counted(name, 3);
    expect(await identities()).toEqual(before);
    expect(JSON.stringify((await podsOf()).map(({ spec }) => spec?.containers))).not.toContain("agent:4");
    expect(await kruiseReplaces(name)).toEqual([]);
  });

  test("pods and revisions that a set left behind are adopted by its successor", async () => {
    const name = await install(recorded.standard);
    cluster.operate();
    await counted(name, 3);
    const before = await identities();
    await client.remove(sets, `${NAMESPACE}/${name}`, { propagation: "Orphan" });
    await eventually("the set is gone", async () => ((await setOf(name)) === undefined ? true : undefined), SOON);
    expect(await identities()).toEqual(before);
    const { metadata } = await client.create(sets, stripped(recorded.standard.set));
    await counted(name, 3);
    await quiet();
    expect(await identities()).toEqual(before);
    const owners = (await podsOf()).map(({ metadata: { ownerReferences } }) => ownerReferences?.map(({ uid }) => uid));
    expect(owners).toEqual(Array(3).fill([metadata.uid]));
    expect(await revisionsOf()).toHaveLength(2);
  });

  test("a pod that does not match any more is let go, and its node gets another", async () => {
    const name = await install(recorded.standard);
    cluster.operate();
    await counted(name, 3);
    const [pod] = await podsOf();
    const key = `${NAMESPACE}/${pod?.metadata.name}`;
    await client.patch(pods, key, { type: "merge", body: { metadata: { labels: { app: "debugged" } } } });
    await eventually(
      "it has no owner, and four pods run",
      async () => {
        const [released, all] = [await client.get(pods, key), await podsOf()];
        const isFree = (released?.metadata.ownerReferences ?? []).length === 0;
        return isFree && all.length === 4 ? true : undefined;
      },
      SOON,
    );
    await counted(name, 3);
    expect((await client.get(pods, key))?.metadata.uid).toBe(pod?.metadata.uid);
  });

  const quiet = () => new Promise((resolve) => setTimeout(resolve, QUIET_MS));
});

/** An object without what a server gives it. */
function stripped(object: JsonObject): AnyObject & JsonObject {
  const { status: _status, metadata, ...rest } = object;
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    generation: _generation,
    ...kept
  } = isJsonObject(metadata) ? metadata : {};
  return JSON.parse(JSON.stringify({ ...rest, metadata: kept }));
}

function withOwner(object: AnyObject & JsonObject, uid: string): AnyObject & JsonObject {
  const ownerReferences = (object.metadata.ownerReferences ?? []).map((owner) => ({ ...owner, uid }));
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function onNode(pod: AnyObject & JsonObject, nodeName: string): AnyObject & JsonObject {
  return JSON.parse(JSON.stringify({ ...pod, spec: { ...pod.spec, nodeName, affinity: null } }));
}

function templateIn(set: { readonly spec?: JsonObject } | undefined): readonly JsonObject[] {
  return JSON.parse(JSON.stringify(set?.spec)).template.spec.containers;
}

// The advanced DaemonSet's story: it is started on all nodes, updated a tenth at a time, and one node gets another label.
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Client } from "../../src/kube/client/client.ts";
import type { OwnerReference, Stored } from "../../src/kube/resource.ts";
import type { NodeErrand, OracleStep } from "../real/contestants/oracle-order.ts";
import { isFitted, type SeenNode } from "../real/fleet-observer.ts";
import { NODES, UNBUDGETED } from "../real/fleet-size.ts";
import { removePods } from "../real/remove-pods.ts";
import {
  advancedSets,
  type Body,
  configMaps,
  NAMESPACE,
  nativeSets,
  nodes,
  pods,
  serviceAccounts,
} from "../real/resources.ts";
import type { Act, AskedKind, Scene } from "../real/scene.ts";
import { advancedSet, machines, NAME, nativeSet, podFor, TIER } from "./set-objects.ts";

export const BUDGET = Math.ceil(NODES / 10);
const KEY = `${NAMESPACE}/${NAME}`;
/** The tag of the update. */
const UPDATED = "2";
/** The node that gets another label, and was in no class before. */
const MOVED = machines[0]?.name ?? "";

export const coldStart = startAct();
export const rollingUpdate = updateAct();
export const labelChange = labelAct();

export const daemonSetScene: Scene = {
  machines,
  async prepare(client) {
    const metadata = { name: "csi-node-agent", namespace: NAMESPACE };
    await client.create(serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  },
  async clear(client) {
    for (const resource of [advancedSets, nativeSets, configMaps]) await client.remove(resource, KEY);
    await removePods(client);
    await setTier(client, null);
  },
  isClear: (view) => view.podCount === 0,
};

const written = (tag: string, kind: AskedKind) =>
  kind === "own"
    ? { resource: advancedSets, object: advancedSet(tag) }
    : { resource: nativeSets, object: nativeSet(tag) };

function startAct(): Act {
  const tag = "1";
  return {
    name: "cold start",
    async ask(client, kind) {
      const { resource, object } = written(tag, kind);
      await client.create(resource, object);
    },
    async answer(client, view) {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: NAME, namespace: NAMESPACE } };
      const owner = referenceTo(await client.create(configMaps, object));
      const errands = [...view.nodes()].map(
        (node): NodeErrand => ({ node: node.name, steps: [creation(node, tag, owner)] }),
      );
      return { first: [], errands, errandsMax: UNBUDGETED };
    },
    isReached: (view) => isFitted(view, tag),
  };
}

function updateAct(): Act {
  return {
    name: "rolling update",
    async ask(client, kind) {
      const { resource, object } = written(UPDATED, kind);
      await client.patch(resource, KEY, { type: "merge", body: { spec: object.spec } });
    },
    answer: async (client, view) => ({
      ...{ first: [], errandsMax: BUDGET },
      errands: await replacements(client, [...view.nodes()]),
    }),
    isReached: (view) => isFitted(view, UPDATED),
  };
}

/** A person gives a node another label, whoever looks after the pods. */
function labelAct(): Act {
  let before = "";
  return {
    name: "one label",
    async ask(client) {
      await setTier(client, "large");
    },
    async answer(client, view) {
      const [node] = [...view.nodes()].filter(({ name }) => name === MOVED);
      if (node === undefined) throw new Error(`there is no node ${MOVED}`);
      const errands = await replacements(client, [{ ...node, labels: { ...node.labels, [TIER]: "large" } }]);
      return { first: [{ do: "merge", resource: nodes, key: MOVED, body: tierBody("large") }], errands, errandsMax: 1 };
    },
    before(view) {
      before = view.podsOn(MOVED)[0]?.uid ?? "";
    },
    isReached: (view) => isFitted(view, UPDATED) && view.podsOn(MOVED)[0]?.uid !== before,
  };
}

async function replacements(client: Client, of: readonly SeenNode[]): Promise<readonly NodeErrand[]> {
  const stored = await client.get(configMaps, KEY);
  if (stored === undefined) throw new Error("the oracle's set has not been started");
  const owner = referenceTo(stored);
  return of.map((node) => ({
    node: node.name,
    steps: [{ do: "removePod" }, creation(node, UPDATED, owner), { do: "awaitReady" }],
  }));
}

function creation(node: SeenNode, tag: string, owner: OwnerReference): OracleStep {
  return { do: "create", resource: pods, object: podFor(node, tag, owner) };
}

function referenceTo({ apiVersion, kind, metadata: { name, uid } }: Stored<Body>): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

async function setTier(client: Client, tier: string | null): Promise<void> {
  await client.patch(nodes, MOVED, { type: "merge", body: tierBody(tier) });
}

function tierBody(tier: string | null): JsonObject {
  return { metadata: { labels: { [TIER]: tier } } };
}

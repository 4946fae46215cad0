// The story of the kinds that deliver by native DaemonSets and labels on nodes: an object is written, and every node gets its label and its
// pod. What exactly has to be written the oracle learns from what the operator left when it played.
import type { MachineSpec } from "../../sim/nodes/machine.ts";
import type { Client } from "../../src/kube/client/client.ts";
import type { KubeObject, Resource, Stored } from "../../src/kube/resource.ts";
import type { NodeErrand, OracleStep } from "./contestants/oracle-order.ts";
import { type FleetView, isFitted, type SeenNode } from "./fleet-observer.ts";
import { UNBUDGETED } from "./fleet-size.ts";
import { removePods } from "./remove-pods.ts";
import { type Body, NAMESPACE, nativeSets, nodes } from "./resources.ts";
import type { Act, Scene } from "./scene.ts";

export type BoundStory = {
  readonly machines: readonly MachineSpec[];
  readonly resource: Resource<Body>;
  readonly object: Body;
  /** The tag of all images. */
  readonly tag: string;
  /** Labels of ours that say that the pod is ready, and so are written after it. */
  isLate(label: string): boolean;
  /** How many labels of ours a node has in the end. */
  readonly labelsPerNode: number;
};

type Labels = Readonly<Record<string, string>>;
type Answer = { readonly sets: readonly Body[]; readonly labels: ReadonlyMap<string, Labels> };

/** Patches that take labels away again, at once. */
const PATCHES_IN_FLIGHT = 16;

/** The scene and its only act. */
export function boundScene(story: BoundStory): { readonly scene: Scene; readonly act: Act } {
  const given = new Map(story.machines.map(({ name, labels }) => [name, labels]));
  const added = ({ name, labels }: SeenNode): Labels =>
    Object.fromEntries(Object.entries(labels).filter(([key]) => isOurs(key) && given.get(name)?.[key] === undefined));
  const isReached = (view: FleetView) => isFitted(view, story.tag) && everyNode(view, story.labelsPerNode);
  const everyNode = (view: FleetView, count: number) =>
    [...view.nodes()].every((node) => Object.keys(added(node)).length === count);
  let answer: Answer | undefined;
  const act: Act = {
    ...{ name: "every node fitted", isReached },
    ask: async (client) => void (await client.create(story.resource, story.object)),
    async answer(_, view) {
      if (answer === undefined) throw new Error("the oracle cannot know the answer before the operator has played");
      const { sets, labels } = answer;
      const first = sets.map((object): OracleStep => ({ do: "create", resource: nativeSets, object }));
      const errands = [...view.nodes()].map((node) => errandTo(node, labels.get(node.name) ?? {}, story));
      return { first, errands, errandsMax: UNBUDGETED };
    },
  };
  const scene: Scene = {
    machines: story.machines,
    prepare: async () => {},
    async record(client, view) {
      const { items } = await client.list(nativeSets, { namespace: NAMESPACE });
      answer = { sets: items.map(written), labels: new Map([...view.nodes()].map((node) => [node.name, added(node)])) };
    },
    async clear(client) {
      await client.remove(story.resource, `${NAMESPACE}/${story.object.metadata.name}`);
      const { items } = await client.list(nativeSets, { namespace: NAMESPACE });
      for (const { metadata } of items) await client.remove(nativeSets, `${NAMESPACE}/${metadata.name}`);
      await removePods(client);
      await unlabel(client, answer?.labels ?? new Map());
    },
    isClear: (view) => view.podCount === 0 && everyNode(view, 0),
  };
  return { scene, act };
}

function isOurs(label: string): boolean {
  return /farrier\.dev\/|^kmm\./.test(label);
}

/** Bind the node; and, where that is told, say so when its pod is ready. */
function errandTo({ name, uid }: SeenNode, labels: Labels, { isLate }: BoundStory): NodeErrand {
  const early = Object.fromEntries(Object.entries(labels).filter(([key]) => !isLate(key)));
  const apply = (given: Labels): OracleStep => ({
    ...{ do: "apply", resource: nodes },
    object: { apiVersion: "v1", kind: "Node", metadata: { name, uid, labels: given } },
  });
  const hasLate = Object.keys(labels).length > Object.keys(early).length;
  return { node: name, steps: hasLate ? [apply(early), { do: "awaitReady" }, apply(labels)] : [apply(early)] };
}

/** The set as somebody would write it: without what the server and its controller have added. */
function written({ apiVersion, kind, metadata, spec }: Stored<Body>): Body {
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  const { "deprecated.daemonset.template.generation": _, ...own } = annotations;
  const identity = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion, kind, metadata: { ...identity, labels, annotations: own }, ...(spec && { spec }) };
}

async function unlabel(client: Client, labels: ReadonlyMap<string, Labels>): Promise<void> {
  const left = labels.entries();
  const work = async () => {
    for (const [name, given] of left) {
      const nulls = Object.fromEntries(Object.keys(given).map((key) => [key, null]));
      await client.patch<KubeObject>(nodes, name, { type: "merge", body: { metadata: { labels: nulls } } });
    }
  };
  await Promise.all(Array.from({ length: PATCHES_IN_FLIGHT }, work));
}

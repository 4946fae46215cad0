// The fleet by kernel and object: on how many nodes an object serves, of those that it is for as far as pods, labels and statuses tell.
// Nothing is decided or explained for it, so that it costs little on any fleet.

import { isUnknown } from "../../core/decision/fact.ts";
import { countIn, textIn } from "../../core/decision/object-identity.ts";
import type { Snapshot } from "../../core/decision/snapshot.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { type DaemonPod, hasEnded } from "../../core/pod/daemon-pod.ts";
import { listOf } from "../../kinds/schema/json-parts.ts";
import { type KnownObject, objectText } from "../input/named-object.ts";
import { nodeProblems, statusOf } from "../input/object-condition.ts";

export type KernelRow = {
  readonly kernel: string;
  readonly nodes: number;
  /** One for each object, in the order of the objects. */
  readonly cells: readonly FleetCell[];
};

export type FleetCell = {
  readonly object: string;
  /** Nodes with a pod that serves. */
  readonly serving: number;
  /** Nodes that have a pod of the object, are bound to it or should be, or are named among its problems. */
  readonly wanted: number;
  /** Why it will stay so, as far as the status tells it by kernel; empty otherwise. */
  readonly reason: string;
};

/** How a node without a kernel is called. */
const NO_KERNEL = "unknown";
/** States of a kernel that nobody leaves without a person's help. */
const HOPELESS: readonly string[] = ["Unmapped", "Failed"];

/** The rows, those with the most nodes first. */
export function fleetMatrix(snapshot: Snapshot, objects: readonly KnownObject[]): readonly KernelRow[] {
  const byKernel = Map.groupBy(snapshot.nodes, kernelOf);
  const standings = objects.map((known) => ({ known, ...standingOf(snapshot, known) }));
  const rows = [...byKernel].map(([kernel, nodes]): KernelRow => {
    const cells = standings.map(({ known, serving, wanted }): FleetCell => {
      const told = toldOf(known, kernel);
      const count = (names: ReadonlySet<string>) => nodes.filter(({ name }) => names.has(name)).length;
      return {
        ...{ object: objectText(known), serving: count(serving), reason: told.reason },
        wanted: Math.min(nodes.length, Math.max(count(wanted), told.nodes)),
      };
    });
    return { kernel, nodes: nodes.length, cells };
  });
  return rows.toSorted((a, b) => b.nodes - a.nodes || (a.kernel < b.kernel ? -1 : 1));
}

/** A node that has or should have something of the object and is not served; undefined when there is none. */
export function unservedNode(snapshot: Snapshot, known: KnownObject): string | undefined {
  const { serving, wanted } = standingOf(snapshot, known);
  return snapshot.nodes.find(({ name }) => wanted.has(name) && !serving.has(name))?.name;
}

type Standing = { readonly serving: ReadonlySet<string>; readonly wanted: ReadonlySet<string> };

function standingOf(snapshot: Snapshot, { kind, stored }: KnownObject): Standing {
  const owners = [stored.uid, ...snapshot.workloadsOf(stored.uid).map(({ uid }) => uid)];
  const pods = owners.flatMap((uid) => snapshot.podsOf(uid)).filter((pod) => !pod.isLeaving && pod.node !== "");
  const byNode = Map.groupBy(pods, ({ node }) => node);
  const serving = [...byNode].filter(([, its]) => isServed(its)).map(([node]) => node);
  const bound = snapshot.nodes.filter((node) =>
    kind.traces?.leftOn(node).some(({ namespace, name }) => namespace === stored.namespace && name === stored.name),
  );
  // A node without a pod bears no trace where pods are not bound by a label.
  const troubled = nodeProblems(stored).flatMap(({ examples }) => examples);
  const wanted = new Set([...byNode.keys(), ...bound.map(({ name }) => name), ...troubled]);
  return { serving: new Set(serving), wanted };
}

/** A driver may come with a plugin: each has a pod that is ready. While a pod is replaced with a surge, one of the two is enough. */
function isServed(pods: readonly DaemonPod[]): boolean {
  const byOwner = Map.groupBy(pods, ({ controllerUid }) => controllerUid);
  return [...byOwner.values()].every((its) => its.some((pod) => pod.readySinceMs !== undefined && !hasEnded(pod)));
}

/** What the status says of a kernel, for objects that tell them apart: nodes without a fit bear no label of ours. */
function toldOf({ stored }: KnownObject, kernel: string): { readonly nodes: number; readonly reason: string } {
  const kernels: readonly JsonObject[] = listOf(statusOf(stored.object).kernels).filter(isJsonObject);
  const told = kernels.find((each) => each.kernel === kernel);
  if (told === undefined) return { nodes: 0, reason: "" };
  const state = textIn(told.state);
  return { nodes: countIn(told.nodes), reason: HOPELESS.includes(state) ? textIn(told.reason) || state : "" };
}

function kernelOf({ kernel }: NodeFacts): string {
  return isUnknown(kernel) ? NO_KERNEL : kernel.raw;
}

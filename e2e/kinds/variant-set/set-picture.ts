// The cluster as far as a set goes, read through a client: what nodes are bound to, which pods run where, and what the status says.

import {
  type AnyObject,
  nodesResource,
  podsResource,
  variantSets,
} from "../../../sim/scenarios/variant-set/set-world.ts";
import type { Client } from "../../../src/kube/client/client.ts";

export type SetPicture = {
  /** By node, the value of the binding label. */
  readonly bindings: Readonly<Record<string, string>>;
  /** `node-1 agent:new ready`, sorted. */
  readonly pods: readonly string[];
  readonly ready: string | undefined;
  readonly stalled: string | undefined;
  readonly nodes: unknown;
};

/** Reads the picture of a set whose binding label is `label`. */
export async function setPicture(client: Client, key: string, label: string): Promise<SetPicture> {
  const [nodes, pods, set] = await Promise.all([
    client.list(nodesResource),
    client.list(podsResource),
    client.get(variantSets, key),
  ]);
  const bound = nodes.items.flatMap(({ metadata }) => {
    const value = metadata.labels?.[label];
    return value === undefined ? [] : [[metadata.name, value] as const];
  });
  const conditions: readonly Condition[] = Object(set?.status).conditions ?? [];
  return {
    bindings: Object.fromEntries(bound.sort()),
    pods: pods.items.map(podText).sort(),
    ready: conditions.find(({ type }) => type === "Ready")?.status,
    stalled: conditions.find(({ type, status }) => type === "Stalled" && status === "True")?.reason,
    nodes: Object(set?.status).nodes,
  };
}

type Condition = { readonly type: string; readonly status: string; readonly reason: string; readonly message: string };

/** What the set says of being stalled. */
export async function stalledMessage(client: Client, key: string): Promise<string> {
  const conditions: readonly Condition[] = Object((await client.get(variantSets, key))?.status).conditions ?? [];
  return conditions.find(({ type }) => type === "Stalled")?.message ?? "";
}

function podText({ metadata, spec, status }: AnyObject): string {
  const image = String(Object(spec).containers?.[0]?.image).split("/").at(-1);
  const conditions: readonly Condition[] = Object(status).conditions ?? [];
  const isReady = conditions.some(({ type, status: is }) => type === "Ready" && is === "True");
  const state = metadata.deletionTimestamp !== undefined ? "leaving" : isReady ? "ready" : "not ready";
  return `${Object(spec).nodeName} ${image} ${state}`;
}

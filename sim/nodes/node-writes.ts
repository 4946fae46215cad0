// How a kubelet makes itself known: registering its node, telling the status of a boot, renewing its lease.
import { isAlreadyExists, isNotFound } from "../../src/kube/client/api-error.ts";
import type { Client } from "../../src/kube/client/client.ts";
import { namedKey } from "../../src/kube/resource.ts";
import { apiMicroTime, LEASE_NAMESPACE, LEASES, NODES } from "./api-shapes.ts";
import type { Machine } from "./machine.ts";
import { type NodeOptions, nodeLease, nodeObject, nodeStatus } from "./node-object.ts";

/** Creates the Node, or brings the status of an existing one up to date; answers with its UID. */
export async function registerNode(
  client: Client,
  machine: Machine,
  options: NodeOptions,
  nowMs: number,
): Promise<string | undefined> {
  try {
    return (await client.create(NODES, nodeObject(machine, options, nowMs))).metadata.uid;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  return reportNode(client, machine, options, nowMs);
}

/** Writes the status of a machine that is up; answers with the node's UID, or undefined when somebody has deleted it. */
export async function reportNode(
  client: Client,
  machine: Machine,
  options: NodeOptions,
  nowMs: number,
): Promise<string | undefined> {
  const patch = { type: "strategic", body: { status: nodeStatus(machine, options, nowMs) } } as const;
  try {
    const node = await client.patch(NODES, machine.spec.name, patch, { subresource: "status", repeatable: true });
    return node.metadata.uid;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

export type LeaseWish = {
  readonly nodeUid: string;
  readonly leaseSeconds: number;
  /** Nobody has seen a lease yet: try to make one first. */
  readonly isFirst: boolean;
};

/** Says that the kubelet lives; makes the lease when it is not there (the first time, or its node was made anew). */
export async function renewLease(client: Client, machine: Machine, wish: LeaseWish, nowMs: number): Promise<void> {
  if (wish.isFirst && (await makeLease(client, machine, wish, nowMs))) return;
  const key = namedKey(machine.spec.name, LEASE_NAMESPACE);
  const body = { spec: { renewTime: apiMicroTime(nowMs) } };
  try {
    await client.patch(LEASES, key, { type: "merge", body }, { repeatable: true });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await makeLease(client, machine, wish, nowMs);
  }
}

/** False when there is one already. */
async function makeLease(client: Client, machine: Machine, wish: LeaseWish, nowMs: number): Promise<boolean> {
  try {
    await client.create(LEASES, nodeLease(machine, wish.nodeUid, wish.leaseSeconds, nowMs));
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

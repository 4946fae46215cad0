// One set in the light of one snapshot: its nodes with their pods, its revisions, and what is and is not its own.
import type { DaemonPod } from "../../core/daemon-pod.ts";
import type { NodeFacts } from "../../core/node-facts.ts";
import type { Snapshot, StoredObject } from "../../core/snapshot.ts";
import type { PatchStep } from "../../core/step.ts";
import { claim, proofOfSet } from "./claim.ts";
import type { History } from "./history.ts";
import { revisionWithHash } from "./history.ts";
import type { NodeView } from "./node-pods.ts";
import type { createNodeViews } from "./node-views.ts";
import type { Resolver } from "./resolve.ts";
import type { SetMemory } from "./set-memory.ts";
import type { AdvancedDaemonSet } from "./spec.ts";
import type { StandingRule } from "./standing.ts";

const REVISION = "ControllerRevision";

export type Observed = {
  readonly object: StoredObject;
  readonly set: AdvancedDaemonSet;
  readonly resolver: Resolver;
  readonly history: History;
  readonly rule: StandingRule;
  /** Nodes that should run a pod, by name. */
  readonly desired: readonly NodeView[];
  /** Other nodes that have one, by name. */
  readonly others: readonly NodeView[];
  /** All pods of the set. */
  readonly pods: readonly DaemonPod[];
  /** Pods that wait for a node that is gone. */
  readonly lost: readonly DaemonPod[];
  /** Adoptions and releases. */
  readonly claims: readonly PatchStep[];
  /** Until what is being adopted is the set's own, nothing else is done: it might be written to what is not. */
  readonly isAdopting: boolean;
  readonly factsSinceMs: (node: string) => number;
  /** The UID of a pod of this name that is nobody's, or is being let go; its name is not free. */
  readonly strayUid: (name: string) => string | undefined;
};

export type ObserveInput = {
  readonly snapshot: Snapshot;
  readonly object: StoredObject;
  readonly set: AdvancedDaemonSet;
  readonly resolver: Resolver;
  readonly views: ReturnType<typeof createNodeViews>;
  readonly memory: SetMemory;
  readonly arePatchesEnabled: boolean;
};

/** Takes from the snapshot what concerns the set. */
export function observeSet(input: ObserveInput): Observed {
  const { snapshot, object, set, resolver, memory, arePatchesEnabled } = input;
  const { pods, revisions, claims, isAdopting } = claimAll(snapshot, object, set);
  const isNameTaken = (name: string) => isOfAnother(snapshot.objectNamed(object.namespace, name, REVISION), object);
  const history = memory.history(object, { revisions, isNameTaken });
  const plainIdentity = (revision: string) => memory.identityOf(revisionWithHash(history, revision)?.recording);
  const rule: StandingRule = { revisions: { newest: history.update.hash, plainIdentity }, arePatchesEnabled };
  const known = [history.update, ...history.older].map(({ name, hash }) => `${name} ${hash}`).join();
  const views = input.views(rule, known, snapshot.nodes.length);
  const byNode = podsByNode(pods);
  const desired: NodeView[] = [];
  const others: NodeView[] = [];
  for (const node of snapshot.nodes) {
    const there = byNode.get(node.name);
    const placement = resolver.place(node);
    const isDesired = placement.shouldRun && !node.isLeaving;
    if (!isDesired && there === undefined) continue;
    (isDesired ? desired : others).push(views.view(node, placement, there));
  }
  return {
    ...{ object, set, resolver, history, rule, desired, others, pods, claims, isAdopting },
    lost: lostPods(pods, snapshot.nodes),
    factsSinceMs: (node) => snapshot.factsSinceMs(node),
    strayUid: strayNames(snapshot, object, pods),
  };
}

/** Few looks create pods, so the names are collected when the first is asked for. */
function strayNames(snapshot: Snapshot, { uid, namespace }: StoredObject, mine: readonly DaemonPod[]) {
  let uids: ReadonlyMap<string, string> | undefined;
  return (name: string): string | undefined => {
    uids ??= namesBut(mine, [...snapshot.podsOf(uid), ...snapshot.strayPods(namespace)]);
    return uids.get(name);
  };
}

function namesBut(mine: readonly DaemonPod[], all: readonly DaemonPod[]): ReadonlyMap<string, string> {
  const kept = new Set(mine.map(({ uid }) => uid));
  return new Map(all.filter(({ uid }) => !kept.has(uid)).map(({ name, uid }) => [name, uid]));
}

/** A revision is adopted as a pod is. None is let go: what it records was said by this set, whatever its labels are. */
function claimAll(snapshot: Snapshot, set: StoredObject, { selector }: AdvancedDaemonSet) {
  const { uid, namespace } = set;
  const pods = claim({
    ...{ set, selector, type: { apiVersion: "v1", kind: "Pod" } },
    ...{ owned: snapshot.podsOf(uid), strays: snapshot.strayPods(namespace) },
  });
  const found = claim<StoredObject>({
    ...{ set, selector, type: { apiVersion: "apps/v1", kind: REVISION } },
    ...{ owned: [], strays: snapshot.strays(namespace, REVISION) },
  });
  const steps = [...pods.steps, ...found.steps];
  const isAdopting = pods.adopted.length + found.adopted.length > 0;
  return {
    pods: pods.mine,
    revisions: [...snapshot.ownedBy(uid, REVISION), ...found.mine],
    ...{ isAdopting, claims: isAdopting ? [proofOfSet(set), ...steps] : steps },
  };
}

/** A set that is made anew finds the revisions of its predecessor, which the garbage collector has not got to yet. */
function isOfAnother(revision: StoredObject | undefined, { uid }: StoredObject): boolean {
  return revision !== undefined && revision.controllerUid !== uid;
}

function podsByNode(pods: readonly DaemonPod[]): ReadonlyMap<string, readonly DaemonPod[]> {
  const byNode = new Map<string, DaemonPod[]>();
  for (const pod of pods) {
    const there = byNode.get(pod.node);
    if (there === undefined) byNode.set(pod.node, [pod]);
    else there.push(pod);
  }
  return byNode;
}

/** A pod that was bound to a node that is gone is for Kubernetes to collect; nobody but us knows whom an unbound one waits for. */
function lostPods(pods: readonly DaemonPod[], nodes: readonly NodeFacts[]): readonly DaemonPod[] {
  const unbound = pods.filter(({ isBound, isLeaving, node }) => !isBound && !isLeaving && node !== "");
  if (unbound.length === 0) return unbound;
  const names = new Set(nodes.map(({ name }) => name));
  return unbound.filter(({ node }) => !names.has(node));
}

// One set in the light of one snapshot: its nodes with their pods, its revisions, and what is and is not its own.

import type { Snapshot, StoredObject } from "../../core/decision/snapshot.ts";
import type { PatchStep } from "../../core/decision/step.ts";
import type { DaemonPod } from "../../core/pod/daemon-pod.ts";
import type { AdvancedDaemonSet } from "./api/spec.ts";
import { claim, proofOfSet } from "./pods/claim.ts";
import type { NodeView } from "./pods/node-pods.ts";
import type { StandingRule } from "./pods/standing.ts";
import type { Resolver } from "./resolve.ts";
import type { History } from "./revision/history.ts";
import { revisionWithHash } from "./revision/history.ts";
import type { KnownSet, SetMemory } from "./set-memory.ts";

const REVISION = "ControllerRevision";

export type Observed = {
  readonly object: StoredObject;
  readonly set: AdvancedDaemonSet;
  readonly resolver: Resolver;
  readonly history: History;
  readonly rule: StandingRule;
  /** Nodes that should run a pod, by name. */
  readonly desired: readonly NodeView[];
  /** Other nodes that have one, or that should once they are Ready again, by name. */
  readonly others: readonly NodeView[];
  /** All pods of the set. */
  readonly pods: readonly DaemonPod[];
  /** Those of them whose node is not there. */
  readonly adrift: readonly DaemonPod[];
  /** Adoptions and releases. */
  readonly claims: readonly PatchStep[];
  /** Until what is being adopted is the set's own, nothing else is done: it might be written to what is not. */
  readonly isAdopting: boolean;
  readonly factsSinceMs: (node: string) => number;
  /** Since when nobody else can make the node a pod of an older wish. */
  readonly aloneSinceMs: (node: string) => number;
  /** Since when nobody else can act upon an older wish of the set at all. */
  readonly wishSinceMs: number;
  /** The UID of a pod of this name that is nobody's, or is being let go; its name is not free. */
  readonly strayUid: (name: string) => string | undefined;
};

export type ObserveInput = KnownSet & {
  readonly snapshot: Snapshot;
  readonly object: StoredObject;
  readonly memory: SetMemory;
  readonly arePatchesEnabled: boolean;
};

/** Takes from the snapshot what concerns the set. */
export function observeSet(input: ObserveInput): Observed {
  const { snapshot, object, set, resolver, memory, arePatchesEnabled } = input;
  const { pods, unclaimed, revisions, claims, isAdopting } = claimAll(input);
  const isNameTaken = (name: string) => isOfAnother(snapshot.objectNamed(object.namespace, name, REVISION), object);
  const history = memory.history(object, { recording: input.recording, revisions, isNameTaken });
  const plainIdentity = (revision: string) => memory.identityOf(revisionWithHash(history, revision)?.recording);
  const rule: StandingRule = { revisions: { newest: history.update.hash, plainIdentity }, arePatchesEnabled };
  const known = [history.update, ...history.older].map(({ name, hash }) => `${name} ${hash}`).join();
  const { desired, others, adrift } = input.views({ nodes: snapshot.nodes, pods, rule, revisions: known });
  return {
    ...{ object, set, resolver, history, rule, desired, others, pods, adrift, claims, isAdopting },
    factsSinceMs: (node) => snapshot.factsSinceMs(node, resolver.labelKeys),
    aloneSinceMs: (node) => snapshot.aloneSinceMs(object, node, resolver.labelKeys),
    wishSinceMs: snapshot.aloneSinceMs(object, "", []),
    strayUid: uidsByName(unclaimed),
  };
}

/** Few looks create pods, so the names are collected when the first is asked for. */
function uidsByName(pods: readonly DaemonPod[]) {
  let uids: ReadonlyMap<string, string> | undefined;
  return (name: string): string | undefined => {
    uids ??= new Map(pods.map((pod) => [pod.name, pod.uid]));
    return uids.get(name);
  };
}

/** A revision is adopted as a pod is. None is let go: what it records was said by this set, whatever its labels are. */
function claimAll({ snapshot, object: set, set: { selector }, matchesAll }: ObserveInput) {
  const { uid, namespace } = set;
  const strays = snapshot.strayPods(namespace);
  const pods = claim({
    ...{ set, selector, type: { apiVersion: "v1", kind: "Pod" }, matchesAll },
    ...{ owned: snapshot.podsOf(uid), strays },
  });
  const found = claim<StoredObject>({
    ...{ set, selector, type: { apiVersion: "apps/v1", kind: REVISION } },
    ...{ owned: [], strays: snapshot.strays(namespace, REVISION) },
  });
  const steps = [...pods.steps, ...found.steps];
  const isAdopting = pods.adopted.length + found.adopted.length > 0;
  return {
    pods: pods.mine,
    unclaimed: [...pods.disowned, ...strays],
    revisions: [...snapshot.ownedBy(uid, REVISION), ...found.mine],
    ...{ isAdopting, claims: isAdopting ? [proofOfSet(set), ...steps] : steps },
  };
}

/** A set that is made anew finds the revisions of its predecessor, which the garbage collector has not got to yet. */
function isOfAnother(revision: StoredObject | undefined, { uid }: StoredObject): boolean {
  return revision !== undefined && revision.controllerUid !== uid;
}

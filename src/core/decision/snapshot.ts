// The picture of the cluster that a decision is made from: what the caches hold, together with our own writes that they have
// not shown yet. The controller gives it from live caches, the command line from files or a recorded snapshot.

import type { JsonObject } from "../json/json.ts";
import type { NodeFacts } from "../node/node-facts.ts";
import type { DaemonPod } from "../pod/daemon-pod.ts";
import type { Workload } from "../rollout/workload.ts";
import type { ObjectIdentity } from "./object-identity.ts";
import type { Reason } from "./reasons.ts";

/** An object of one of our kinds as it is stored. Nobody vouches for its content. */
export type StoredObject = ObjectIdentity & { readonly object: JsonObject };

export type Snapshot = {
  /** In the order of their names. */
  readonly nodes: readonly NodeFacts[];
  /**
   * Since when, in wall ms, the system of a node and these of its labels are known to be as they are: what may be a flap
   * is not acted upon at once.
   */
  factsSinceMs(node: string, labelKeys: readonly string[]): number;
  /**
   * Since when, in wall ms, nobody else can act for a node upon an older wish than this object and these of the node's labels say; 0 if that
   * has always been so. Another replica may have begun before, without having seen the last change.
   */
  aloneSinceMs(object: StoredObject, node: string, labelKeys: readonly string[]): number;
  /** Why a node or a DaemonSet did not take what was last written to it for the object with this UID; absent where nothing is written. */
  refusal?(ownerUid: string, kind: Refusable, name: string): Refusal | undefined;
  /** DaemonSets that the object with this UID controls. */
  workloadsOf(ownerUid: string): readonly Workload[];
  /** DaemonSets of a namespace with this label, whoever controls them: what may be adopted. */
  workloadsLabelled(namespace: string, key: string, value: string): readonly Workload[];
  /** The DaemonSet of this name, whoever controls it. */
  workloadNamed(namespace: string, name: string): Workload | undefined;
  /** Pods that the object or workload with this UID controls. */
  podsOf(ownerUid: string): readonly DaemonPod[];
  /** Objects of another kind that the object with this UID controls: Jobs, ControllerRevisions. */
  ownedBy(ownerUid: string, kind: string): readonly StoredObject[];
  /** The object of another kind with this name, whoever controls it. */
  objectNamed(namespace: string, name: string, kind: string): StoredObject | undefined;
  /** Pods of a namespace that nobody controls: what may be adopted. */
  strayPods(namespace: string): readonly DaemonPod[];
  /** Objects of another kind in a namespace that nobody controls. */
  strays(namespace: string, kind: string): readonly StoredObject[];
  /** Jobs that we made, for whichever object, by name: what objects share is counted from them. */
  tasks(): readonly StoredObject[];
  /** What the registry said of an image. */
  image(reference: string): ImageState;
  /** What a ConfigMap holds under a key; only those that the kind of an object names for it are ever read. */
  configText(namespace: string, { name, key }: ConfigKey): ConfigText;
  /** Nothing may be created in a namespace that is being deleted. */
  isTerminating(namespace: string): boolean;
};

/** What of the cluster may refuse a write and is told of. A DaemonSet is one of the object's namespace. */
export type Refusable = "Node" | "DaemonSet";

/** What kept a write from being taken, with a clause that can follow "because". */
export type Refusal = { readonly reason: Reason; readonly because: string };

/** One text in a ConfigMap. */
export type ConfigKey = { readonly name: string; readonly key: string };

export type ConfigText =
  /** Nobody has looked yet. */
  | { readonly is: "unread" }
  | { readonly is: "present"; readonly text: string }
  /** It is not there, or is not what it should be: a clause that can follow "because". */
  | { readonly is: "absent"; readonly because: string }
  /** We may not read it. */
  | { readonly is: "withheld" };

export type ImageState =
  | { readonly is: "unasked" }
  | { readonly is: "present"; readonly digest: string; readonly askedMs: number }
  | { readonly is: "missing"; readonly askedMs: number }
  | {
      readonly is: "unreachable";
      readonly because: string;
      readonly askedMs: number;
      /** The registry wants credentials that we may not read: asking again helps only when somebody allows us to. */
      readonly isWithheld?: boolean;
    };

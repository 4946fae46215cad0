// What of the cluster concerns one Module: its DaemonSets with the kernel that each is for and their pods, and what nodes get. Deciding
// and explaining read this and what `survey.ts` makes of it, and nothing else.

import type { Snapshot, StoredObject } from "../../core/decision/snapshot.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { availableFromMs, type DaemonPod } from "../../core/pod/daemon-pod.ts";
import type { KeyedPod, PodsByNode } from "../../core/pod/pods-by-node.ts";
import type { Workload } from "../../core/rollout/workload.ts";
import { isCurrentPod } from "../../core/rollout/workload-revision.ts";
import { predecessorsOf } from "./driver/predecessors.ts";
import {
  bindingLabel,
  EXACT_KERNEL,
  FIT,
  isLabelOfKernel,
  kernelLabelOf,
  labelIn,
  MODULE_NAME_KEYS,
  PLUGIN_ROLE,
  ROLE,
  VERSION,
} from "./module-labels.ts";
import type { KnownModule, ModuleMemory } from "./module-memory.ts";
import type { Fit, Outcome } from "./resolve.ts";

const NOTHING: Outcome["gets"] = Object.freeze({ kind: "nothing" });

/** A DaemonSet of the Module's driver. */
export type DriverSet = {
  readonly workload: Workload;
  /** Nodes are bound to it by this value. One that nobody asks for, of another design, is known by its name. */
  readonly key: string;
  /** The kernel that it is for, letter by letter where that is known. */
  readonly kernel: string;
  readonly version: string | undefined;
  /** The hash of the revision of its template, once that is there. */
  readonly currentHash: string | undefined;
  readonly pods: readonly DaemonPod[];
};

/** A pod of the driver on a node. */
export type DriverPod = { readonly set: DriverSet; readonly pod: DaemonPod; readonly isCurrent: boolean };

export type Observed = {
  /** By key. */
  readonly drivers: ReadonlyMap<string, DriverSet>;
  readonly known: KnownModule;
  readonly stored: StoredObject;
  readonly snapshot: Snapshot;
  readonly plugins: readonly Workload[];
  /** The hash of the revision of a plugin's template, once that is there. */
  readonly pluginHash: (plugin: Workload) => string | undefined;
  /** Of a Module of the same name that was there before. */
  readonly predecessors: readonly Workload[];
  /** Pods of the device plugin, leaving or not. */
  readonly pluginPods: PodsByNode;
  /** What nodes in scope get, by key. */
  readonly fits: ReadonlyMap<string, FitNodes>;
};

export type FitNodes = { readonly fit: Fit; readonly nodes: number; readonly arches: ReadonlyMap<string, number> };

/** Looks at the cluster with one Module in mind. */
export function observeModule(
  known: KnownModule,
  stored: StoredObject,
  snapshot: Snapshot,
  memory: ModuleMemory,
): Observed {
  const fits = fitsOf(known, snapshot.nodes);
  const workloads = workloadsOf(stored, snapshot);
  const plugins = workloads.filter(({ labels }) => labelIn(labels, ROLE) === PLUGIN_ROLE);
  const seen = workloads
    .filter((workload) => !plugins.includes(workload))
    .map((workload) => ({
      workload,
      pods: snapshot.podsOf(workload.uid),
      revisions: snapshot.ownedBy(workload.uid, "ControllerRevision"),
    }));
  const pluginGroups = plugins.map(({ uid }) => ({ key: uid, pods: snapshot.podsOf(uid) }));
  const pluginHash = (plugin: Workload) =>
    memory.revisions.currentHash(plugin, snapshot.ownedBy(plugin.uid, "ControllerRevision"));
  return {
    ...{ known, stored, snapshot, fits, plugins, pluginHash },
    drivers: driversOf(seen, fits, memory),
    predecessors: predecessorsOf(stored, snapshot),
    pluginPods: known.fleet.pluginPods.follow(pluginGroups).byNode,
  };
}

type SeenSet = {
  readonly workload: Workload;
  readonly pods: readonly DaemonPod[];
  readonly revisions: readonly StoredObject[];
};

function driversOf(
  seen: readonly SeenSet[],
  fits: ReadonlyMap<string, FitNodes>,
  memory: ModuleMemory,
): ReadonlyMap<string, DriverSet> {
  const drivers = new Map<string, DriverSet>();
  for (const one of seen) {
    const set = driverSet(one, fits, memory);
    if (!drivers.has(set.key)) drivers.set(set.key, set);
  }
  return drivers;
}

/** A pod together with its DaemonSet; none for a DaemonSet that does not count. */
export function driverPodsOf({ drivers }: Observed, pods: readonly KeyedPod[]): readonly DriverPod[] {
  return pods.flatMap(({ key, pod }) => {
    const set = drivers.get(key);
    return set === undefined ? [] : [{ set, pod, isCurrent: isCurrentPod(pod.labels, set.workload, set.currentHash) }];
  });
}

/** What the node is bound to; undefined if nothing. */
export function boundTo({ known }: Observed, { labels }: NodeFacts): string | undefined {
  return labelIn(labels, bindingLabel(known.module));
}

/** Whether a pod of the driver does its work on the node: it is ready, and no other kernel is known to run there. */
export function servesOn({ kernel }: NodeFacts, { set, pod }: DriverPod, nowMs: number): boolean {
  const isItsKernel = kernel.raw === "" || set.kernel === kernel.raw;
  return isItsKernel && (availableFromMs(pod, 0) ?? Number.POSITIVE_INFINITY) <= nowMs;
}

/** The Module's own, and those that earlier designs made for it and nobody else controls. */
function workloadsOf(stored: StoredObject, snapshot: Snapshot): readonly Workload[] {
  const own = snapshot.workloadsOf(stored.uid);
  const named = MODULE_NAME_KEYS.flatMap((key) => snapshot.workloadsLabelled(stored.namespace, key, stored.name));
  const free = named.filter((workload) => workload.controllerUid === undefined && !workload.isLeaving);
  const all = new Map([...own, ...free].map((workload) => [workload.uid, workload]));
  // Ours first: where two are for one kernel, the one that was made by this design counts.
  return [...all.values()].sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

function rank({ labels }: Workload): number {
  return labelIn(labels, FIT) === undefined ? 1 : 0;
}

function driverSet(
  { workload, pods, revisions }: SeenSet,
  fits: ReadonlyMap<string, FitNodes>,
  memory: ModuleMemory,
): DriverSet {
  const { labels, annotations } = workload;
  const identity = { key: labelIn(labels, FIT), kernel: labelIn(annotations, EXACT_KERNEL) };
  const adopted = identity.key === undefined ? fitOfLabel(kernelLabelOf(labels), fits) : undefined;
  return {
    workload,
    key: identity.key ?? adopted?.key ?? workload.name,
    kernel: identity.kernel ?? adopted?.kernel ?? kernelLabelOf(labels) ?? "",
    version: labelIn(annotations, VERSION),
    currentHash: memory.revisions.currentHash(workload, revisions),
    pods,
  };
}

/** The fit that a DaemonSet of an earlier design is for, by its kernel label alone. */
function fitOfLabel(label: string | undefined, fits: ReadonlyMap<string, FitNodes>): Fit | undefined {
  if (label === undefined) return undefined;
  for (const { fit } of fits.values()) if (isLabelOfKernel(label, fit.kernel)) return fit;
  return undefined;
}

/** What is wanted, with how many nodes want it. A node on which none may start wants what it runs and nothing else. */
function fitsOf({ module, resolve, fleet }: KnownModule, nodes: readonly NodeFacts[]): ReadonlyMap<string, FitNodes> {
  const binding = bindingLabel(module);
  const wantOf = (node: NodeFacts): Outcome["gets"] => {
    const { gets } = resolve(node);
    const isOnlyKept = gets.kind === "fit" && !gets.canStart;
    return isOnlyKept && labelIn(node.labels, binding) !== gets.fit.key ? NOTHING : gets;
  };
  const counted = new Map<string, { fit: Fit; nodes: number; arches: Map<string, number> }>();
  for (const [gets, count] of fleet.wants.follow(nodes, { classOf: wantOf }).counts) {
    if (gets.kind !== "fit") continue;
    const { fit, arch } = gets;
    const entry = counted.get(fit.key) ?? { fit, nodes: 0, arches: new Map<string, number>() };
    entry.nodes += count;
    entry.arches.set(arch, (entry.arches.get(arch) ?? 0) + count);
    counted.set(fit.key, entry);
  }
  return new Map([...counted].sort(([a], [b]) => (a < b ? -1 : 1)));
}

// One pass over the nodes of a Module: who needs nothing is only counted, who needs something is looked at closely afterwards. So a
// decision about a fleet at rest costs a few lookups per node.
import { availableFromMs } from "../../core/daemon-pod.ts";
import type { NodeFacts } from "../../core/node-facts.ts";
import type { ModuleNode } from "./berths.ts";
import { bindingLabel, KERNEL_VERSION, labelIn, readyLabel, versionReadyLabel } from "./module-labels.ts";
import { type DriverPod, type Observed, servesOn } from "./observe.ts";
import type { Outcome } from "./resolve.ts";

export type Survey = {
  /** Nodes that something may have to be done about, or that count as trouble; in the order of their names. */
  readonly restless: readonly ModuleNode[];
  readonly inScope: number;
  /** Nodes that should have a driver: what percentages are of. */
  readonly wanting: number;
  readonly fitted: number;
  /** Nodes that a ready driver has not been updated on. */
  readonly outdated: number;
  readonly kernels: ReadonlyMap<string, KernelCount>;
  /** Until when it says the same of an unchanged cluster: pods become available by themselves. */
  readonly holdsFromMs: number;
  readonly holdsUntilMs: number;
};

export type KernelCount = {
  readonly kernel: string;
  readonly nodes: number;
  readonly ready: number;
  /** Keys of what its nodes get. */
  readonly keys: ReadonlySet<string>;
  /** What one of its nodes without a fit is told; undefined if there is none. */
  readonly unfit: Outcome | undefined;
};

type Count = { kernel: string; nodes: number; ready: number; keys: Set<string>; unfit: Outcome | undefined };

const NO_PODS: readonly DriverPod[] = Object.freeze([]);

/** Surveys the nodes, or gives the last survey where nothing has changed since. */
export function surveyNodes(observed: Observed, nowMs: number): Survey {
  const { known, snapshot, driverPods } = observed;
  const isStillGood = ({ holdsFromMs, holdsUntilMs }: Survey) => holdsFromMs <= nowMs && nowMs < holdsUntilMs;
  return known.latest.survey([snapshot.nodes, driverPods], () => passOver(observed, nowMs), isStillGood);
}

function passOver(observed: Observed, nowMs: number): Survey {
  const { known, snapshot, driverPods } = observed;
  const labels = labelKeys(observed);
  const restless: ModuleNode[] = [];
  const kernels = new Map<string, Count>();
  const sums = { inScope: 0, wanting: 0, fitted: 0, outdated: 0 };
  for (const facts of snapshot.nodes) {
    const outcome = known.resolve(facts);
    const bound = labelIn(facts.labels, labels.binding);
    if (!outcome.isInScope && bound === undefined && !driverPods.has(facts.name)) continue;
    const pods = driverPods.get(facts.name) ?? NO_PODS;
    const serving = pods.find((pod) => pod.set.key === bound && servesOn(facts, pod, nowMs));
    if (outcome.isInScope) {
      const isFitted = serving !== undefined && isMeant(outcome, bound);
      sums.inScope += 1;
      sums.wanting += isWanting(outcome, bound) ? 1 : 0;
      sums.fitted += isFitted ? 1 : 0;
      sums.outdated += serving?.isCurrent === false ? 1 : 0;
      count(kernels, facts, outcome, isFitted);
    }
    const isAtRest = serving?.isCurrent === true && pods.length === 1 && isBoundRightly(outcome, bound);
    if (!isAtRest || !isLabelled(facts, serving, labels)) restless.push({ facts, outcome, bound, pods });
  }
  return { restless, ...sums, kernels, holdsFromMs: nowMs, holdsUntilMs: nextAvailable(driverPods, nowMs) };
}

/** When the next pod that is ready now has been so for long enough; never, as a rule. */
function nextAvailable(driverPods: Observed["driverPods"], nowMs: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const pods of driverPods.values()) {
    for (const { pod } of pods) {
      const atMs = availableFromMs(pod, 0) ?? Number.POSITIVE_INFINITY;
      if (atMs > nowMs) next = Math.min(next, atMs);
    }
  }
  return next;
}

/** Whether the node should have a driver, now or still. */
function isWanting({ gets }: Outcome, bound: string | undefined): boolean {
  if (gets.kind === "nothing") return false;
  return gets.kind === "same" ? bound !== undefined : gets.canStart || bound === gets.fit.key;
}

function isBoundRightly({ gets }: Outcome, bound: string | undefined): boolean {
  return gets.kind === "fit" && gets.fit.key === bound;
}

function isMeant(outcome: Outcome, bound: string | undefined): boolean {
  return outcome.gets.kind === "same" || isBoundRightly(outcome, bound);
}

type LabelKeys = { readonly binding: string; readonly ready: string; readonly versionReady: string };

function labelKeys({ known: { module } }: Observed): LabelKeys {
  return { binding: bindingLabel(module), ready: readyLabel(module), versionReady: versionReadyLabel(module) };
}

/** Whether the node says of its driver all that it should. */
function isLabelled({ labels }: NodeFacts, { set }: DriverPod, keys: LabelKeys): boolean {
  if (labelIn(labels, keys.ready) === undefined) return false;
  if (labelIn(labels, keys.versionReady) !== set.version) return false;
  // Whatever stands there is left alone; only that nothing does is mended.
  return labelIn(labels, KERNEL_VERSION) !== undefined;
}

function count(kernels: Map<string, Count>, { kernel }: NodeFacts, outcome: Outcome, isReady: boolean): void {
  const entry = kernels.get(kernel.raw) ?? {
    kernel: kernel.raw,
    nodes: 0,
    ready: 0,
    keys: new Set(),
    unfit: undefined,
  };
  if (entry.nodes === 0) kernels.set(kernel.raw, entry);
  entry.nodes += 1;
  entry.ready += isReady ? 1 : 0;
  if (outcome.gets.kind === "fit") entry.keys.add(outcome.gets.fit.key);
  else if (!isReady) entry.unfit ??= outcome;
}

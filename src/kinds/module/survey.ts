// How the nodes of a Module stand: who is at rest is only counted, and stays counted until something about it changes; who is not is looked
// at closely. So a decision about a fleet at rest costs what is distinct in it.
import type { NodeFacts } from "../../core/node/node-facts.ts";
import type { KeyedPod, PodsByNode } from "../../core/pod/pods-by-node.ts";
import { equivalentRevisions } from "../../core/rollout/workload-revision.ts";
import type { ModuleNode } from "./driver/berths.ts";
import { bindingLabel, KERNEL_VERSION, labelIn, readyLabel, versionReadyLabel } from "./module-labels.ts";
import { boundTo, type DriverPod, driverPodsOf, type Observed, servesOn } from "./observe.ts";
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
  /** Nodes that are bound to something, by its key, whatever their taints and readiness. */
  readonly bound: ReadonlyMap<string, number>;
  /** Nodes that say that their driver is ready. */
  readonly labelled: number;
  readonly kernels: ReadonlyMap<string, KernelCount>;
  /** The pods of the driver on a node. */
  readonly podsOn: (node: string) => readonly DriverPod[];
};

/** How a node rests: with the driver that it should have, or without having to do with the Module. */
export type Rest = Extract<Outcome["gets"], { kind: "fit" }> | "bystander" | "labelled bystander";

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

const NO_PODS: readonly KeyedPod[] = Object.freeze([]);

/** Surveys the nodes: those at rest as numbers, those that are not one by one. */
export function surveyNodes(observed: Observed, nowMs: number): Survey {
  const { known, snapshot, drivers } = observed;
  const labels = labelKeys(observed);
  const { counts, open, podsByNode } = known.fleet.nodes({
    nodes: snapshot.nodes,
    groups: [...drivers.values()],
    picture: pictureOf(observed),
    classOf: (facts, pods) => restOf(nodeOf(observed, facts, pods), { labels, nowMs }),
  });
  const restless = open.map((facts) => nodeOf(observed, facts, podsByNode));
  const draft: Draft = {
    inScope: 0,
    wanting: 0,
    fitted: 0,
    outdated: 0,
    labelled: 0,
    bound: new Map(),
    kernels: new Map(),
  };
  for (const [rest, nodes] of counts) countResting(draft, rest, nodes);
  for (const node of restless) countRestless(draft, node, { labels, nowMs });
  const kernels = new Map([...draft.kernels].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...draft, kernels, restless, podsOn: (name) => driverPodsOf(observed, podsByNode.get(name) ?? NO_PODS) };
}

/** All that tells nodes at rest besides themselves and their pods. */
function pictureOf({ drivers }: Observed): string {
  return JSON.stringify(
    [...drivers.values()].map(({ key, kernel, version, currentHash, workload }) => [
      ...[key, kernel, version ?? null, currentHash ?? null],
      equivalentRevisions(workload),
    ]),
  );
}

function nodeOf(observed: Observed, facts: NodeFacts, podsByNode: PodsByNode): ModuleNode {
  const { known } = observed;
  return {
    ...{ facts, outcome: known.resolve(facts), bound: boundTo(observed, facts) },
    pods: driverPodsOf(observed, podsByNode.get(facts.name) ?? NO_PODS),
  };
}

type SurveyGround = { readonly labels: LabelKeys; readonly nowMs: number };

/** How a node rests; undefined if it does not. */
function restOf({ facts, outcome, bound, pods }: ModuleNode, { labels, nowMs }: SurveyGround): Rest | undefined {
  const { gets, isInScope } = outcome;
  if (!isInScope && bound === undefined && pods.length === 0) {
    return labelIn(facts.labels, labels.ready) === undefined ? "bystander" : "labelled bystander";
  }
  const [only] = pods;
  const isAlone = only !== undefined && pods.length === 1 && only.set.key === bound;
  if (!isAlone || gets.kind !== "fit" || gets.fit.key !== bound) return undefined;
  const isServed = only.isCurrent && servesOn(facts, only, nowMs);
  return isServed && isLabelled(facts, only, labels) ? gets : undefined;
}

type Draft = { inScope: number; wanting: number; fitted: number; outdated: number; labelled: number } & {
  readonly bound: Map<string, number>;
  readonly kernels: Map<string, Count>;
};

function countResting(draft: Draft, rest: Rest, nodes: number): void {
  if (rest === "bystander") return;
  draft.labelled += nodes;
  if (rest === "labelled bystander") return;
  const { key, kernel } = rest.fit;
  draft.inScope += nodes;
  draft.wanting += nodes;
  draft.fitted += nodes;
  draft.bound.set(key, (draft.bound.get(key) ?? 0) + nodes);
  const entry = countOf(draft, kernel);
  entry.nodes += nodes;
  entry.ready += nodes;
  entry.keys.add(key);
}

function countRestless(draft: Draft, node: ModuleNode, { labels, nowMs }: SurveyGround): void {
  const { facts, outcome, bound, pods } = node;
  if (labelIn(facts.labels, labels.ready) !== undefined) draft.labelled += 1;
  if (bound !== undefined) draft.bound.set(bound, (draft.bound.get(bound) ?? 0) + 1);
  if (!outcome.isInScope) return;
  const serving = pods.find((pod) => pod.set.key === bound && servesOn(facts, pod, nowMs));
  const isFitted = serving !== undefined && isMeant(outcome, bound);
  draft.inScope += 1;
  draft.wanting += isWanting(outcome, bound) ? 1 : 0;
  draft.fitted += isFitted ? 1 : 0;
  draft.outdated += serving?.isCurrent === false ? 1 : 0;
  const entry = countOf(draft, facts.kernel.raw);
  entry.nodes += 1;
  entry.ready += isFitted ? 1 : 0;
  if (outcome.gets.kind === "fit") entry.keys.add(outcome.gets.fit.key);
  else if (!isFitted) entry.unfit ??= outcome;
}

function countOf({ kernels }: Draft, kernel: string): Count {
  const known = kernels.get(kernel);
  if (known !== undefined) return known;
  const entry: Count = { kernel, nodes: 0, ready: 0, keys: new Set(), unfit: undefined };
  kernels.set(kernel, entry);
  return entry;
}

/** Whether the node should have a driver, now or still. */
function isWanting({ gets, reason }: Outcome, bound: string | undefined): boolean {
  if (gets.kind === "nothing") return false;
  if (gets.kind === "same") return bound !== undefined;
  // A node that is not Ready should have a driver all the same: a fleet that is dead must not look complete.
  return gets.canStart || bound === gets.fit.key || reason === "NodeNotReady";
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

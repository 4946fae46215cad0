// How far each kernel of a Module is: one entry of its status per kernel, and the groups of nodes that have the same trouble.

import type { Hold } from "../../core/decision/plan.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { cut } from "../../core/values/shown.ts";
import { EXAMPLE_NODES_MAX, PROBLEM_GROUPS_MAX } from "../schema/status-schema.ts";
import type { BuildPlan, ImageProgress } from "./build/image-need.ts";
import type { FitNodes, Observed } from "./observe.ts";
import type { KernelCount, Survey } from "./survey.ts";

const KERNEL_LENGTH_MAX = 256;
const MESSAGE_LENGTH_MAX = 4000;
/** Stands in the status for a release that a node does not report. */
const UNREPORTED = "unknown";

export type KernelState = "Unmapped" | "Waiting" | "Building" | "Signing" | "Failed" | "Deploying" | "Ready";

export type KernelEntry = JsonObject & { readonly kernel: string; readonly state: KernelState };

/** Reasons that pass by themselves while things go well. */
const PASSING: ReadonlySet<Reason> = new Set(["Settling", "HandOver", "BudgetSpent", "Progressing", "PausedByUser"]);
/** Reasons why a node is not asked for at all: no trouble. */
const UNASKED: ReadonlySet<Reason> = new Set(["VersionNotAsked", "NotSelected", "NodeLeaving"]);

/** One entry per kernel, in the order of releases as texts; releases that cannot be told apart in print share one. */
export function kernelEntries(
  observed: Observed,
  survey: Survey,
  { images }: Pick<BuildPlan, "images">,
): readonly KernelEntry[] {
  const entries = [...survey.kernels.values()].map((count) => entryOf(observed, count, images));
  const sorted = entries.sort((a, b) => (a.kernel < b.kernel ? -1 : 1));
  return [...new Map(sorted.map((entry) => [entry.kernel, entry])).values()];
}

function entryOf({ fits }: Observed, count: KernelCount, images: BuildPlan["images"]): KernelEntry {
  const { kernel, nodes, ready } = count;
  const wanted = [...count.keys].sort().flatMap((key) => fits.get(key) ?? []);
  const name = kernel === "" ? UNREPORTED : cut(kernel, KERNEL_LENGTH_MAX - 1);
  const base = { kernel: name, nodes, ready };
  const first = worstOf(wanted, images);
  if (first === undefined) {
    const { reason = "KernelUnmapped", because = "" } = count.unfit ?? {};
    const state = reason === "KernelUnmapped" ? "Unmapped" : "Waiting";
    return { ...base, state, reason, message: cut(because, MESSAGE_LENGTH_MAX) };
  }
  const image = { image: first.fit.image };
  const progress = images.get(first.fit.image);
  if (progress?.is === "ready") {
    const digest = progress.digest === undefined ? {} : { digest: progress.digest };
    const isReady = ready === nodes;
    const reason: Reason = isReady ? "AllNodesFitted" : "Progressing";
    const moved = progress.movedTo === undefined ? {} : { message: movedText(first.fit.image, progress.movedTo) };
    return { ...base, ...image, ...digest, state: isReady ? "Ready" : "Deploying", reason, ...moved };
  }
  const { reason, because } = progress ?? {
    reason: "WaitingForImage" as const,
    because: "its image was not asked for",
  };
  return { ...base, ...image, state: stateOf(progress), reason, message: cut(because, MESSAGE_LENGTH_MAX) };
}

function movedText(image: string, digest: string): string {
  return `${image} stands for ${digest} by now, and pods keep what they have; change imageRebuildTriggerGeneration to have it replaced`;
}

/** Where a kernel has several images, the one that is not ready speaks for it. */
function worstOf(wanted: readonly FitNodes[], images: BuildPlan["images"]): FitNodes | undefined {
  return wanted.find(({ fit }) => images.get(fit.image)?.is !== "ready") ?? wanted[0];
}

function stateOf(progress: ImageProgress | undefined): KernelState {
  switch (progress?.is) {
    case "building":
      return "Building";
    case "signing":
      return "Signing";
    case "failed":
    case "missing":
      return "Failed";
    case "waiting":
    case "unreachable":
    case "ready":
    case undefined:
      return "Waiting";
  }
}

/** Nodes in scope that cannot get the driver as things are, with the reason of each. */
export function unfitNodes({ restless }: Survey): readonly Hold[] {
  return restless.flatMap(({ facts, outcome, bound }) => {
    const { gets, reason, because, isInScope } = outcome;
    const keepsOn = gets.kind === "same" && bound !== undefined;
    const isLost = reason === "NodeNotReady";
    const isFit = gets.kind === "fit" && !isLost && (gets.canStart || gets.fit.key === bound);
    if (!isInScope || isFit || keepsOn || UNASKED.has(reason) || reason === "Fitted") return [];
    return [{ node: facts.name, reason, because }];
  });
}

/** Groups of nodes by trouble, largest first, with a few examples each. */
export function problemGroups(unfit: readonly Hold[], held: readonly Hold[]): readonly JsonObject[] {
  const named = new Set(unfit.map(({ node }) => node));
  const lasting = held.filter(({ reason, node }) => !PASSING.has(reason) && !named.has(node));
  const groups = [...Map.groupBy([...unfit, ...lasting], ({ reason }) => reason)];
  const sorted = groups.sort(([a, as], [b, bs]) => bs.length - as.length || (a < b ? -1 : 1));
  return sorted.slice(0, PROBLEM_GROUPS_MAX).map(([reason, nodes]) => ({
    ...{ reason, message: cut(nodes[0]?.because ?? "", MESSAGE_LENGTH_MAX), nodes: nodes.length },
    examples: nodes.slice(0, EXAMPLE_NODES_MAX).map(({ node }) => node),
  }));
}

// The DaemonSets of a Module's driver: which are made, changed or adopted now, and which of them nodes may be bound to. One whose image
// is not there yet is not made; one that exists keeps its old template until the new image is there.
//
// This folder delivers drivers and device plugins to nodes. Beside this file:
//   render-driver.ts, modprobe-commands.ts: the driver's pod
//   bring-plugins.ts, render-plugin.ts, node-requirements.ts: the device plugin's DaemonSet and pod
//   berths.ts, node-steps.ts: the state of each node, and the labels that bind it
//   standing-images.ts: the digests that DaemonSets already run
//   predecessors.ts, prune-drivers.ts: DaemonSets of an earlier Module, and of kernels that left

import { textsIn } from "../../../core/decision/object-identity.ts";
import { type Step, stepId } from "../../../core/decision/step.ts";
import { isJsonObject } from "../../../core/json/json.ts";
import { CHANGING, type FamilyWorkload } from "../../../core/rollout/berth.ts";
import {
  type Bringing,
  type BringingReason,
  bringWorkload,
  isNarrowed,
  type WantedWorkload,
} from "../../../core/rollout/bring-workload.ts";
import type { Workload } from "../../../core/rollout/workload.ts";
import { unknownRevision } from "../../../core/rollout/workload-revision.ts";
import type { Driver } from "../api/spec.ts";
import type { BuildPlan, ImageProgress } from "../build/image-need.ts";
import { boundTo, type DriverSet, type FitNodes, type Observed } from "../observe.ts";
import { renderDriver, type Standing } from "../render.ts";
import type { Fit } from "../resolve.ts";
import { placedImage, withOrigin } from "./standing-images.ts";

export type BroughtDrivers = {
  readonly steps: readonly Step[];
  /** In the terms of fitting, by key. */
  readonly family: ReadonlyMap<string, FamilyWorkload>;
  /** The step that a node must wait for before it is bound, by key. */
  readonly makers: ReadonlyMap<string, string>;
  /** What was done, by name of the DaemonSet. */
  readonly done: ReadonlyMap<string, BringingReason>;
  /** The first name that somebody else has taken. */
  readonly conflict: string | undefined;
};

/** Decides about all DaemonSets of the driver. */
export function bringDrivers(observed: Observed, { images }: Pick<BuildPlan, "images">): BroughtDrivers {
  const { driver } = observed.known.module;
  const steps: Step[] = [];
  const family = new Map<string, FamilyWorkload>();
  const makers = new Map<string, string>();
  const done = new Map<string, BringingReason>();
  let conflict: string | undefined;
  for (const { key, workload } of observed.drivers.values()) {
    family.set(key, { exists: !workload.isLeaving, isOpen: false, wait: undefined });
  }
  if (driver === undefined) return { steps, family, makers, done, conflict };
  for (const entry of observed.fits.values()) {
    const one = bringOne(observed, driver, entry, images.get(entry.fit.image));
    family.set(entry.fit.key, one.workload);
    if (one.bringing?.is === "taken") conflict ??= one.bringing.because;
    if (one.bringing?.is !== "step") continue;
    const { step, reason } = one.bringing;
    steps.push(step);
    done.set(one.name, reason);
    if (reason === "WorkloadCreated") makers.set(entry.fit.key, stepId(step));
  }
  return { steps, family, makers, done, conflict };
}

type One = { readonly name: string; readonly workload: FamilyWorkload; readonly bringing: Bringing | undefined };

function bringOne(observed: Observed, driver: Driver, { fit }: FitNodes, image: ImageProgress | undefined): One {
  const set = observed.drivers.get(fit.key);
  const wanted = wantedDriver(observed, driver, { fit, image, seen: set?.workload });
  const name = wanted.body.metadata.name;
  const exists = set !== undefined && !set.workload.isLeaving;
  const isOpen = exists && !isNarrowed(wanted, set.workload);
  if (image?.is !== "ready") {
    const wait = exists ? undefined : waitFor(image);
    return { name, workload: { exists, isOpen, wait }, bringing: undefined };
  }
  // Nodes with its pods are bound to it first: to narrow it before would take the pods away.
  if (isOpen && hasStrays(observed, set)) {
    return { name, workload: { exists, isOpen, wait: undefined }, bringing: undefined };
  }
  const bringing = bringWorkload(wanted, set?.workload, set?.currentHash);
  const isBrought = bringing.is === "step";
  const family = {
    exists: exists || isBrought,
    isOpen,
    wait: waitOf(bringing, exists),
    isChanging: exists && isBrought,
  };
  return { name, workload: { ...family, behind: behindOf(bringing, set) }, bringing };
}

/** Why nodes of a DaemonSet that is there do not run the newest driver yet, or why nobody can tell. */
function behindOf(bringing: Bringing, set: DriverSet | undefined): FamilyWorkload["behind"] {
  if (set === undefined) return undefined;
  if (bringing.is === "step") return bringing.outdatesPods ? CHANGING : undefined;
  return unknownRevision(set.workload, set.currentHash, set.pods.length);
}

type Wish = {
  readonly fit: Fit;
  readonly image: ImageProgress | undefined;
  readonly seen: Workload | undefined;
};

function wantedDriver(observed: Observed, driver: Driver, { fit, image, seen }: Wish): WantedWorkload {
  const { known, stored } = observed;
  const standing = standingOf(seen);
  const placed = { ...fit, image: placedImage(fit.image, image) };
  const origin = image?.is === "ready" ? `${image.recipe} ${image.madeBy}` : "";
  const id = `driver ${fit.key} ${standing?.name ?? ""} ${placed.image} ${origin}`;
  return known.wanted(id, () => withOrigin(renderDriver(known.module, driver, stored, placed, standing), image));
}

/** What exists keeps its name and the selector of its pods, also where an earlier design chose them. */
function standingOf(seen: Workload | undefined): Standing | undefined {
  if (seen === undefined) return undefined;
  const { selector } = seen.spec;
  return { name: seen.name, selector: textsIn(isJsonObject(selector) ? selector.matchLabels : undefined) };
}

function hasStrays(observed: Observed, { key, pods }: DriverSet): boolean {
  const nodes = new Map(observed.snapshot.nodes.map((node) => [node.name, node]));
  return pods.some((pod) => {
    const node = nodes.get(pod.node);
    return !pod.isLeaving && node !== undefined && !node.isLeaving && boundTo(observed, node) !== key;
  });
}

function waitFor(image: ImageProgress | undefined): FamilyWorkload["wait"] {
  if (image === undefined || image.is === "ready")
    return { reason: "WaitingForImage", because: "nobody has looked for its image yet" };
  return { reason: image.reason, because: image.because };
}

function waitOf(bringing: Bringing, exists: boolean): FamilyWorkload["wait"] {
  if (bringing.is === "taken") return { reason: "NameConflict", because: bringing.because };
  if (bringing.is === "waiting" && !exists) return { reason: "WaitingForWorkload", because: bringing.because };
  return undefined;
}

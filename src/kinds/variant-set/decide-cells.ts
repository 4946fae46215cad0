// What becomes of the DaemonSets of a set: which are made, changed or adopted now, which have to wait and why, and which images the
// registry should be asked for.

import type { Reason } from "../../core/decision/reasons.ts";
import type { ImageState, Snapshot } from "../../core/decision/snapshot.ts";
import type { Step } from "../../core/decision/step.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import { CHANGING, type FamilyWorkload } from "../../core/rollout/berth.ts";
import { type BringingReason, bringWorkload, type WantedWorkload } from "../../core/rollout/bring-workload.ts";
import { unknownRevision } from "../../core/rollout/workload-revision.ts";
import { quoted } from "../../core/values/shown.ts";
import type { ImageQuestion } from "../kind.ts";
import { listOf, objectAt } from "../schema/json-parts.ts";
import type { Observed, SeenCell } from "./observe.ts";

export type CellDecision = {
  readonly seen: SeenCell;
  /** What is done to the DaemonSet now. */
  readonly bringing: { readonly step: Step; readonly reason: BringingReason } | undefined;
  /** As fitting sees it. */
  readonly workload: FamilyWorkload;
  /** What the registry says of its images, if it was asked. */
  readonly imageState: ImageState["is"] | undefined;
};

type Wait = { readonly reason: Reason; readonly because: string };

/** Decides for every cell, by key. */
export function decideCells(observed: Observed): ReadonlyMap<string, CellDecision> {
  const { cells, known } = observed;
  let room = known.set.daemonSetsMax - [...cells.values()].filter(({ workload }) => workload !== undefined).length;
  const decisions = new Map<string, CellDecision>();
  for (const [key, seen] of cells) {
    const decision = decideCell(seen, observed, room > 0);
    if (decision.bringing !== undefined && seen.workload === undefined) room -= 1;
    decisions.set(key, decision);
  }
  return decisions;
}

/** The questions to the registry: none unless the set asks for its images to be there. */
export function imageQuestions({ cells, known, snapshot }: Observed): readonly ImageQuestion[] {
  if (!known.set.isImageRequired) return [];
  const questions = new Map<string, ImageQuestion>();
  for (const { wanted } of cells.values()) {
    if (wanted === undefined) continue;
    const pullSecrets = pullSecretsOf(wanted);
    for (const image of imagesOf(wanted)) questions.set(image, { image, pullSecrets, was: snapshot.image(image) });
  }
  return [...questions.values()];
}

function decideCell(seen: SeenCell, observed: Observed, hasRoom: boolean): CellDecision {
  const { wanted, workload, clash, wait, currentHash, isNarrow } = seen;
  const exists = workload !== undefined;
  const isOpen = exists && !isNarrow;
  const settled = (reason: Wait | undefined): CellDecision => ({
    ...{ seen, bringing: undefined, workload: { exists, isOpen, wait: reason }, imageState: undefined },
  });
  if (wanted === undefined) return settled(undefined);
  if (clash !== undefined) return settled({ reason: "NameConflict", because: clash });
  if (wait !== undefined && !exists) return settled({ reason: "WaitingForWorkload", because: wait });
  const images = imageWait(wanted, observed);
  if (images.wait !== undefined) {
    const isThere = !exists || bringWorkload(wanted, workload, currentHash).is === "there";
    const family = { exists, isOpen, wait: images.wait, behind: isThere ? undefined : images.wait };
    return { seen, bringing: undefined, workload: family, imageState: images.state };
  }
  if (!exists && !hasRoom) return settled({ reason: "VariantLimitReached", because: limitText(observed) });
  const bringing = bringWorkload(wanted, workload, currentHash);
  switch (bringing.is) {
    case "there": {
      const behind = workload && unknownRevision(workload, currentHash, observed.snapshot.podsOf(workload.uid).length);
      const family = { exists, isOpen, wait: undefined, behind };
      return { seen, bringing: undefined, workload: family, imageState: images.state };
    }
    case "waiting":
      return settled({ reason: "WaitingForWorkload", because: bringing.because });
    case "taken":
      return settled({ reason: "NameConflict", because: bringing.because });
    case "step": {
      const { step, reason, outdatesPods } = bringing;
      const refusal = observed.snapshot.refusal?.(observed.stored.uid, "DaemonSet", wanted.body.metadata.name);
      const behind = exists && outdatesPods ? (refusal ?? CHANGING) : undefined;
      // What was refused is tried again, and nobody waits for it in vain without being told; what is there still takes nodes.
      const family = exists
        ? { exists, isOpen, wait: undefined, behind, isChanging: true }
        : { exists: refusal === undefined, isOpen, wait: refusal };
      return { seen, bringing: { step, reason }, workload: family, imageState: images.state };
    }
  }
}

function limitText({ known }: Observed): string {
  const { daemonSetsMax } = known.set;
  return `the set has as many DaemonSets as spec.maxVariants: ${daemonSetsMax} lets it have; raise it, or take variants away`;
}

/** Whether the images of a cell let it be used, and the worst that is known of them. */
function imageWait(
  wanted: WantedWorkload,
  { known, snapshot }: Observed,
): { readonly wait: Wait | undefined; readonly state: ImageState["is"] | undefined } {
  if (!known.set.isImageRequired) return { wait: undefined, state: undefined };
  for (const image of imagesOf(wanted)) {
    const wait = waitFor(image, snapshot);
    if (wait !== undefined) return { wait, state: snapshot.image(image).is };
  }
  return { wait: undefined, state: "present" };
}

function waitFor(image: string, snapshot: Snapshot): Wait | undefined {
  const state = snapshot.image(image);
  switch (state.is) {
    case "present":
      return undefined;
    case "unasked":
      return { reason: "WaitingForImage", because: `the registry is being asked for ${quoted(image)}` };
    case "missing":
      return { reason: "ImageMissing", because: `the registry has no ${quoted(image)}; push it, or correct its name` };
    case "unreachable":
      return { reason: "ImageUnreachable", because: `${quoted(image)}: ${state.because}` };
  }
}

/** The images of a DaemonSet's containers, each once. */
export function imagesOf({ body }: WantedWorkload): readonly string[] {
  const spec = podSpecOf(body.spec);
  const images = [...listOf(spec.initContainers), ...listOf(spec.containers)].flatMap((container) =>
    isJsonObject(container) && typeof container.image === "string" ? [container.image] : [],
  );
  return [...new Set(images)];
}

function pullSecretsOf({ body }: WantedWorkload): readonly string[] {
  return listOf(podSpecOf(body.spec).imagePullSecrets).flatMap((secret) =>
    isJsonObject(secret) && typeof secret.name === "string" ? [secret.name] : [],
  );
}

function podSpecOf(spec: Json | undefined) {
  return objectAt(objectAt(isJsonObject(spec) ? spec : {}, "template"), "spec");
}

// What the DaemonSets of a Module have been given: the digest that their pods are pinned to, and what made it. It is the memory of
// builds: Jobs go a while after they have succeeded, and a DaemonSet stays for as long as its image matters.

import type { Snapshot, StoredObject } from "../../../core/decision/snapshot.ts";
import type { ObjectBody } from "../../../core/decision/step.ts";
import { isJsonObject } from "../../../core/json/json.ts";
import type { Workload } from "../../../core/rollout/workload.ts";
import { imageReferenceText, parseImageReference } from "../../../core/values/image-reference.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";
import { RECIPE } from "../build/build-recipe.ts";
import type { ImageProgress } from "../build/image-need.ts";

/** An annotation of driver DaemonSets: the UID of the Job. */
export const MADE_BY = "module.farrier.dev/made-by";

export type StandingImage = {
  /** Pods name the image by it; undefined where they name it by its tag alone. */
  readonly digest: string | undefined;
  /** Undefined of what was not made here. */
  readonly recipe: string | undefined;
  /** The UID of the Job: one that repeats an order has the name of its predecessor. */
  readonly madeBy: string | undefined;
};

/** By image, as mappings name it. */
export function standingImages({ uid }: StoredObject, snapshot: Snapshot): ReadonlyMap<string, StandingImage> {
  const found = new Map<string, StandingImage>();
  for (const workload of snapshot.workloadsOf(uid)) {
    const { annotations, isLeaving } = workload;
    const parsed = parseImageReference(imageIn(workload));
    if (!parsed.ok || isLeaving) continue;
    const image = imageReferenceText({ ...parsed.value, digest: undefined });
    const standing = {
      ...{ digest: parsed.value.digest, recipe: annotations[RECIPE], madeBy: annotations[MADE_BY] },
    };
    // Of several kernels with one image, some may not have been brought up to date yet.
    if (found.get(image)?.recipe === undefined) found.set(image, standing);
  }
  return found;
}

/** The image as pods should name it: by its digest where it is pinned, and by what its author wrote where not. */
export function placedImage(image: string, progress: ImageProgress | undefined): string {
  if (progress?.is !== "ready" || progress.isPinned !== true || progress.digest === undefined) return image;
  const parsed = parseImageReference(image);
  return parsed.ok ? imageReferenceText({ ...parsed.value, digest: progress.digest }) : image;
}

/** The DaemonSet with a note of what made its image. */
export function withOrigin(body: ObjectBody, progress: ImageProgress | undefined): ObjectBody {
  if (progress?.is !== "ready" || progress.recipe === undefined) return body;
  const { recipe, madeBy } = progress;
  const note = { [RECIPE]: recipe, ...(madeBy === undefined ? {} : { [MADE_BY]: madeBy }) };
  return {
    ...body,
    metadata: { ...body.metadata, annotations: { ...objectAt(body.metadata, "annotations"), ...note } },
  };
}

/** Driver pods have one container. */
function imageIn({ spec }: Workload): string {
  const [first] = listOf(objectAt(objectAt(spec, "template"), "spec").containers);
  return isJsonObject(first) && typeof first.image === "string" ? first.image : "";
}

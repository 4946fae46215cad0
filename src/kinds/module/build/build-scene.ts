// What the pursuit of an image reads and what it comes to, and what holds for every image: it is looked up, and its registry is asked.
import type { Reason } from "../../../core/decision/reasons.ts";
import type { ImageState, Snapshot, StoredObject } from "../../../core/decision/snapshot.ts";
import type { Step } from "../../../core/decision/step.ts";
import type { ImageQuestion } from "../../kind.ts";
import type { Module } from "../api/spec.ts";
import type { StandingImage } from "../driver/standing-images.ts";
import type { Goal } from "./build-goal.ts";
import { isComparable, isOutdated } from "./build-recipe.ts";
import type { BuildSite } from "./build-site.ts";
import { type BuildTask, isRunning } from "./build-task.ts";
import type { ImageProgress } from "./image-need.ts";

export type Scene = {
  readonly module: Module;
  readonly stored: StoredObject;
  readonly snapshot: Snapshot;
  readonly nowMs: number;
  readonly site: BuildSite;
  /** Of all Modules. */
  readonly tasks: readonly BuildTask[];
  /** UIDs of the Jobs that may start now. */
  readonly startable: ReadonlySet<string>;
  /** Everything that can be made has to be made anew. */
  readonly isRebuilding: boolean;
  /** Since when the trigger is being served; undefined when it is seen for the first time. */
  readonly rebuildingSinceMs: number | undefined;
  /** What DaemonSets of the Module have been given, by image. */
  readonly standing: ReadonlyMap<string, StandingImage>;
  /** The images that nodes need, apart from what those are made from. */
  readonly wanted: ReadonlySet<string>;
  /** The digest that pods are pinned to, or that the status has for an image: what was known before this process. */
  readonly remembered: ReadonlyMap<string, string>;
};

export type Pursuit = {
  readonly progress: ImageProgress;
  readonly steps: readonly Step[];
  readonly asks: readonly ImageQuestion[];
  /** Names of the Jobs that it still needs. */
  readonly kept: readonly string[];
  readonly tidings: readonly Tiding[];
  readonly lookAgainAtMs?: number;
  /** What the rebuild trigger asks for has not been done yet. */
  readonly isOwed?: boolean;
};

/** An end that people have not been told of. */
export type Tiding = { readonly task: BuildTask; readonly reason: Reason; readonly message: string };

/** An image that somebody else makes; one that was there before counts as there while nobody can be asked. */
export function lookedUp(goal: Goal, scene: Scene): Pursuit {
  return pursuit(goal, scene, fromRegistry(known(goal, scene), goal, scene));
}

/** What the answer of the registry means where nobody makes the image. */
export function fromRegistry(state: ImageState, goal: Goal, scene: Scene): ImageProgress {
  const { image } = goal;
  if (isUnasked(goal, scene)) return asItStands(goal, undefined, scene);
  switch (state.is) {
    case "present":
      return asItStands(goal, state.digest, scene);
    case "missing":
      return { is: "missing", reason: "ImageMissing", because: `the registry does not have ${image}` };
    case "unreachable":
      return { is: "unreachable", reason: "ImageUnreachable", because: state.because };
    case "unasked":
      return { is: "waiting", reason: "WaitingForImage", because: `the registry has not been asked for ${image} yet` };
  }
}

/** Whether nobody will ever be asked for the image: the site does not want it, or its credentials are kept from us. */
export function isUnasked({ image }: Goal, { site, snapshot }: Scene): boolean {
  const state = snapshot.image(image);
  return site.registry === "unasked" || (state.is === "unreachable" && state.isWithheld === true);
}

/**
 * An image that is there, as pods should have it: what they are pinned to stays, whatever its tag stands for by now. Somebody who
 * moves a tag restarts no fleet.
 */
export function asItStands(
  { image, recipes }: Goal,
  digest: string | undefined,
  { standing }: Pick<Scene, "standing">,
): ImageProgress {
  const { digest: pinned, recipe, madeBy } = standing.get(image) ?? {};
  const [present] = recipes;
  // What was worked out in another way is taken for what it would be worked out to be now.
  const isKept = recipe === undefined || present === undefined || isComparable(recipe, present);
  const isMoved = pinned !== undefined && digest !== undefined && digest !== "" && digest !== pinned;
  return {
    ...ready(pinned ?? digest),
    ...(pinned === undefined ? {} : { isPinned: true }),
    ...(recipe === undefined ? {} : { recipe: isKept ? recipe : present }),
    ...(madeBy === undefined ? {} : { madeBy }),
    ...(isMoved ? { movedTo: digest } : {}),
  };
}

/** Whether what pods run was made from something else than what would be used now. */
export function isOutdatedIn({ image, recipes }: Goal, { standing }: Pick<Scene, "standing">): boolean {
  return isOutdated(standing.get(image)?.recipe, recipes);
}

/** Whether the registry has the very image that was made from what would be used now, and nobody is about to push another. */
export function isProvenIn({ image, recipes }: Goal, { standing, snapshot, tasks, stored }: Scene): boolean {
  const { digest, recipe } = standing.get(image) ?? {};
  const state = snapshot.image(image);
  const isSame = recipes.some((one) => one === recipe) && state.is === "present" && state.digest === digest;
  return isSame && !tasks.some((task) => task.owner === stored.uid && task.image === image && isRunning(task));
}

/** What is known of an image; where nobody can be asked now, what was known before. */
function known({ image }: Goal, { snapshot, remembered }: Scene): ImageState {
  const state = snapshot.image(image);
  const digest = remembered.get(image);
  const isAnswer = state.is === "present" || state.is === "missing";
  return isAnswer || digest === undefined ? state : { is: "present", digest, askedMs: 0 };
}

/** The Jobs of this Module for an image. */
export function tasksFor({ image }: Goal, { tasks, stored }: Scene): readonly BuildTask[] {
  return tasks.filter((task) => task.owner === stored.uid && task.image === image && !task.isLeaving);
}

/** Whether a Job of this Module, also one that is being deleted, may push what nobody wants any more, or came after such a one. */
export function hasPredecessor({ image }: Goal, { tasks, stored }: Scene): boolean {
  const own = tasks.filter((task) => task.image === image && task.owner === stored.uid);
  return own.some((task) => isRunning(task) || (task.insists && task.state.is !== "succeeded"));
}

/** A Job is at work on the image. */
export function atWork({ name, stage }: BuildTask, others = ""): ImageProgress {
  const does = stage === "sign" ? "signs" : "builds";
  const is = stage === "sign" ? "signing" : "building";
  return { is, reason: "BuildRunning", because: `Job ${name} ${does} it${others}` };
}

/** Nothing can be said of it yet. */
export function waiting(reason: Reason, because: string): ImageProgress {
  return { is: "waiting", reason, because };
}

/** It is there. */
export function ready(digest: string | undefined): Extract<ImageProgress, { is: "ready" }> {
  return digest === undefined || digest === "" ? { is: "ready" } : { is: "ready", digest };
}

type More = Partial<Omit<Pursuit, "progress" | "asks">> & { readonly newerThanMs?: number };

/** A pursuit that asks the registry and does nothing else, unless more is said. */
export function pursuit(goal: Goal, scene: Scene, progress: ImageProgress, more: More = {}): Pursuit {
  const { newerThanMs, ...rest } = more;
  const asks = scene.site.registry === "asked" ? [questionFor(goal, scene, newerThanMs)] : [];
  return { steps: [], kept: [], tidings: [], ...rest, progress, asks };
}

function questionFor(
  { image, tls, make }: Goal,
  { module, snapshot }: Scene,
  newerThanMs: number | undefined,
): ImageQuestion {
  const isSafe = !tls.isPlainHttp && !tls.isAnyCertificateFine;
  return {
    ...{ image, was: snapshot.image(image) },
    pullSecrets: module.imageSecret === undefined ? [] : [module.imageSecret],
    ...(isSafe ? {} : { tls: { isPlain: tls.isPlainHttp, skipsVerification: tls.isAnyCertificateFine } }),
    ...(newerThanMs === undefined ? {} : { newerThanMs }),
    ...(make.is === "build" || make.is === "sign" ? { isMadeHere: true } : {}),
  };
}

/** The scene without what was known before: once a Job has been made for an image, only its registry tells. */
export function withoutMemory(scene: Scene): Scene {
  return { ...scene, remembered: new Map() };
}

// How far an image is, and the next thing to do for it. One that is signed is pursued after the one that it is made from.
import { parseImageReference } from "../../../core/values/image-reference.ts";
import { carriedOut, confirmed, SOON_MS } from "./build-carry-out.ts";
import type { Goal, Make } from "./build-goal.ts";
import {
  atWork,
  hasPredecessor,
  isOutdatedIn,
  isProvenIn,
  isUnasked,
  lookedUp,
  type Pursuit,
  pursuit,
  type Scene,
  tasksFor,
  withoutMemory,
} from "./build-scene.ts";
import { isRunning } from "./build-task.ts";
import { signOrder } from "./sign-order.ts";

/** Pursues an image as far as one decision goes. */
export function pursue(goal: Goal, scene: Scene): Pursuit {
  const { make } = goal;
  switch (make.is) {
    case "not":
      return scene.isRebuilding ? reverified(goal, scene) : lookedUp(goal, scene);
    case "unknown":
      return undetermined(goal, make, scene);
    case "impossible": {
      const found = lookedUp(goal, scene);
      if (found.progress.is !== "missing") return found;
      return { ...found, progress: { is: "failed", reason: "ImageInvalid", because: make.because } };
    }
    case "build":
      return carriedOut(goal, make.orders, scene);
    case "sign":
      return signed(goal, make, scene);
  }
}

/** An image that somebody else makes, and that has to be looked up anew: pods get what its tag stands for from now on. */
function reverified(goal: Goal, scene: Scene): Pursuit {
  const { snapshot, nowMs, rebuildingSinceMs: sinceMs = nowMs } = scene;
  const state = snapshot.image(goal.image);
  const found = lookedUp(goal, scene);
  const isFresh = state.is !== "unasked" && state.askedMs >= sinceMs && sinceMs < nowMs;
  if (isUnasked(goal, scene) || (isFresh && state.is === "missing")) return found;
  if (!isFresh || state.is !== "present") {
    const lookAgainAtMs = Math.max(sinceMs, nowMs + SOON_MS);
    return { ...pursuit(goal, scene, found.progress, { newerThanMs: sinceMs, lookAgainAtMs }), isOwed: true };
  }
  const parsed = parseImageReference(goal.image);
  const isTag = parsed.ok && parsed.value.digest === undefined && state.digest !== "";
  return isTag ? pursuit(goal, scene, { is: "ready", digest: state.digest, isPinned: true }) : found;
}

/** An image that should be made, and nobody knows what from: what is there will do, what was begun goes on, nothing is begun. */
function undetermined(goal: Goal, { reason, because }: Extract<Make, { is: "unknown" }>, scene: Scene): Pursuit {
  const kept = scene.tasks.filter(({ owner }) => owner === scene.stored.uid).map(({ name }) => name);
  const tasks = tasksFor(goal, scene);
  const running = tasks.find(isRunning);
  const done = tasks.find(({ state }) => state.is === "succeeded");
  const ended = done === undefined ? undefined : confirmed(goal, done, scene);
  if (running !== undefined) return pursuit(goal, scene, atWork(running), { kept });
  if (ended !== undefined) return { ...ended, kept };
  const found = lookedUp(goal, scene);
  const isThere = found.progress.is === "ready" && (!isUnasked(goal, scene) || scene.standing.has(goal.image));
  return { ...found, kept, progress: isThere ? found.progress : { is: "waiting", reason, because } };
}

/** An image to be signed: it is there, or its unsigned form is pursued first. */
function signed(goal: Goal, make: Extract<Make, { is: "sign" }>, scene: Scene): Pursuit {
  const found = settled(goal, make, scene);
  if (found !== undefined) return found;
  const { module, site } = scene;
  const source = pursue(make.source, scene);
  const unsettled = lookedUp(goal, scene);
  if (source.progress.is === "ready") {
    const order = signOrder({ ...{ module, goal, make, site }, digest: source.progress.digest });
    if (!("because" in order)) return joined(carriedOut(goal, [order], scene), source);
    return { ...unsettled, progress: { is: "failed", reason: "InvalidSpec", because: order.because } };
  }
  // As long as nobody knows whether the unsigned image is there, what was begun with it goes on.
  const isUnknown = source.progress.reason === "WaitingForImage" || source.progress.is === "unreachable";
  const begun = isUnknown ? tasksFor(goal, scene) : [];
  const running = begun.find(isRunning);
  const progress = running === undefined ? source.progress : atWork(running);
  return joined({ ...unsettled, progress, kept: begun.map(({ name }) => name) }, source);
}

/** The pursuit of an image that is there, signed by whom ever, and need not be signed anew; undefined of any other. */
function settled(goal: Goal, { recipe }: Extract<Make, { is: "sign" }>, scene: Scene): Pursuit | undefined {
  if (scene.isRebuilding || isUnasked(goal, scene)) return undefined;
  const tasks = tasksFor(goal, scene);
  const done = tasks.find((task) => task.state.is === "succeeded" && (task.recipe === recipe || task.recipe === ""));
  if (done !== undefined) return confirmed(goal, done, scene);
  if (isOutdatedIn(goal, scene)) return undefined;
  if (hasPredecessor(goal, scene) && !isProvenIn(goal, scene)) return undefined;
  const found = lookedUp(goal, tasks.length === 0 ? scene : withoutMemory(scene));
  return found.progress.is === "ready" ? found : undefined;
}

/** The pursuit of an image together with that of the one it is made from. */
function joined(own: Pursuit, source: Pursuit): Pursuit {
  const looks = [own.lookAgainAtMs, source.lookAgainAtMs].filter((atMs) => atMs !== undefined);
  return {
    progress: own.progress,
    steps: [...own.steps, ...source.steps],
    asks: [...own.asks, ...source.asks],
    kept: [...own.kept, ...source.kept],
    tidings: [...own.tidings, ...source.tidings],
    ...(looks.length === 0 ? {} : { lookAgainAtMs: Math.min(...looks) }),
  };
}

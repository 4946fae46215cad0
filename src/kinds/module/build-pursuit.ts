// How far an image is, and the next thing to do for it. One that is signed is pursued after the one that it is made from.
import { carriedOut, confirmed } from "./build-carry-out.ts";
import type { Goal, Make } from "./build-goal.ts";
import {
  atWork,
  hasPredecessor,
  isUnasked,
  lookedUp,
  type Pursuit,
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
      return lookedUp(goal, scene);
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

/** An image to be signed: it is there, or its unsigned form is pursued first. */
function signed(goal: Goal, make: Extract<Make, { is: "sign" }>, scene: Scene): Pursuit {
  const found = settled(goal, scene);
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
function settled(goal: Goal, scene: Scene): Pursuit | undefined {
  if (scene.isRebuilding || isUnasked(goal, scene)) return undefined;
  const tasks = tasksFor(goal, scene);
  const done = tasks.find(({ state }) => state.is === "succeeded");
  if (done !== undefined) return confirmed(goal, done, scene);
  if (hasPredecessor(goal, scene)) return undefined;
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

// An image that is made here: its Job is put into the queue, started, and believed when the registry has what it pushed.
//
// Guarantees: nothing is made before the registry has said that the image is missing, or its author asked for it anew; an image counts as
// there only when the registry says so after the Job that made it has ended. A Job that failed stays, and with it the failure, until
// its order changes.
import type { Goal } from "./build-goal.ts";
import { createJob, startJob } from "./build-job.ts";
import { type BuildOrder, orderIdentity } from "./build-order.ts";
import {
  asItStands,
  atWork,
  fromRegistry,
  hasPredecessor,
  isOutdatedIn,
  isProvenIn,
  isUnasked,
  lookedUp,
  type Pursuit,
  pursuit,
  ready,
  type Scene,
  type Tiding,
  tasksFor,
  waiting,
  withoutMemory,
} from "./build-scene.ts";
import { digestFrom, tailOf } from "./build-tail.ts";
import { type BuildTask, hasEnded } from "./build-task.ts";
import type { ImageProgress } from "./image-need.ts";

/** An image that was built and is not there is built again, this often in all and after a pause that doubles. */
export const ATTEMPTS_MAX = 5;
const PAUSE_MS = 60_000;
const PAUSE_MAX_MS = 3_600_000;
/** Clocks differ, and some registries show a push only after a moment. */
export const GRACE_MS = 10_000;
/** A Job that succeeded is kept for this long, for people to look at. */
export const KEEP_MS = 600_000;
/** What should have been seen by now is looked for after this. */
export const SOON_MS = 1_000;
/** Between two looks at a queue in which others have their turn. */
export const QUEUE_LOOK_MS = 10_000;

/** An image to be made by any one of these orders. */
export function carriedOut(goal: Goal, orders: readonly [BuildOrder, ...BuildOrder[]], scene: Scene): Pursuit {
  const identities = orders.map((order) => orderIdentity(order, scene.site));
  const tasks = tasksFor(goal, scene).filter(({ order }) => identities.includes(order));
  const task = tasks.toSorted((a, b) => b.attempt - a.attempt)[0];
  const order = orders[task === undefined ? 0 : identities.indexOf(task.order)] ?? orders[0];
  const others = orders.length > 1 ? `, once for ${orders.length} kernels, with ${order.kernel}` : "";
  const work = { goal, order, task, scene, others };
  if (task === undefined) return notBegun(work);
  switch (task.state.is) {
    case "queued":
      return inQueue({ ...work, task });
    case "running":
      return pursuit(goal, scene, atWork(task, others), { kept: [task.name] });
    case "succeeded":
      return afterSuccess({ ...work, task }, task.state.endedMs);
    case "failed":
      return afterFailure({ ...work, task }, task.state);
  }
}

type Work = {
  readonly goal: Goal;
  readonly order: BuildOrder;
  readonly task: BuildTask | undefined;
  readonly scene: Scene;
  /** Says so where one build serves several kernels. */
  readonly others: string;
};
type Begun = Work & { readonly task: BuildTask };

function notBegun(work: Work): Pursuit {
  const { goal, scene } = work;
  const { isRebuilding } = scene;
  const isContested = isOutdatedIn(goal, scene) || (hasPredecessor(goal, scene) && !isProvenIn(goal, scene));
  if ((isRebuilding || isContested) && !goal.isNamedByContent) return begun(work, 0);
  const isKnown = scene.remembered.has(goal.image) || scene.standing.get(goal.image)?.recipe !== undefined;
  if (isUnasked(goal, scene)) return isKnown ? lookedUp(goal, scene) : begun(work, 0);
  const found = lookedUp(goal, scene);
  return found.progress.is === "missing" ? begun(work, 0) : found;
}

/** Puts a Job into the queue. What was begun by another order may still push: until this Job succeeds, nothing else counts. */
function begun({ goal, order, scene, others }: Work, attempt: number): Pursuit {
  const { stored, snapshot, site, isRebuilding } = scene;
  if (stored.isLeaving || snapshot.isTerminating(stored.namespace)) {
    const because = `namespace ${stored.namespace} is being deleted, and nothing is made there any more`;
    return pursuit(goal, scene, { is: "waiting", reason: "NamespaceTerminating", because });
  }
  const rival = rivalOf(goal, scene);
  if (rival !== undefined)
    return pursuit(goal, scene, waiting("BuildQueued", rival), { lookAgainAtMs: queueLook(scene) });
  const insists = isRebuilding || hasPredecessor(goal, scene) || isOutdatedIn(goal, scene);
  const why = `${goal.image} has to be made${others}`;
  const step = createJob(stored, order, site, { attempt, insists: insists && !goal.isNamedByContent, why });
  return pursuit(goal, scene, waiting("BuildQueued", `Job ${step.object.metadata.name} is being made${others}`), {
    steps: [step],
  });
}

function inQueue({ goal, task, scene, others }: Begun): Pursuit {
  const found = lookedUp(goal, withoutMemory(scene));
  const isThere = !isUnasked(goal, scene) && found.progress.is === "ready";
  if (isThere && !isInsistedOn(goal, task, scene)) return found;
  const kept = [task.name];
  if (scene.startable.has(task.uid)) {
    const progress = atWork(task, others);
    const tidings: readonly Tiding[] = [
      { task, reason: "BuildRunning", message: `${goal.image}: Job ${task.name} starts` },
    ];
    return pursuit(goal, scene, progress, { kept, tidings, steps: [startJob(task)] });
  }
  const because = rivalOf(goal, scene) ?? `Job ${task.name} waits for its turn${others}`;
  return pursuit(goal, scene, waiting("BuildQueued", because), { kept, lookAgainAtMs: queueLook(scene) });
}

/** Says so where another Module is making the very image; whichever Job came first makes it for both. */
function rivalOf({ image }: Goal, { tasks, stored }: Scene): string | undefined {
  const isRival = (task: BuildTask) => task.image === image && task.owner !== stored.uid && !hasEnded(task);
  const rival = tasks.find(isRival);
  if (rival === undefined) return undefined;
  return `Job ${rival.namespace}/${rival.name} of another Module makes ${image} too; give one of them another tag`;
}

function queueLook({ nowMs }: Scene): number {
  return nowMs + QUEUE_LOOK_MS;
}

/** Whether only this Job's success counts. */
function isInsistedOn({ isNamedByContent }: Goal, task: BuildTask, { isRebuilding }: Scene): boolean {
  return !isNamedByContent && (isRebuilding || task.insists);
}

function afterFailure(
  work: Begun,
  { reason, message }: { readonly reason: string; readonly message: string },
): Pursuit {
  const { goal, task, scene, others } = work;
  const found = lookedUp(goal, withoutMemory(scene));
  const isThere = !isUnasked(goal, scene) && found.progress.is === "ready";
  if (isThere && !isInsistedOn(goal, task, scene)) return found;
  const tail = tailOf(scene.snapshot, task);
  const end = tail === "" ? "it left no log" : `its log ends:\n${tail}`;
  const because = `Job ${task.name} failed${others} (${reason}: ${message}); ${end}`;
  return given(work, because);
}

function given({ goal, task, scene }: Begun, because: string): Pursuit {
  const tidings: readonly Tiding[] = [{ task, reason: "BuildFailed", message: `${goal.image}: ${because}` }];
  return pursuit(goal, scene, { is: "failed", reason: "BuildFailed", because }, { kept: [task.name], tidings });
}

/** The Job says that it has pushed the image; the registry has the last word. */
function afterSuccess(work: Begun, endedMs: number): Pursuit {
  const { goal, task, scene } = work;
  const { snapshot, nowMs } = scene;
  const kept = [task.name];
  if (isUnasked(goal, scene)) {
    return pursuit(goal, scene, madeBy(task, digestFrom(snapshot, task)), { kept, tidings: [success(goal, task)] });
  }
  const found = confirmed(goal, task, scene);
  if (found !== undefined) return found;
  const state = snapshot.image(goal.image);
  const digest = scene.remembered.get(goal.image);
  const isUnknown = state.is === "unasked" || state.is === "unreachable";
  // People were told when it was there, and nobody has said since that it is not.
  if (isUnknown && task.isTold && digest !== undefined)
    return pursuit(goal, scene, asItStands(goal, digest, scene), { kept });
  const isFresh = state.is !== "unasked" && state.askedMs >= endedMs;
  if (isFresh && state.is === "missing" && state.askedMs >= endedMs + GRACE_MS) return afterLoss(work, endedMs);
  const newerThanMs = isFresh && state.is !== "unreachable" ? endedMs + GRACE_MS : endedMs;
  const asked = state.is === "unreachable" ? fromRegistry(state, goal, scene) : undefined;
  const because = `Job ${task.name} has pushed ${goal.image}, and the registry has to confirm it`;
  return pursuit(goal, scene, asked ?? waiting("WaitingForImage", because), {
    ...{ kept, newerThanMs, lookAgainAtMs: Math.max(newerThanMs, nowMs + SOON_MS) },
  });
}

/** The pursuit of an image that the registry has shown since this Job succeeded; undefined before. */
export function confirmed(goal: Goal, task: BuildTask, scene: Scene): Pursuit | undefined {
  const { snapshot, nowMs, isRebuilding } = scene;
  const state = snapshot.image(goal.image);
  if (task.state.is !== "succeeded" || state.is !== "present") return undefined;
  // In the place of an earlier image: a registry that has not got round to the push yet shows that one.
  const isCertain = !task.insists || digestFrom(snapshot, task) === state.digest;
  if (state.askedMs < task.state.endedMs + (isCertain ? 0 : GRACE_MS)) return undefined;
  // A DaemonSet that has it is pinned to it: what is pushed there later is another image.
  const isPlaced = scene.standing.get(goal.image)?.madeBy === task.uid;
  const progress = isPlaced ? asItStands(goal, state.digest, scene) : madeBy(task, state.digest);
  const isRemembered = isPlaced || task.recipe === "" || !scene.wanted.has(goal.image);
  const untilMs = task.state.endedMs + KEEP_MS;
  if (nowMs >= untilMs && task.isTold && isRemembered && !isRebuilding) return pursuit(goal, scene, progress);
  const tidings = [success(goal, task)];
  const lookAgainAtMs = Math.max(untilMs, nowMs + SOON_MS);
  return pursuit(goal, scene, progress, { kept: [task.name], tidings, lookAgainAtMs });
}

/** An image that a Job has pushed: pods get this one and no other that may be pushed under its name. */
function madeBy({ uid, recipe }: BuildTask, digest: string | undefined): ImageProgress {
  const made = ready(digest);
  if (recipe === "") return made;
  return { ...made, recipe, madeBy: uid, ...("digest" in made ? { isPinned: true } : {}) };
}

function success({ image }: Goal, task: BuildTask): Tiding {
  return { task, reason: "BuildSucceeded", message: `${image} was made by Job ${task.name}` };
}

/** It was pushed elsewhere, or the registry has lost it. */
function afterLoss(work: Begun, endedMs: number): Pursuit {
  const { goal, task, scene } = work;
  const attempts = task.attempt + 1;
  if (attempts >= ATTEMPTS_MAX) {
    return given(
      work,
      `${attempts} Jobs succeeded, the last of them ${task.name}, and the registry has no ${goal.image}`,
    );
  }
  const againMs = endedMs + Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** task.attempt);
  if (scene.nowMs >= againMs) return begun(work, attempts);
  const because = `Job ${task.name} succeeded, but the registry does not have ${goal.image}; it is built again after a pause`;
  return pursuit(goal, scene, waiting("WaitingForImage", because), { kept: [task.name], lookAgainAtMs: againMs });
}

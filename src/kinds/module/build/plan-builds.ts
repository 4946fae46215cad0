// The builds of one Module: which of its images are there, which are being made, and what is done about the others. A decision about the
// whole Module reads this first, because a node gets an image only when it is ready.
//
// This folder makes images in the cluster. Beside this file:
//   image-need.ts: what the drivers ask for, and what they hear back
//   build-goal.ts, build-scene.ts, build-pursuit.ts: how far an image is, and what comes next
//   build-order.ts, build-recipe.ts, build-task.ts: what a Job does, what it depends on, the Job
//   build-carry-out.ts, build-queue.ts, build-job.ts: queues, starts and checks Jobs
//   build-pod.ts, build-given.ts, build-rootless.ts: the pod, for every builder
//   build-pod-buildkit.ts, build-pod-buildah.ts, build-pod-kaniko.ts: the builders
//   build-pod-template.ts, build-site.ts: a builder of the site's own, and its settings
//   sign-order.ts, sign-dockerfile.ts: signing
//   build-tail.ts: the end of a failed build's log

import { instantIn, textIn } from "../../../core/decision/object-identity.ts";
import type { Reason } from "../../../core/decision/reasons.ts";
import type { StoredObject } from "../../../core/decision/snapshot.ts";
import { type EventStep, type Step, stepId } from "../../../core/decision/step.ts";
import { isJsonObject } from "../../../core/json/json.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";
import type { Module } from "../api/spec.ts";
import { standingImages } from "../driver/standing-images.ts";
import { DOCKERFILE_KEY } from "./build-given.ts";
import { type Goal, goalOf } from "./build-goal.ts";
import { deleteJob, imageOfJob, moduleOf, noteTold } from "./build-job.ts";
import { pursue } from "./build-pursuit.ts";
import { startable } from "./build-queue.ts";
import type { Pursuit, Scene, Tiding } from "./build-scene.ts";
import { BUILD_SITE, type BuildSite } from "./build-site.ts";
import { parseBuildTask } from "./build-task.ts";
import type { BuildInput, BuildPlan, ImageNeed } from "./image-need.ts";

/** Jobs of one Module that wait or run; a Module that needs more makes them as these end. */
export const TASKS_MAX = 20;
const EVENT_TIDINGS_MAX = 3;
const EVENT_LENGTH_MAX = 1_000;

/** Plans the builds of a Module as the site does them. */
export function planBuilds(input: BuildInput, site: BuildSite = BUILD_SITE): BuildPlan {
  const { module, stored, wanted } = input;
  const scene = sceneOf(input, site);
  const needs = Map.groupBy(wanted, ({ image }) => image);
  const dockerfile = (name: string) => input.snapshot.configText(stored.namespace, { name, key: DOCKERFILE_KEY });
  const goalInput = { module, site, dockerfile };
  const goals = [...needs.values()].flatMap((each) => (isFilled(each) ? [goalOf(each, goalInput)] : []));
  const pursued = goals.map((goal) => ({ goal, pursuit: pursue(goal, scene) }));
  const pursuits = pursued.map(({ pursuit }) => pursuit);
  const looks = pursuits.flatMap(({ lookAgainAtMs }) => lookAgainAtMs ?? []);
  const isCurrent = !scene.isRebuilding || isRebuilt(pursued);
  const rebuiltFor = isCurrent ? module.rebuildTrigger : storedTrigger(stored);
  return {
    steps: [...jobSteps(pursuits, scene), ...tellSteps(pursuits, stored)],
    asks: [...new Map(pursuits.flatMap(({ asks }) => asks).map((ask) => [ask.image, ask])).values()],
    images: new Map(pursued.map(({ goal, pursuit }) => [goal.image, pursuit.progress])),
    ...(rebuiltFor === undefined ? {} : { rebuiltFor }),
    ...(isCurrent ? {} : { rebuildingSinceMs: scene.rebuildingSinceMs ?? input.nowMs }),
    ...(looks.length === 0 ? {} : { lookAgainAtMs: Math.min(...looks) }),
  };
}

function sceneOf({ module, stored, wanted, snapshot, nowMs }: BuildInput, site: BuildSite): Scene {
  const isMade = wanted.some(({ mapping }) => mapping.build !== undefined || mapping.sign !== undefined);
  const standing = standingImages(stored, snapshot);
  const own = isMade ? [] : snapshot.ownedBy(stored.uid, "Job");
  // Whoever makes nothing needs to know of no other's Jobs, only of those that were made before.
  const tasks = (isMade ? snapshot.tasks() : own).map(parseBuildTask);
  return {
    ...{ module, stored, snapshot, nowMs, site, tasks, standing, remembered: rememberedDigests(stored, standing) },
    wanted: new Set(wanted.map(({ image }) => image)),
    rebuildingSinceMs: instantIn(statusOf(stored).imageRebuildStarted),
    startable: startable({ tasks, runningMax: site.runningMax, nowMs }),
    isRebuilding: isTriggered(module, stored),
  };
}

function jobSteps(pursuits: readonly Pursuit[], { tasks, stored }: Scene): readonly Step[] {
  const own = tasks.filter(({ owner, isLeaving }) => owner === stored.uid && !isLeaving);
  const kept = new Set(pursuits.flatMap((pursuit) => pursuit.kept));
  const open = own.filter(
    ({ name, state }) => kept.has(name) && (state.is === "queued" || state.is === "running"),
  ).length;
  const steps = distinct(pursuits.flatMap((pursuit) => pursuit.steps));
  const creates = steps.filter((step) => step.do === "create").slice(0, Math.max(0, TASKS_MAX - open));
  const wanted = new Set(pursuits.flatMap(({ asks }) => asks.map(({ image }) => image)));
  const obsolete = own.filter(({ name, uid }) => !kept.has(name) && uid !== "");
  const deletes = obsolete.map((task) => {
    const why = wanted.has(task.image) ? `${task.image} needs it no more` : `no node needs ${task.image}`;
    return deleteJob(task, { why, after: creates.filter((step) => imageOfJob(step) === task.image).map(stepId) });
  });
  return [...creates, ...steps.filter((step) => step.do !== "create"), ...deletes];
}

/** Two images may be made from one. */
function distinct(steps: readonly Step[]): readonly Step[] {
  return [...new Map(steps.map((step) => [stepId(step), step])).values()];
}

/** One event per kind of end, and a note on each Job that its end was told. */
function tellSteps(pursuits: readonly Pursuit[], stored: StoredObject): readonly Step[] {
  const tidings = pursuits.flatMap((pursuit) => pursuit.tidings).filter(({ task }) => !task.isTold);
  const distinctTidings = [...new Map(tidings.map((tiding) => [tiding.task.name, tiding])).values()];
  const ended = distinctTidings.filter(({ reason }) => reason !== "BuildRunning");
  const byReason = Map.groupBy(distinctTidings, ({ reason }) => reason);
  return [
    ...ended.map(({ task }) => noteTold(task)),
    ...[...byReason].map(([reason, each]) => eventOf(reason, each, stored)),
  ];
}

function eventOf(reason: Reason, tidings: readonly Tiding[], stored: StoredObject): EventStep {
  const shown = tidings
    .slice(0, EVENT_TIDINGS_MAX)
    .map(({ message }) => message.slice(0, EVENT_LENGTH_MAX / EVENT_TIDINGS_MAX));
  const more = tidings.length > EVENT_TIDINGS_MAX ? [`and ${tidings.length - EVENT_TIDINGS_MAX} more`] : [];
  return {
    ...{ do: "event", about: moduleOf(stored), severity: reason === "BuildFailed" ? "Warning" : "Normal", reason },
    ...{ message: [...shown, ...more].join("; "), why: "people should know how builds go" },
  };
}

/** Whether everything that is made here has been made for the present value of the trigger. */
function isRebuilt(pursued: readonly { readonly goal: Goal; readonly pursuit: Pursuit }[]): boolean {
  return pursued.every(({ goal, pursuit }) => {
    return pursuit.isOwed !== true && (goal.make.is === "not" || pursuit.progress.is === "ready");
  });
}

function statusOf({ object }: StoredObject) {
  return objectAt(object, "status");
}

function storedTrigger(stored: StoredObject): number | undefined {
  const { imageRebuildTriggerGeneration: trigger } = statusOf(stored);
  return typeof trigger === "number" ? trigger : undefined;
}

/** Whether the trigger has another value than the images were made for. A Module that is new has nothing to be made anew. */
function isTriggered({ rebuildTrigger }: Module, stored: StoredObject): boolean {
  const isNew = statusOf(stored).observedGeneration === undefined;
  return !isNew && rebuildTrigger !== undefined && rebuildTrigger !== storedTrigger(stored);
}

function rememberedDigests(stored: StoredObject, standing: Scene["standing"]): ReadonlyMap<string, string> {
  const kernels = listOf(statusOf(stored).kernels).filter(isJsonObject);
  const pinned = [...standing].map(([image, { digest = "" }]) => [image, digest] as const);
  const pairs = [...kernels.map(({ image, digest }) => [textIn(image), textIn(digest)] as const), ...pinned];
  return new Map(pairs.filter(([image, digest]) => image !== "" && digest !== ""));
}

function isFilled(needs: readonly ImageNeed[]): needs is [ImageNeed, ...ImageNeed[]] {
  return needs.length > 0;
}

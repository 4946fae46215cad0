// The Job for an order: owned by its Module, named by what it does, and suspended until it is its turn.

import { objectIdentity } from "../../../core/decision/object-identity.ts";
import type { StoredObject } from "../../../core/decision/snapshot.ts";
import type { CreateStep, DeleteStep, ObjectRef, PatchStep } from "../../../core/decision/step.ts";
import { TASK_LABEL } from "../../../core/decision/task.ts";
import { childName } from "../../../core/hash/names.ts";
import { labelSafe } from "../../../core/labels/label-safe.ts";
import { EXACT_KERNEL, MODULE_NAME } from "../module-labels.ts";
import { type BuildOrder, orderIdentity } from "./build-order.ts";
import { buildPod } from "./build-pod.ts";
import { RECIPE } from "./build-recipe.ts";
import type { BuildSite } from "./build-site.ts";
import { ATTEMPT, type BuildTask, IMAGE, INSISTS, ORDER, TOLD } from "./build-task.ts";

/** KMM's labels for builds. */
const TARGET_KERNEL = "kmm.node.kubernetes.io/target-kernel";
const JOB_TYPE = "kmm.node.kubernetes.io/job-type";
const MODULE = { apiVersion: "kmm.sigs.x-k8s.io/v1beta1", kind: "Module" } as const;
const JOB = { apiVersion: "batch/v1", kind: "Job" } as const;
const NAME_MAX = 63;

export type JobWishes = {
  readonly attempt: number;
  /** What the registry has now may be what an earlier order left there. */
  readonly insists: boolean;
  readonly why: string;
};

/** The name of the Job for an order; its labels hold it too, so it is short. */
export function jobName(stored: StoredObject, order: BuildOrder, identity: string, attempt: number): string {
  return childName(`${stored.name}-${order.stage}`, [stored.uid, identity, String(attempt)], NAME_MAX);
}

/** Creates the Job; a repeat meets AlreadyExists. */
export function createJob(stored: StoredObject, order: BuildOrder, site: BuildSite, wishes: JobWishes): CreateStep {
  const { attempt, insists, why } = wishes;
  const identity = orderIdentity(order, site);
  const labels = {
    ...{ [TASK_LABEL]: order.stage, [JOB_TYPE]: order.stage, [MODULE_NAME]: labelSafe(stored.name) },
    [TARGET_KERNEL]: labelSafe(order.kernel),
  };
  const { annotations, spec } = buildPod(order, site);
  const { namespace } = stored;
  return {
    ...{ do: "create", why },
    object: {
      ...JOB,
      metadata: {
        ...{ name: jobName(stored, order, identity, attempt), namespace, labels, ownerReferences: [ownerOf(stored)] },
        annotations: {
          ...{ [IMAGE]: order.image, [ORDER]: identity, [RECIPE]: order.recipe },
          ...{ [ATTEMPT]: String(attempt), [EXACT_KERNEL]: order.kernel },
          ...(insists ? { [INSISTS]: "true" } : {}),
        },
      },
      spec: {
        ...{ suspend: true, parallelism: 1, completions: 1, backoffLimit: order.backoffLimit },
        activeDeadlineSeconds: Math.max(1, Math.ceil(order.timeoutMs / 1_000)),
        // A pod that is on its way out may still push: its successor waits for it.
        podReplacementPolicy: "Failed",
        template: { metadata: { labels, annotations }, spec },
      },
    },
  };
}

/** Lets a queued Job run. */
export function startJob(task: BuildTask): PatchStep {
  return jobPatch(task, { spec: { suspend: false } }, "it is its turn");
}

/** Notes on the Job that people have been told of its end. */
export function noteTold(task: BuildTask): PatchStep {
  return jobPatch(task, { metadata: { annotations: { [TOLD]: "true" } } }, "people are told how it ended");
}

/**
 * Deletes a Job once its pods are gone: until then it stands for what they may still push. Whatever takes its place must be there
 * before, because only that knows that a push of the old one does not count.
 */
export function deleteJob(
  task: BuildTask,
  { why, after }: Pick<DeleteStep, "why"> & { readonly after: readonly string[] },
): DeleteStep {
  return { do: "delete", target: refOf(task), uid: task.uid, propagation: "Foreground", why, after };
}

/** The image that the Job of a step is to make. */
export function imageOfJob({ object }: CreateStep): string {
  return objectIdentity(object).annotations[IMAGE] ?? "";
}

/** The Module that events about its Jobs are for. */
export function moduleOf({ namespace, name }: StoredObject): ObjectRef {
  return { ...MODULE, namespace, name };
}

function jobPatch(task: BuildTask, patch: PatchBody, why: string): PatchStep {
  const metadata = { ...patch.metadata, uid: task.uid };
  return { do: "patch", target: refOf(task), patchType: "merge", patch: { ...patch, metadata }, why };
}

type PatchBody = {
  readonly metadata?: { readonly annotations: Readonly<Record<string, string>> };
  readonly spec?: { readonly suspend: boolean };
};

function refOf({ namespace, name }: BuildTask): ObjectRef {
  return { ...JOB, namespace, name };
}

function ownerOf({ name, uid }: StoredObject) {
  return { ...MODULE, name, uid, controller: true, blockOwnerDeletion: true };
}

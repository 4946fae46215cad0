// The Job controller, with the controller that removes finished jobs after their time. Decisions are in decide-job.ts; here
// they meet the API, in the order that makes sure that no pod's end is counted twice or never.

import { cacheSource } from "../../../src/runtime/queue/cache-source.ts";
import type { Run } from "../../../src/runtime/queue/controller.ts";
import type { Source } from "../../../src/runtime/queue/intake.ts";
import { JOBS, PODS } from "../api-resources.ts";
import { decideClaims } from "../claim-pods.ts";
import type { BuildModel, ModelContext } from "../controller-model.ts";
import { Expectations } from "../expectations.ts";
import { controllerOf, controllerReference } from "../object-view.ts";
import { createPod } from "../pod-from-template.ts";
import type { PodView } from "../pod-view.ts";
import { podHappening } from "../tell.ts";
import { performWrites, type Write } from "../write.ts";
import { decideJob, type JobDecision, type JobFailures, TRACKING } from "./decide-job.ts";
import { finishedMs, finishOf, type JobStatus, type JobView, printStatus } from "./job-view.ts";

const JOB_TYPE = { apiVersion: "batch/v1", kind: "Job" };
const NO_FAILURES: JobFailures = { count: 0, lastMs: 0 };
const UNSEEN_CHECK_MS = 1_000;
const WORKERS = 8;
/** As in the real controller: the ends of many pods are counted in one write. */
const SPACING_MS = 1_000;

type Again = { readonly againInMs: number } | undefined;

/** Builds the controller; its keys are jobs, and pods whose job is gone. */
export const jobController: BuildModel = (context) => {
  const controller = new JobController(context);
  return {
    sources: controller.sources(),
    reconcile: (key, run) => {
      const [kind, name = ""] = key.split(" ");
      return kind === "pod" ? controller.freeOrphan(name, run) : controller.reconcile(name, run);
    },
    ...{ workers: WORKERS, spacingMs: SPACING_MS },
  };
};

class JobController {
  readonly #context: ModelContext;
  /** Pods made, deleted and released; and the status written: a job is looked at again when the caches show both. */
  readonly #podsExpected: Expectations;
  readonly #jobsExpected: Expectations;
  readonly #failures = new Map<string, JobFailures>();

  constructor(context: ModelContext) {
    this.#context = context;
    this.#podsExpected = new Expectations(context.clock);
    this.#jobsExpected = new Expectations(context.clock);
  }

  sources(): readonly Source[] {
    const { jobs, pods } = this.#context.caches;
    const keysOf = (pod: PodView) => {
      const owner = controllerOf(pod);
      if (owner?.kind !== "Job") return [];
      const key = `${pod.namespace}/${owner.name}`;
      const isOrphan = pod.finalizers.includes(TRACKING) && jobs.get(key)?.uid !== owner.uid;
      return [isOrphan ? `pod ${pod.key}` : `job ${key}`];
    };
    const lostJobs: Source = {
      start: (offer) =>
        jobs.changes(({ was, now }) => {
          if (was === undefined || now !== undefined) return;
          for (const pod of pods.by("controller", was.uid)) offer(`pod ${pod.key}`, false);
        }),
    };
    return [cacheSource(jobs, ({ key }) => [`job ${key}`]), cacheSource(pods, keysOf), lostJobs];
  }

  async reconcile(key: string, { signal, log }: Run): Promise<Again> {
    const { caches, clock } = this.#context;
    const job = caches.jobs.get(key);
    const finish = job === undefined ? undefined : finishOf(job.status);
    if (job === undefined || finish !== undefined) {
      this.#forget(key);
      return job === undefined || finish === undefined
        ? undefined
        : this.#removeAfterTime(job, finishedMs(finish), signal);
    }
    if (job.isIndexed) {
      log.warn("jobs of numbered completions are not modelled; this one is left alone");
      return undefined;
    }
    const isSeen = this.#podsExpected.areMet(key, caches.pods) && this.#jobsExpected.areMet(key, caches.jobs);
    if (!isSeen) return { againInMs: UNSEEN_CHECK_MS };
    const claims = this.#claims(job);
    await performWrites(this.#context.client, claims.writes, signal);
    const failures = this.#failures.get(key) ?? NO_FAILURES;
    const decision = decideJob({ job, pods: claims.pods, failures, nowMs: clock.wallMs() });
    await this.#perform(job, decision, signal);
    return decision.againInMs === undefined ? undefined : { againInMs: decision.againInMs };
  }

  /** A pod may go when the job that wanted to count it is no more. */
  async freeOrphan(key: string, { signal }: Run): Promise<Again> {
    const { caches, client } = this.#context;
    const pod = caches.pods.get(key);
    const owner = pod === undefined ? undefined : controllerOf(pod);
    if (pod === undefined || owner === undefined || !pod.finalizers.includes(TRACKING)) return undefined;
    const job = await client.get(JOBS, `${pod.namespace}/${owner.name}`, { signal });
    if (job?.metadata.uid === owner.uid) return undefined;
    await performWrites(client, [withoutFinalizer(pod)], signal);
    return undefined;
  }

  async #removeAfterTime(
    { key, uid, ttlSeconds, isTerminating }: JobView,
    sinceMs: number,
    signal: AbortSignal,
  ): Promise<Again> {
    if (ttlSeconds === undefined || isTerminating) return undefined;
    const leftMs = sinceMs + ttlSeconds * 1000 - this.#context.clock.wallMs();
    if (leftMs > 0) return { againInMs: leftMs };
    const options = { propagation: "Foreground" } as const;
    await performWrites(this.#context.client, [{ do: "delete", resource: JOBS, key, uid, options }], signal);
    return undefined;
  }

  #claims(job: JobView) {
    const { pods } = this.#context.caches;
    return decideClaims({
      ...{ owner: controllerReference(job, JOB_TYPE), selector: job.selector },
      ...{ own: pods.by("controller", job.uid), strays: pods.by("strays", job.namespace) },
    });
  }

  async #perform(job: JobView, decision: JobDecision, signal: AbortSignal): Promise<void> {
    const { client } = this.#context;
    const wish = {
      owner: controllerReference(job, JOB_TYPE),
      parent: job,
      template: job.template,
      finalizers: [TRACKING],
    };
    const moves: readonly Write[] = [
      ...Array.from({ length: decision.create }, () => createPod(wish)),
      ...decision.remove.map(({ key, uid }): Write => ({ do: "delete", resource: PODS, key, uid })),
    ];
    await performWrites(client, moves, signal, (done) => {
      this.#podsExpected.note(job.key, done);
      const happening = podHappening(job, JOB_TYPE, done);
      if (happening !== undefined) this.#context.tell(happening);
    });
    const version = await this.#report(job, job.resourceVersion, [job.status, decision.interim], signal);
    this.#failures.set(job.key, decision.failures);
    await performWrites(client, decision.release.map(withoutFinalizer), signal, (done) =>
      this.#podsExpected.note(job.key, done),
    );
    await this.#report(job, version, [decision.interim, decision.status], signal);
  }

  /** Writes a status over the one of a version; the answer is the version it has now. */
  async #report(
    job: JobView,
    resourceVersion: string,
    [was, status]: readonly [JobStatus, JobStatus],
    signal: AbortSignal,
  ): Promise<string> {
    if (textOf(was) === textOf(status)) return resourceVersion;
    const body = { metadata: { uid: job.uid, resourceVersion }, status: printStatus(status) };
    const options = { subresource: "status", signal };
    const { metadata } = await this.#context.client.patch(JOBS, job.key, { type: "merge", body }, options);
    this.#jobsExpected.note(job.key, { did: "patch", key: job.key, version: metadata.resourceVersion });
    return metadata.resourceVersion;
  }

  #forget(key: string): void {
    this.#failures.delete(key);
    this.#podsExpected.forget(key);
    this.#jobsExpected.forget(key);
  }
}

function withoutFinalizer({ key, uid, resourceVersion, finalizers }: PodView): Write {
  const kept = finalizers.filter((finalizer) => finalizer !== TRACKING);
  const body = { metadata: { uid, resourceVersion, finalizers: kept } };
  return { do: "patch", resource: PODS, key, patch: { type: "merge", body } };
}

function textOf(status: JobStatus): string {
  return JSON.stringify(printStatus(status));
}

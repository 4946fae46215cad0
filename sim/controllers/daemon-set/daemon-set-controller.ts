// The DaemonSet controller, as pkg/controller/daemon of Kubernetes 1.35 works: claim pods, settle the revision, make and remove
// pods, roll on, clean up, report. Decisions are in the files beside; here they meet the API.

import { matchLabels } from "../../../src/core/labels/label-selector.ts";
import { pinToNode } from "../../../src/core/node/node-pinning.ts";
import { withDaemonTolerations } from "../../../src/core/scheduling/daemon-tolerations.ts";
import { cacheSource } from "../../../src/runtime/queue/cache-source.ts";
import type { Run } from "../../../src/runtime/queue/controller.ts";
import type { Source } from "../../../src/runtime/queue/intake.ts";
import { listAt, objectAt } from "../../api-server/api-object.ts";
import { DAEMON_SETS, PODS } from "../api-resources.ts";
import type { Caches } from "../caches.ts";
import { decideClaims } from "../claim-pods.ts";
import type { BuildModel, ModelContext } from "../controller-model.ts";
import { Expectations } from "../expectations.ts";
import { FailureBackOff } from "../failure-back-off.ts";
import { changesPlacement } from "../node-view.ts";
import { controllerOf, controllerReference } from "../object-view.ts";
import { createPod } from "../pod-from-template.ts";
import { isFinished, type PodView } from "../pod-view.ts";
import { podHappening } from "../tell.ts";
import { onlyOf, performWrites, type Write } from "../write.ts";
import { countDaemonPods, decideStatus } from "./daemon-set-status.ts";
import type { DaemonSetView } from "./daemon-set-view.ts";
import {
  type DaemonSetSight,
  decideDaemonPods,
  type PodMoves,
  TEMPLATE_GENERATION_LABEL,
} from "./decide-daemon-pods.ts";
import { decideRollingUpdate } from "./decide-rolling-update.ts";
import { HASH_LABEL } from "./revision-view.ts";
import { DAEMON_SET_TYPE, decideCleanUp, observeHistory, settleHistory } from "./settle-history.ts";

/** Creates, and deletes, per run: as the real controller, so that a fleet does not flood the server. */
const BURST_MAX = 250;
const FAILED_PODS = { firstMs: 1_000, maxMs: 900_000 };
/** Events tell when a write is seen; this is for those that leave none. */
const UNSEEN_CHECK_MS = 1_000;
const WORKERS = 8;
/** A run looks at the whole fleet; the many events of a rollout become a few runs. */
const SPACING_MS = 100;

/** Builds the controller. */
export const daemonSetController: BuildModel = (context) => {
  const controller = new DaemonSetController(context);
  return {
    sources: sourcesOf(context.caches),
    reconcile: (key, run) => controller.reconcile(key, run),
    ...{ workers: WORKERS, spacingMs: SPACING_MS },
  };
};

type Again = { readonly againInMs: number } | undefined;

class DaemonSetController {
  readonly #context: ModelContext;
  readonly #expectations: Expectations;
  readonly #failures = new FailureBackOff(FAILED_PODS);

  constructor(context: ModelContext) {
    this.#context = context;
    this.#expectations = new Expectations(context.clock);
  }

  async reconcile(key: string, { signal }: Run): Promise<Again> {
    const { client, caches } = this.#context;
    const set = caches.daemonSets.get(key);
    if (set === undefined) this.#expectations.forget(key);
    if (set === undefined || set.isTerminating) return undefined;
    const history = observeHistory(set, caches.revisions.by("controller", set.uid));
    const hash = await settleHistory(client, set, history, signal);
    if (!this.#expectations.areMet(key, caches.pods)) {
      await this.#report(this.#observe(set, hash), { isProcessed: false }, signal);
      return { againInMs: UNSEEN_CHECK_MS };
    }
    const claims = this.#claims(set);
    await performWrites(client, claims.writes, signal);
    const sight = this.#observe(set, hash);
    try {
      const { againInMs, hasMoved } = await this.#move(sight, signal);
      await performWrites(client, decideCleanUp(set, history, claims.pods), signal);
      const after = hasMoved ? this.#observe(set, hash) : sight;
      const statusInMs = await this.#report(after, { isProcessed: true }, signal);
      return soonest(againInMs, statusInMs);
    } catch (error) {
      await this.#report(this.#observe(set, hash), { isProcessed: true }, signal);
      throw error;
    }
  }

  #claims(set: DaemonSetView) {
    const { pods } = this.#context.caches;
    return decideClaims({
      ...{ owner: controllerReference(set, DAEMON_SET_TYPE), selector: set.selector },
      ...{ own: pods.by("controller", set.uid), strays: pods.by("strays", set.namespace) },
    });
  }

  #observe(set: DaemonSetView, hash: string): DaemonSetSight {
    const { caches, clock } = this.#context;
    const nowMs = clock.wallMs();
    const podsByNode = new Map<string, PodView[]>();
    for (const pod of this.#claims(set).pods) {
      if (pod.targetNode === "" || (pod.isTerminating && isFinished(pod))) continue;
      const there = podsByNode.get(pod.targetNode);
      if (there === undefined) podsByNode.set(pod.targetNode, [pod]);
      else there.push(pod);
    }
    const failureWaitMs = (nodeName: string) => this.#failures.remainingMs(failureKey(set, nodeName), nowMs);
    return { set, nodes: [...caches.nodes.values()], podsByNode, hash, nowMs, failureWaitMs };
  }

  /** What the manage step wants, or else the rolling update; never both on one picture. */
  async #move(
    sight: DaemonSetSight,
    signal: AbortSignal,
  ): Promise<{ readonly againInMs: number | undefined; readonly hasMoved: boolean }> {
    const { set, hash, nowMs } = sight;
    const managed = decideDaemonPods(sight);
    const isSettled = managed.create.length === 0 && managed.remove.length === 0;
    const moves = isSettled && set.isRolling ? decideRollingUpdate(sight) : managed;
    for (const nodeName of managed.failedOn) this.#failures.failed(failureKey(set, nodeName), nowMs);
    const writes = writesFor(set, hash, moves);
    await performWrites(this.#context.client, writes, signal, (done) => {
      this.#expectations.note(set.key, done);
      const happening = podHappening(set, DAEMON_SET_TYPE, done);
      if (happening !== undefined) this.#context.tell(happening);
    });
    return { againInMs: managed.againInMs, hasMoved: writes.length > 0 };
  }

  async #report(
    sight: DaemonSetSight,
    how: { readonly isProcessed: boolean },
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { counts, againInMs } = countDaemonPods(sight);
    const status = decideStatus(sight, counts, how);
    if (status !== undefined) {
      const { set } = sight;
      // As upstream replaces it: a report that was under way for too long must not undo a younger one.
      const { resourceVersion } = set;
      const patch = onlyOf(set, { status, metadata: { resourceVersion } });
      const write: Write = { do: "patch", resource: DAEMON_SETS, key: set.key, patch, subresource: "status" };
      await performWrites(this.#context.client, [write], signal);
    }
    return againInMs;
  }
}

function writesFor(set: DaemonSetView, hash: string, { create, remove }: PodMoves): readonly Write[] {
  const spec = objectAt(set.template, "spec");
  const tolerations = withDaemonTolerations(listAt(spec, "tolerations"), spec.hostNetwork === true);
  const generation = set.templateGeneration;
  const labels = {
    ...(generation === "" ? {} : { [TEMPLATE_GENERATION_LABEL]: generation }),
    [HASH_LABEL]: hash,
  };
  const wish = { owner: controllerReference(set, DAEMON_SET_TYPE), parent: set, template: set.template, labels };
  return [
    ...create
      .slice(0, BURST_MAX)
      .map((name) => createPod({ ...wish, spec: { tolerations, affinity: pinToNode(spec.affinity, name) } })),
    ...remove.slice(0, BURST_MAX).map(({ key, uid }): Write => ({ do: "delete", resource: PODS, key, uid })),
  ];
}

/** A new template starts with a clean slate. */
function failureKey(set: DaemonSetView, nodeName: string): string {
  return `${set.uid}/${set.generation}/${nodeName}`;
}

function sourcesOf({ daemonSets, pods, nodes, revisions }: Caches): readonly Source[] {
  return [
    cacheSource(daemonSets, ({ key }) => [key]),
    cacheSource(pods, (pod) => {
      const owner = controllerOf(pod);
      if (owner !== undefined) return owner.kind === "DaemonSet" ? [`${pod.namespace}/${owner.name}`] : [];
      return [...daemonSets.by("namespace", pod.namespace)]
        .filter(({ selector }) => matchLabels(selector, pod.labels))
        .map(({ key }) => key);
    }),
    cacheSource(revisions, (revision) => {
      const owner = controllerOf(revision);
      return owner?.kind === "DaemonSet" ? [`${revision.namespace}/${owner.name}`] : [];
    }),
    cacheSource(nodes, () => [...daemonSets.values()].map(({ key }) => key), { isWorthALook: changesPlacement }),
  ];
}

function soonest(one: number | undefined, other: number | undefined): Again {
  const times = [one, other].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : { againInMs: Math.max(0, Math.min(...times)) };
}

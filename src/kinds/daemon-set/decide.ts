// The decision about one set, as a plan: revisions first, then pods that are missing or should go, then updates within their
// budget, and last what the status and the events say.
import { canonicalJson } from "../../core/canonical-json.ts";
import type { DaemonPod } from "../../core/daemon-pod.ts";
import { scaled } from "../../core/int-or-percent.ts";
import { type Hold, joinPlans, type Plan } from "../../core/plan.ts";
import type { Problem } from "../../core/problem.ts";
import type { StoredObject } from "../../core/snapshot.ts";
import type { Step } from "../../core/step.ts";
import { objectAt } from "../json-parts.ts";
import { setRef } from "./claim.ts";
import { countNodes } from "./counts.ts";
import { eventSteps } from "./events.ts";
import { cleanHistory } from "./history.ts";
import { type Creation, type Deletion, deletion, type ManageRule, manageNode, type Need, nextPod } from "./manage.ts";
import type { Observed } from "./observe.ts";
import type { Binding } from "./pod-body.ts";
import { REVISION_HASH } from "./pod-keys.ts";
import { repairSteps } from "./repair.ts";
import { invalidStatus, saysInvalid, statusOf } from "./status.ts";
import { createSteps, deleteSteps, isPrepared } from "./steps.ts";
import { paceUpdate, partitionOf, type Update } from "./update.ts";

export type DecideOptions = { readonly binding: Binding };

/** Decides about a set that could be read. */
export function decideSet(observed: Observed, nowMs: number, options: DecideOptions): Plan {
  const { object, set, desired, history } = observed;
  const burst = Math.max(1, scaled(set.burst, desired.length, "down"));
  const rule = manageRule(observed, nowMs);
  const managed = manage(observed, rule);
  const update = paceUpdate({ ...observed, burst, isPrepared, nowMs });
  const updated = performUpdate(update, rule);
  const scaling = holdByPartition(managed.creations, observed);
  const creations = [...scaling.creations, ...updated.creations].slice(0, burst);
  const deletions = [...managed.deletions, ...updated.deletions].slice(0, burst);
  const counts = countNodes(observed, nowMs);
  const held = [...managed.held, ...scaling.held, ...update.held, ...updated.held];
  const status = statusOf(observed, { counts, held, nowMs });
  const ending = deleteSteps(deletions, { hook: set.preDelete, nowMs });
  const making = createSteps(creations, { observed, binding: options.binding, ending });
  const steps: readonly Step[] = [
    ...[...history.steps, ...observed.claims, ...making, ...ending],
    ...repairSteps(observed, burst),
    ...cleanHistory(history, { set: object, kept: set.revisionsKept, inUse: revisionsInUse(observed.pods) }),
    ...eventSteps(object, { creations: making, deletions, ending }),
    ...statusSteps(object, status),
  ];
  const looks = [managed.lookAgainAtMs, update.lookAgainAtMs, updated.lookAgainAtMs, counts.availableAtMs];
  return joinPlans([{ steps, held }, ...looks.map((at): Plan => ({ steps: [], held: [], ...looking(at) }))]);
}

/** Decides about a set that breaks a rule: it says so, and what runs goes on. */
export function decideInvalid(object: StoredObject, problems: readonly Problem[], nowMs: number): Plan {
  const status = invalidStatus(object, problems, nowMs);
  const message = problems.map(({ path, message: text }) => `${path}: ${text}`)[0] ?? "";
  const about = setRef(object);
  const why = "the stored set breaks a rule";
  const event: Step = { do: "event", about, severity: "Warning", reason: "InvalidSpec", message, why };
  return joinPlans([{ steps: [...(saysInvalid(object) ? [] : [event]), ...statusSteps(object, status)], held: [] }]);
}

type Managed = {
  readonly creations: readonly Creation[];
  readonly deletions: readonly Deletion[];
  readonly held: readonly Hold[];
  readonly lookAgainAtMs: number | undefined;
};

function manageRule({ object, set }: Observed, nowMs: number): ManageRule {
  const { updateStrategy: strategy, minReadySeconds } = set;
  const isSurging = strategy.kind === "RollingUpdate" && strategy.budget.kind === "surge";
  return { set: object, minReadySeconds, isSurging, isPrepared, nowMs };
}

function manage({ desired, others, lost }: Observed, rule: ManageRule): Managed {
  const needs: Need[] = [];
  for (const view of desired) needs.push(manageNode(view, rule));
  for (const view of others) needs.push(manageNode(view, rule));
  const gone = lost.map((pod) => deletion(pod, "lost"));
  const { deletions, ...rest } = gather(needs);
  return { ...rest, deletions: [...deletions, ...gone] };
}

function gather(needs: readonly Need[]): Managed {
  const looks = needs.flatMap(({ lookAgainAtMs }) => lookAgainAtMs ?? []);
  return {
    creations: needs.flatMap(({ creation }) => creation ?? []),
    deletions: needs.flatMap(({ deletions }) => deletions),
    held: needs.flatMap(({ hold }) => hold ?? []),
    lookAgainAtMs: looks.length === 0 ? undefined : Math.min(...looks),
  };
}

/** What is done to the nodes that pacing has chosen. */
function performUpdate({ moves }: Update, rule: ManageRule): Managed {
  if (rule.isSurging) return gather(moves.map((view) => nextPod(view, rule)));
  return gather(
    moves.map(({ old }) => ({ deletions: old.slice(0, 1).map((pod: DaemonPod) => deletion(pod, "outdated")) })),
  );
}

/** With partitioned scaling the partition holds back creations, the last names first. */
function holdByPartition(creations: readonly Creation[], { set, desired }: Observed) {
  const partition = set.isScalingPartitioned ? partitionOf(set, desired.length) : 0;
  if (partition === 0) return { creations, held: [] };
  const having = desired.filter(({ current }) => current.length > 0).length;
  const room = Math.max(0, desired.length - having - partition);
  const because = `the partition keeps ${partition} of ${desired.length} nodes from the newest revision`;
  const held = creations.slice(room).map(({ node }): Hold => ({ node, reason: "RolloutPartitioned", because }));
  return { creations: creations.slice(0, room), held };
}

function revisionsInUse(pods: readonly DaemonPod[]): ReadonlySet<string> {
  return new Set(pods.flatMap(({ labels }) => labels[REVISION_HASH] ?? []));
}

function statusSteps(object: StoredObject, status: ReturnType<typeof statusOf>): readonly Step[] {
  const isStored = canonicalJson(status) === canonicalJson(objectAt(object.object, "status"));
  return isStored ? [] : [{ do: "status", target: setRef(object), status, why: "the counts or conditions changed" }];
}

function looking(at: number | undefined): { readonly lookAgainAtMs?: number } {
  return at === undefined ? {} : { lookAgainAtMs: at };
}

// What people who watch a set are told of what was found: one event per cause and look, however many pods it is about. What came of
// our own writes is told by `review`.

import type { Hold } from "../../core/decision/plan.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import { type EventStep, type Step, stepId } from "../../core/decision/step.ts";
import { isJsonObject } from "../../core/json/json.ts";
import { counted } from "../../core/values/counted.ts";
import { listOf, objectAt } from "../schema/json-parts.ts";
import { setRef } from "./pods/claim.ts";
import type { Deletion } from "./pods/deletion.ts";

const NAMES_MAX = 3;

export type Findings = {
  readonly deletions: readonly Deletion[];
  readonly ending: readonly Step[];
  /** What is wrong with patches, if that is news; empty otherwise. */
  readonly rejected: string;
  readonly held: readonly Hold[];
};

/** The events of a plan. Each about a pod waits for the write that it speaks of, so that nothing is told that did not happen. */
export function eventSteps(set: StoredObject, { deletions, ending, rejected, held }: Findings): readonly EventStep[] {
  const failed = deletions.filter(({ cause }) => cause === "failed");
  const succeeded = deletions.filter(({ cause }) => cause === "succeeded");
  const about = setRef(set);
  const names = (list: readonly Deletion[]) => listedNames(list.map(({ pod }) => `${pod.name} on ${pod.node}`));
  const event = (
    what: Pick<EventStep, "severity" | "reason" | "message">,
    first: Step | undefined,
  ): readonly EventStep[] =>
    first === undefined ? [] : [{ do: "event", about, ...what, why: "people watch", after: [stepId(first)] }];
  const warning = (reason: EventStep["reason"], message: string): readonly EventStep[] =>
    message === "" ? [] : [{ do: "event", about, severity: "Warning", reason, message, why: "people watch" }];
  return [
    ...warning("PatchRejected", rejected),
    ...warning("HookOverdue", saysProblem(set, "HookOverdue") ? "" : overdueText(held)),
    ...event(
      { severity: "Warning", reason: "FailedDaemonPod", message: `Found failed daemon pod ${names(failed)}` },
      stepAbout(failed[0], ending),
    ),
    ...event(
      { severity: "Normal", reason: "SucceededDaemonPod", message: `Found succeeded daemon pod ${names(succeeded)}` },
      stepAbout(succeeded[0], ending),
    ),
  ];
}

function overdueText(held: readonly Hold[]): string {
  const overdue = held.filter(({ reason }) => reason === "HookOverdue");
  const [first] = overdue;
  return first === undefined
    ? ""
    : `${first.because}; ${counted(overdue.length, "node waits", "nodes wait")} for such a hook`;
}

/** Whether the stored status lists the problem already. */
function saysProblem({ object }: StoredObject, reason: Reason): boolean {
  return listOf(objectAt(object, "status").problems).some((each) => isJsonObject(each) && each.reason === reason);
}

function stepAbout(one: Deletion | undefined, steps: readonly Step[]): Step | undefined {
  return one && steps.find((step) => step.do === "delete" && step.target.name === one.pod.name);
}

/** The first few names, and how many more there are. */
export function listedNames(names: readonly string[]): string {
  const more = names.length - NAMES_MAX;
  return more > 0 ? `${names.slice(0, NAMES_MAX).join(", ")} and ${more} more` : names.join(", ");
}

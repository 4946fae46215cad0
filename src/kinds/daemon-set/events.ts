// What people who watch a set are told: one event per cause and look, however many pods it is about.
import type { StoredObject } from "../../core/snapshot.ts";
import { type CreateStep, type EventStep, type PatchStep, type Step, stepId } from "../../core/step.ts";
import { setRef } from "./claim.ts";
import type { Deletion } from "./manage.ts";

const NAMES_MAX = 3;

export type Happenings = {
  readonly creations: readonly CreateStep[];
  readonly deletions: readonly Deletion[];
  readonly ending: readonly Step[];
  /** Pods whose update in place begins, by the write that it ends with. */
  readonly inPlace: readonly PatchStep[];
};

/** The events of a plan. Each waits for the first write that it speaks of, so that nothing is told that did not happen. */
export function eventSteps(set: StoredObject, happenings: Happenings): readonly EventStep[] {
  const { creations, deletions, ending, inPlace } = happenings;
  const deletes = ending.filter((step) => step.do === "delete");
  const failed = deletions.filter(({ cause }) => cause === "failed");
  const succeeded = deletions.filter(({ cause }) => cause === "succeeded");
  const about = setRef(set);
  const names = (list: readonly Deletion[]) => listed(list.map(({ pod }) => `${pod.name} on ${pod.node}`));
  const event = (
    what: Pick<EventStep, "severity" | "reason" | "message">,
    first: Step | undefined,
  ): readonly EventStep[] =>
    first === undefined ? [] : [{ do: "event", about, ...what, why: "people watch", after: [stepId(first)] }];
  return [
    ...event(
      {
        ...{ severity: "Normal", reason: "SuccessfulCreate" },
        message: `Created pod: ${listed(creations.map(({ object }) => object.metadata.name))}`,
      },
      creations[0],
    ),
    ...event(
      {
        ...{ severity: "Normal", reason: "SuccessfulDelete" },
        message: `Deleted pod: ${listed(deletes.map(({ target }) => target.name))}`,
      },
      deletes[0],
    ),
    ...event(
      {
        ...{ severity: "Normal", reason: "SuccessfulUpdatePodInPlace" },
        message: `Updated pod in place: ${listed(inPlace.map(({ target }) => target.name))}`,
      },
      inPlace[0],
    ),
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

function stepAbout(one: Deletion | undefined, steps: readonly Step[]): Step | undefined {
  return one && steps.find((step) => step.do === "delete" && step.target.name === one.pod.name);
}

function listed(names: readonly string[]): string {
  const more = names.length - NAMES_MAX;
  return more > 0 ? `${names.slice(0, NAMES_MAX).join(", ")} and ${more} more` : names.join(", ");
}

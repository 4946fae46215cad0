// What people and figures are told of a pass over a set, once it is known what came of its writes: one event per cause, however many
// pods it is about, and how many pods got patches.

import type { StoredObject } from "../../core/decision/snapshot.ts";
import { type EventStep, type PatchStep, type Step, targetOf } from "../../core/decision/step.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import type { Pass, Review, Tally } from "../kind.ts";
import { objectAt } from "../schema/json-parts.ts";
import { listedNames } from "./events.ts";
import { IN_PLACE_STATE } from "./in-place/in-place-state.ts";
import { setRef } from "./pods/claim.ts";
import { APPLIED_PATCHES, REVISION_HASH } from "./pods/pod-keys.ts";

type Deed = "create" | "delete" | "update";

/** One write to a pod that people know of. */
type Written = {
  readonly deed: Deed;
  readonly name: string;
  readonly isPatched: boolean;
  /** Why it did not come to pass; undefined when it did. */
  readonly because: string | undefined;
};

type Words = {
  readonly done: { readonly reason: EventStep["reason"]; readonly text: string };
  readonly failed: { readonly reason: EventStep["reason"]; readonly text: string };
};

/** In the words of Kruise and of Kubernetes' own controller, which people search for. */
const WORDS: Readonly<Record<Deed, Words>> = Object.freeze({
  create: {
    done: { reason: "SuccessfulCreate", text: "Created pod:" },
    failed: { reason: "FailedCreate", text: "Error creating:" },
  },
  delete: {
    done: { reason: "SuccessfulDelete", text: "Deleted pod:" },
    failed: { reason: "FailedDelete", text: "Error deleting:" },
  },
  update: {
    done: { reason: "SuccessfulUpdatePodInPlace", text: "Updated pod in place:" },
    failed: { reason: "FailedUpdatePodInPlace", text: "Error updating in place:" },
  },
});

/** Sums up a pass. */
export function reviewPass(set: StoredObject, { plan, fateOf }: Pass): Review {
  const written = plan.steps.flatMap((step) => writtenBy(step, fateOf(step)));
  const refused = plan.held.filter(({ reason }) => reason === "PatchRejected").map(({ node }) => node);
  return {
    events: (["create", "delete", "update"] as const).flatMap((deed) =>
      eventsOf(
        set,
        WORDS[deed],
        written.filter((each) => each.deed === deed),
      ),
    ),
    tallies: talliesOf(written),
    refused,
  };
}

function writtenBy(step: Step, fate: ReturnType<Pass["fateOf"]>): readonly Written[] {
  const deed = deedOf(step);
  if (deed === undefined || fate.did === "unsent") return [];
  const isDone = fate.did === "done";
  // What precedes an update is told only where it keeps the update from happening.
  if (isDone && step.do === "patch" && !isUpdate(step)) return [];
  const { name } = targetOf(step);
  return [{ deed, name, isPatched: isPatched(step), because: isDone ? undefined : fate.because }];
}

function deedOf(step: Step): Deed | undefined {
  if (targetOf(step).kind !== "Pod") return undefined;
  if (step.do === "create" || step.do === "delete") return step.do;
  if (step.do !== "patch") return undefined;
  return isUpdate(step) || step.subresource === "resize" ? "update" : undefined;
}

/** The write with which an update in place begins; later batches of it bear no revision. */
function isUpdate({ patch, subresource }: PatchStep): boolean {
  const { labels, annotations } = metadataOf(patch);
  return (
    subresource === undefined && Object.hasOwn(annotations, IN_PLACE_STATE) && Object.hasOwn(labels, REVISION_HASH)
  );
}

function isPatched(step: Step): boolean {
  if (step.do === "create") return Object.hasOwn(metadataOf(step.object).annotations, APPLIED_PATCHES);
  return step.do === "patch" && typeof metadataOf(step.patch).annotations[APPLIED_PATCHES] === "string";
}

function metadataOf(object: unknown): { readonly labels: JsonObject; readonly annotations: JsonObject } {
  const metadata = isJsonObject(object) ? objectAt(object, "metadata") : {};
  return { labels: objectAt(metadata, "labels"), annotations: objectAt(metadata, "annotations") };
}

function eventsOf(set: StoredObject, { done, failed }: Words, written: readonly Written[]): readonly EventStep[] {
  const about = setRef(set);
  const made = written.filter(({ because }) => because === undefined).map(({ name }) => name);
  const [first, ...more] = written.filter(({ because }) => because !== undefined);
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
  const told: EventStep[] = [];
  const why = "people watch";
  if (made.length > 0) {
    const message = `${done.text} ${listedNames(made)}`;
    told.push({ do: "event", about, severity: "Normal", reason: done.reason, message, why });
  }
  if (first !== undefined) {
    const message = `${failed.text} ${first.because}${others}`;
    told.push({ do: "event", about, severity: "Warning", reason: failed.reason, message, why });
  }
  return told;
}

function talliesOf(written: readonly Written[]): readonly Tally[] {
  const patched = written.filter(({ isPatched: is, deed }) => is && deed !== "delete");
  const count = (deed: Deed, isDone: boolean) =>
    patched.filter((each) => each.deed === deed && (each.because === undefined) === isDone).length;
  const tallies: readonly Tally[] = [
    { of: "applied", result: "created", count: count("create", true) },
    { of: "applied", result: "updated", count: count("update", true) },
    { of: "errors", result: "refused", count: count("create", false) + count("update", false) },
  ];
  return tallies.filter((tally) => tally.count > 0);
}

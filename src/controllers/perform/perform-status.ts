// Sets the status of the object that a plan is for: only what differs is sent, and only for the very state that it was decided from.
import { refText, type StatusStep } from "../../core/decision/step.ts";
import { isNotFound } from "../../kube/client/api-error.ts";
import { mergePatchBetween, storedStatus } from "./status-patch.ts";
import { noteWrite, type Performer, sendWrite, writeOptions } from "./step-performer.ts";
import { done, type StepResult } from "./step-result.ts";

/** Writes the status if it is not stored already. */
export async function performStatus({ target, status }: StatusStep, performer: Performer): Promise<StepResult> {
  const { client, findResource, behalf } = performer;
  const { object, ref, key } = behalf;
  if (object === undefined || refText(target) !== refText(ref)) {
    throw new Error(`a plan for ${refText(ref)} sets the status of ${refText(target)}`);
  }
  const difference = mergePatchBetween(storedStatus(object), status);
  if (difference === undefined) return done;
  const body = { metadata: { resourceVersion: object.resourceVersion }, status: difference };
  const entry = noteWrite(performer, target, { does: "report" });
  const how = { ...writeOptions(performer), subresource: "status" };
  const send = () => client.patch(findResource(target), key, { type: "merge", body }, how);
  // Nobody is left to be told.
  return sendWrite(performer, entry, send, async (error) => (isNotFound(error) ? done : undefined));
}

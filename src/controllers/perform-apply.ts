// Server-side apply in the name of one of our objects, never by force over another manager: what somebody else wants otherwise is
// reported, not fought over.
import { textIn, textsIn } from "../core/object-identity.ts";
import { type ApplyStep, refText, targetOf } from "../core/step.ts";
import { ApiError } from "../kube/api-error.ts";
import { nodes } from "../kube/built-in-resources.ts";
import { resourceName } from "../kube/resource.ts";
import type { Write } from "./ledger.ts";
import { noteWrite, type Performer, type Recover, sendWrite, writeOptions } from "./step-performer.ts";
import type { StepResult } from "./step-result.ts";

/** Applies the fields of a step, or says who holds them. */
export function performApply(step: ApplyStep, performer: Performer): Promise<StepResult> {
  const { client, findResource, behalf } = performer;
  const { object } = step;
  const resource = findResource(object);
  const isNode = resourceName(resource) === resourceName(nodes);
  const entry = noteWrite(performer, targetOf(step), isNode ? labelling(step) : { does: "change" });
  const send = (force: boolean) => client.apply(resource, object, { ...writeOptions(performer), force });
  const recover: Recover = async (error) => {
    const managers = contestingManagers(error);
    if (managers.length === 0) return undefined;
    // The same manager by another verb: what we created, we may apply to.
    if (managers.every((manager) => manager === behalf.fieldManager)) {
      return sendWrite(performer, entry, () => send(true));
    }
    const because = `${refText(targetOf(step))}: fields are held by ${managers.map((name) => `"${name}"`).join(", ")}`;
    return { did: "refused", reason: isNode ? "LabelContested" : "NameConflict", because };
  };
  return sendWrite(performer, entry, () => send(false), recover);
}

/** An apply to a node that is gone would make a node, unless it names the one that was meant. */
function labelling({ object }: ApplyStep): Write {
  const uid = textIn(object.metadata.uid);
  if (uid === "") throw new Error(`an apply to node "${object.metadata.name}" carries no UID; see ApplyStep`);
  return { does: "label", uid, labels: textsIn(object.metadata.labels) };
}

const CONFLICT = "FieldManagerConflict";
const fieldManagerInMessage = /conflict with "([^"]*)"/;

/** The managers that hold fields otherwise than we want them; none when the error is another one. */
function contestingManagers(error: unknown): readonly string[] {
  if (!(error instanceof ApiError)) return [];
  const conflicts = error.causes.filter(({ reason }) => reason === CONFLICT);
  return [...new Set(conflicts.map(({ message }) => fieldManagerInMessage.exec(message)?.[1] ?? "somebody"))].sort();
}

// Server-side apply in the name of one of our objects, never by force over another manager: what somebody else wants otherwise is
// reported, not fought over.

import { textIn, textsIn } from "../../core/decision/object-identity.ts";
import { type ApplyStep, targetOf } from "../../core/decision/step.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import type { Labels } from "../../core/labels/label-requirement.ts";
import { quoted } from "../../core/values/shown.ts";
import { ApiError } from "../../kube/client/api-error.ts";
import { nodes } from "../../kube/client/built-in-resources.ts";
import { resourceName } from "../../kube/resource.ts";
import type { Write } from "../view/ledger.ts";
import { labelHolders } from "./label-holders.ts";
import { keyOfRef, noteWrite, type Performer, type Recover, sendWrite, writeOptions } from "./step-performer.ts";
import { resultOfError, type StepResult } from "./step-result.ts";

/** Applies the fields of a step, or says who holds them. */
export async function performApply(step: ApplyStep, performer: Performer): Promise<StepResult> {
  const { client, findResource, behalf } = performer;
  const { object } = step;
  const resource = findResource(object);
  const isNode = resourceName(resource) === resourceName(nodes);
  const entry = noteWrite(performer, targetOf(step), isNode ? labelling(step) : { does: "change" });
  let answer: JsonObject | undefined;
  const send = async (force: boolean) => {
    answer = await client.apply(resource, object, { ...writeOptions(performer), force });
    return answer;
  };
  const recover: Recover = async (error) => {
    const { managers, fields } = contest(error);
    if (managers.length === 0) return undefined;
    // The same manager by another verb: what we created, we may apply to.
    if (managers.every((manager) => manager === behalf.fieldManager)) {
      return sendWrite(performer, entry, () => send(true));
    }
    const because = contestText(fields, managers);
    return { did: "refused", reason: isNode ? "LabelContested" : "NameConflict", because };
  };
  const result = await sendWrite(performer, entry, () => send(false), recover);
  const kept = result.did === "done" && answer !== undefined ? keptLabels(step, answer) : [];
  return kept.length === 0 || answer === undefined ? result : undo(step, kept, answer, performer);
}

/** An apply to a node that is gone would make a node, unless it names the one that was meant. */
function labelling({ object }: ApplyStep): Write {
  const uid = textIn(object.metadata.uid);
  if (uid === "") throw new Error(`an apply to node "${object.metadata.name}" carries no UID; see ApplyStep`);
  return { does: "label", uid, labels: textsIn(object.metadata.labels) };
}

/** The labels that are still there because somebody else holds them too. */
function keptLabels({ gone = {} }: ApplyStep, answer: JsonObject): readonly string[] {
  const labels = labelsOf(answer);
  return Object.keys(gone).filter((key) => Object.hasOwn(labels, key));
}

/** A label that nobody but the other holds would say that we have let go of the node, while what it binds there goes on. */
async function undo(
  { gone = {}, ...step }: ApplyStep,
  kept: readonly string[],
  answer: JsonObject,
  performer: Performer,
): Promise<StepResult> {
  const { client, findResource, behalf } = performer;
  const labels = { ...textsIn(step.object.metadata.labels), ...gone, ...only(labelsOf(answer), kept) };
  const object = { ...step.object, metadata: { ...step.object.metadata, labels } };
  const undone = await performApply({ ...step, object }, performer);
  if (undone.did === "failed") return undone;
  try {
    // Answers to writes come without the managers.
    const node = await client.get(findResource(object), keyOfRef(targetOf(step)), { signal: performer.signal });
    const holders = kept.flatMap((key) => labelHolders({ ...node }, key));
    const others = [...new Set(holders)].filter((name) => name !== behalf.fieldManager).sort();
    return { did: "refused", reason: "LabelContested", because: contestText(kept, others) };
  } catch (error) {
    return resultOfError(error);
  }
}

function only(labels: Labels, keys: readonly string[]): Labels {
  return Object.fromEntries(keys.map((key) => [key, labels[key] ?? ""]));
}

function labelsOf({ metadata }: JsonObject): Labels {
  return isJsonObject(metadata) ? textsIn(metadata.labels) : {};
}

const CONFLICT = "FieldManagerConflict";
const fieldManagerInMessage = /conflict with "([^"]*)"/;
const LABEL_FIELD = ".metadata.labels.";

type Contest = { readonly managers: readonly string[]; readonly fields: readonly string[] };

/** The managers that hold fields otherwise than we want them, and which; none when the error is another one. */
function contest(error: unknown): Contest {
  if (!(error instanceof ApiError)) return { managers: [], fields: [] };
  const conflicts = error.causes.filter(({ reason }) => reason === CONFLICT);
  const managers = conflicts.map(({ message }) => fieldManagerInMessage.exec(message)?.[1] ?? "somebody");
  const fields = conflicts.map(({ field }) => field.replace(LABEL_FIELD, ""));
  return { managers: [...new Set(managers)].sort(), fields: [...new Set(fields)].sort() };
}

function contestText(fields: readonly string[], managers: readonly string[]): string {
  const holders = managers.length === 0 ? "somebody else" : managers.map(quoted).join(", ");
  const what = fields.map(quoted).join(", ");
  return `${what} ${fields.length === 1 ? "is" : "are"} held by ${holders}, and nothing is forced; take it from there, or leave it to them`;
}

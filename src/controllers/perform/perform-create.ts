// Creates an object under a name that follows from its content. If the name is taken, it is either our own earlier create whose answer
// was lost, or an object of somebody else.
import { objectIdentity, textsIn } from "../../core/decision/object-identity.ts";
import { type CreateStep, refText, targetOf } from "../../core/decision/step.ts";
import { isAlreadyExists } from "../../kube/client/api-error.ts";
import { controllerUidOf } from "../view/known-resources.ts";
import type { LedgerEntry } from "../view/ledger.ts";
import { keyOfRef, noteWrite, type Performer, sendWrite, writeOptions } from "./step-performer.ts";
import { done, type StepResult } from "./step-result.ts";

/** Creates the object, or finds it made already. */
export async function performCreate(step: CreateStep, performer: Performer): Promise<StepResult> {
  const { findResource } = performer;
  const { object, premises } = step;
  const client = (premises && performer.guard?.client) ?? performer.client;
  const entry = noteWrite(performer, targetOf(step), { does: "create", object });
  const send = () => client.create(findResource(object), object, writeOptions(performer));
  return sendWrite(performer, entry, send, async (error) =>
    isAlreadyExists(error) ? judgeExisting(step, entry, performer) : undefined,
  );
}

async function judgeExisting(step: CreateStep, entry: LedgerEntry, performer: Performer): Promise<StepResult> {
  const { client, findResource, ledger, signal } = performer;
  const target = targetOf(step);
  const found = await client.get(findResource(target), keyOfRef(target), { signal });
  if (found === undefined) return failed(`${refText(target)} was there and is gone again`);
  const { controllerUid, isLeaving, labels } = objectIdentity(found);
  if (controllerUid !== controllerUidOf(step.object)) {
    return taken(`${refText(target)} exists and is not controlled by the object that needs the name`);
  }
  const wanted = Object.entries(textsIn(step.object.metadata.labels));
  const differing = wanted.find(([key, value]) => labels[key] !== value);
  if (differing !== undefined) return taken(`${refText(target)} exists with another value of label "${differing[0]}"`);
  ledger.answered(entry, found);
  return isLeaving ? failed(`${refText(target)} is being deleted; its successor has to wait`) : done;
}

function failed(because: string): StepResult {
  return { did: "failed", because };
}

function taken(because: string): StepResult {
  return { did: "refused", reason: "NameConflict", because };
}

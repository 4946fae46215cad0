// Performs one step of a plan through the client and turns whatever happens into a result.
//
// Guarantees: what is deleted carries the UID that was seen; fields of other managers are not taken; what somebody else made under
// a name of ours is not touched. Every step may be repeated from an old picture.

import { objectIdentity } from "../../core/decision/object-identity.ts";
import {
  type DeleteStep,
  type EventStep,
  type ObjectRef,
  type PatchStep,
  refText,
  type Step,
} from "../../core/decision/step.ts";
import { isJsonList, isJsonObject, type Json } from "../../core/json/json.ts";
import { isConflict } from "../../kube/client/api-error.ts";
import type { JsonPatchStep, Patch } from "../../kube/client/client.ts";
import type { Write } from "../view/ledger.ts";
import { performApply } from "./perform-apply.ts";
import { performCreate } from "./perform-create.ts";
import { performStatus } from "./perform-status.ts";
import { keyOfRef, noteWrite, type Performer, sendWrite, writeOptions } from "./step-performer.ts";
import { done, isCertainlyUndone, resultOfError, type StepResult } from "./step-result.ts";

const SCALE = "scale";
/** When nobody has answered for longer than this, what was to go may be the last that serves, and the wish another one: it is decided upon anew. */
const REPEAT_MS = 5_000;

/** Performs a step if what it follows from is still so; throws only on mistakes of ours. */
export async function performStep(step: Step, performer: Performer): Promise<StepResult> {
  const objection = await performer.guard?.check(step);
  if (objection !== undefined) return objection;
  switch (step.do) {
    case "create":
      return performCreate(step, performer);
    case "apply":
      return performApply(step, performer);
    case "patch":
      return performPatch(step, performer);
    case "delete":
      return performDelete(step, performer);
    case "status":
      return performStatus(step, performer);
    case "event":
      return performEvent(step, performer);
  }
}

async function performPatch(step: PatchStep, performer: Performer): Promise<StepResult> {
  const { client, findResource } = performer;
  const { target, subresource, premises } = step;
  const patch = patchOf(step);
  if (meansUnknown(step)) return notKnownYet(target);
  if (subresource === SCALE) return performScale(step, performer);
  const entry = noteWrite(performer, target, effectOf(step));
  const how = {
    ...{ ...writeOptions(performer), repeatable: true },
    ...(premises === undefined ? {} : { repeatWithinMs: REPEAT_MS }),
    ...(subresource === undefined ? {} : { subresource }),
  };
  return sendWrite(performer, entry, () => client.patch(findResource(target), keyOfRef(target), patch, how));
}

/** The server answers with a Scale and not with the object, so nothing is noted: the cache shows it soon, and a repeat changes nothing. */
async function performScale(step: PatchStep, performer: Performer): Promise<StepResult> {
  const { client, findResource } = performer;
  const { target } = step;
  try {
    const how = { ...writeOptions(performer), repeatable: true, subresource: SCALE };
    await client.patch(findResource(target), keyOfRef(target), patchOf(step), how);
    return done;
  } catch (error) {
    return resultOfError(error);
  }
}

async function performDelete(step: DeleteStep, performer: Performer): Promise<StepResult> {
  const { client, findResource, ledger, signal } = performer;
  const { target, uid, propagation, gracePeriodSeconds, resourceVersion } = step;
  if (uid === "") return notKnownYet(target);
  const entry = noteWrite(performer, target, { does: "delete", uid });
  const how = {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  try {
    const options = { uid, propagation, signal, repeatWithinMs: REPEAT_MS, ...how };
    await client.remove(findResource(target), keyOfRef(target), options);
    ledger.done(entry);
    return done;
  } catch (error) {
    if (isCertainlyUndone(error)) ledger.refused(entry);
    // Another object has the name, or this one is not as it was: the one that was meant is not there any more.
    if (isConflict(error)) return done;
    return resultOfError(error);
  }
}

/** What a patch will have done, as far as that can be told before its answer comes: a budget counts pods that are taken out of service. */
function effectOf({ patch, subresource }: PatchStep): Write {
  if (subresource !== "status") return { does: "change" };
  const { metadata, status } = isJsonObject(patch) ? patch : {};
  const { uid } = objectIdentity({ metadata: metadata ?? {} });
  return saysNotReady(status) ? { does: "withdraw", uid } : { does: "report" };
}

function saysNotReady(status: Json | undefined): boolean {
  const conditions = isJsonObject(status) && isJsonList(status.conditions) ? status.conditions : [];
  return conditions.filter(isJsonObject).some(({ type, status: is }) => type === "Ready" && is === "False");
}

/** Servers take an empty UID for none: the patch would meet whatever has the name. */
function meansUnknown({ patch }: PatchStep): boolean {
  return isJsonObject(patch) && isJsonObject(patch.metadata) && patch.metadata.uid === "";
}

function notKnownYet(target: ObjectRef): StepResult {
  return { did: "failed", because: `${refText(target)} has just been made; its UID is not known yet` };
}

function performEvent({ about, severity, reason, message }: EventStep, { events, behalf }: Performer): StepResult {
  const isOwn = refText(about) === refText(behalf.ref);
  // As kubelets do for nodes: whoever has no UID at hand names the object by its name.
  const uid = isOwn && behalf.object !== undefined ? behalf.object.uid : about.name;
  events.record({ about: { ...about, uid }, type: severity, reason, message });
  return done;
}

function patchOf({ patchType, patch, target }: PatchStep): Patch {
  if (patchType === "json") {
    if (isJsonList(patch) && patch.every(isJsonPatchStep)) return { type: "json", body: patch };
  } else if (isJsonObject(patch)) return { type: patchType, body: patch };
  throw new Error(`a plan has a ${patchType} patch of ${refText(target)} that is none`);
}

function isJsonPatchStep(step: Json): step is JsonPatchStep & Json {
  if (!isJsonObject(step) || typeof step.path !== "string") return false;
  switch (step.op) {
    case "add":
    case "replace":
    case "test":
      return step.value !== undefined;
    case "remove":
      return true;
    case "move":
    case "copy":
      return typeof step.from === "string";
    default:
      return false;
  }
}

// What every step needs to be performed, and the one way in which a write is sent: noted in the ledger first, its answer or its trouble
// taken in afterwards.

import type { ObjectRef } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Client } from "../../kube/client/client.ts";
import { type Key, namedKey, resourceName } from "../../kube/resource.ts";
import type { EventRecorder } from "../../runtime/log/event-recorder.ts";
import type { FindResource } from "../view/known-resources.ts";
import type { Ledger, LedgerEntry, Write } from "../view/ledger.ts";
import type { PremiseCheck } from "./check-premises.ts";
import type { Behalf } from "./on-behalf.ts";
import { done, isCertainlyUndone, resultOfError, type StepResult } from "./step-result.ts";

export type Performer = {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly events: Pick<EventRecorder, "record">;
  readonly findResource: FindResource;
  /** The object of ours in whose name it is done. */
  readonly behalf: Behalf;
  readonly signal: AbortSignal;
  /** Where another replica may act at the same time. */
  readonly guard?: WishGuard;
};

/** How steps that follow from a wish are sent where nothing but time keeps two replicas apart. */
export type WishGuard = {
  readonly check: PremiseCheck;
  /** It sends a create at once or not at all, and never again. */
  readonly client: Pick<Client, "create">;
};

/** The result where an error is an answer of its own; undefined where it is trouble. */
export type Recover = (error: unknown) => Promise<StepResult | undefined>;

/** Notes a write that is about to be sent. */
export function noteWrite({ ledger, findResource, behalf }: Performer, target: ObjectRef, write: Write): LedgerEntry {
  const address = { resource: resourceName(findResource(target)), key: keyOfRef(target) };
  return ledger.sending({ ...address, target, onBehalfOf: behalf.text }, write);
}

/** Sends a noted write and takes in what becomes of it. */
export async function sendWrite(
  { ledger }: Performer,
  entry: LedgerEntry,
  send: () => Promise<JsonObject>,
  recover: Recover = nothingToRecover,
): Promise<StepResult> {
  try {
    ledger.answered(entry, await send());
    return done;
  } catch (error) {
    const recovered = await recover(error).catch(resultOfError);
    const isUndone = recovered?.did === "refused" || (recovered === undefined && isCertainlyUndone(error));
    if (isUndone) ledger.refused(entry);
    return recovered ?? resultOfError(error);
  }
}

/** The options of a write in the name of its object. */
export function writeOptions({ behalf, signal }: Performer) {
  return { fieldManager: behalf.fieldManager, signal };
}

/** The key under which clients and caches know an object. */
export function keyOfRef({ name, namespace }: ObjectRef): Key {
  return namedKey(name, namespace);
}

const nothingToRecover: Recover = async () => undefined;

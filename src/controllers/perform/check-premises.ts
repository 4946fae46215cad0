// Where no lease keeps other replicas away, what a step follows from is read once more before it is sent: a replica whose watches are deaf or
// late must not act upon a wish that is not there any more.
//
// Guarantees: a step that passes was asked for, and its premises held, at some moment within the last FRESH_MS.
// Caveats: the step itself may be under way for longer than that. Whoever sees the new wish waits for it (`core/decision/snapshot.ts`, aloneSinceMs).
import type { StoredObject } from "../../core/decision/snapshot.ts";
import { type ObjectRef, type Premise, refText, type Step } from "../../core/decision/step.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../kube/client/client.ts";
import type { Clock } from "../../kube/clock.ts";
import { storedObject } from "../view/cluster-caches.ts";
import { isSameWish } from "../view/wish-ages.ts";
import type { Behalf } from "./on-behalf.ts";
import { keyOfRef, type Performer } from "./step-performer.ts";
import { resultOfError, type StepResult } from "./step-result.ts";

/** How old a read may be, from its sending, when the step is sent that relies on it. */
export const FRESH_MS = 1_000;

export type PremisePorts = Pick<Performer, "findResource" | "signal"> & {
  readonly kind: Kind;
  readonly behalf: Behalf;
  readonly clock: Clock;
  readonly client: Pick<Client, "get">;
};

/** Undefined for a step that may be sent now. */
export type PremiseCheck = (step: Pick<Step, "premises">) => Promise<StepResult | undefined>;

type Reading = { readonly askedMs: number; readonly object: Promise<StoredObject | undefined> };

/** Returns the check for the steps of one pass. The object itself is read once for those that follow each other closely. */
export function createPremiseCheck({ kind, behalf, clock, client, findResource, signal }: PremisePorts): PremiseCheck {
  const read = (target: ObjectRef): Reading => ({
    askedMs: clock.monotonicMs(),
    object: client
      .get(findResource(target), keyOfRef(target), { signal })
      .then((found) => found && storedObject(found)),
  });
  const isFresh = ({ askedMs }: Reading) => clock.monotonicMs() - askedMs <= FRESH_MS;
  let known: Reading | undefined;
  return async ({ premises }) => {
    const { object } = behalf;
    if (premises === undefined || object === undefined) return undefined;
    if (known === undefined || !isFresh(known)) known = read(behalf.ref);
    const own = known;
    const readings = premises.map(({ target }) => read(target));
    try {
      const [now, ...others] = await Promise.all([own, ...readings].map((reading) => reading.object));
      if (now === undefined || !isSameWish(kind, object, now))
        return unsent(`${behalf.text} asks for something else now`);
      const broken = premises.find((premise, index) => !holds(premise, others[index]));
      if (broken !== undefined) return unsent(`${refText(broken.target)} has changed`);
      return [own, ...readings].every(isFresh) ? undefined : unsent("the server took too long to confirm its premises");
    } catch (error) {
      return resultOfError(error);
    }
  };
}

function holds({ uid, labels, isStaying = false }: Premise, now: StoredObject | undefined): boolean {
  if (now === undefined || now.uid !== uid || (isStaying && now.isLeaving)) return false;
  const there = now.labels;
  return Object.entries(labels).every(([key, value]) => (Object.hasOwn(there, key) ? there[key] : undefined) === value);
}

function unsent(because: string): StepResult {
  return { did: "unsent", because };
}

// One kind at work: what wakes its objects, the loop that looks at them, and when each is looked at next.
import type { ObjectName } from "../../kinds/kind.ts";
import { splitKey } from "../../kube/resource.ts";
import { Controller, type ControllerPorts, type Run } from "../../runtime/queue/controller.ts";
import type { Source } from "../../runtime/queue/intake.ts";
import { QUEUE_LIMITS, type QueueLimits } from "../../runtime/queue/queue.ts";
import type { Rivals } from "../coexistence/rivals.ts";
import { createStandBack } from "../coexistence/stand-back.ts";
import { onBehalfOf } from "../perform/on-behalf.ts";
import type { Lulls } from "./lulls.ts";
import type { Outcome } from "./outcome.ts";
import { type ReconcileParts, reconcile } from "./reconcile.ts";

export type KindLimits = {
  /** Objects looked at side by side. */
  readonly workers: number;
  /** One pass of one object. */
  readonly passMs: number;
  /** Between two looks at an object that the cluster refuses something: a person has to act, and may have. */
  readonly stalledMs: number;
  /** The longest wait for an instant of wall time: clocks that were wrong are set right, and nobody says so. */
  readonly lookAgainMaxMs: number;
  readonly queue: QueueLimits;
};

export const KIND_LIMITS: KindLimits = {
  workers: 4,
  passMs: 300_000,
  stalledMs: 60_000,
  lookAgainMaxMs: 300_000,
  queue: { ...QUEUE_LIMITS, backOff: { baseMs: 250, maxMs: 300_000 } },
};

export type KindRun = ReconcileParts & {
  readonly name: string;
  readonly rivals: Pick<Rivals, "standing">;
  /** Whether the objects of a namespace are ours to look after. */
  readonly serves: (namespace: string) => boolean;
  readonly sources: readonly Source[];
  /** Those that the sources keep. */
  readonly lulls: Lulls;
  readonly kindLimits: KindLimits;
  /** Told when our own code throws; the object is tried again with growing pauses, others go on. */
  readonly onMistake: (error: unknown) => void;
};

/** A pass that has to be tried again, which is no mistake of ours. */
class PassFailed extends Error {
  override readonly name = "PassFailed";
}

/** The controller of one kind; it works between `start` and `stop`. */
export function controllerOfKind(run: KindRun, ports: ControllerPorts): Controller {
  const { name, sources, kindLimits, onMistake, serves } = run;
  const standsBack = createStandBack(run);
  const look = async (key: string, { signal, log }: Run) => {
    const object = nameIn(key);
    run.lulls.end(key);
    if (!serves(object.namespace) || standsBack(object)) return undefined;
    try {
      const outcome = await reconcile(object, run, signal);
      if (outcome.is === "stalled") log.warn("the cluster refuses something", outcome.stall);
      const next = nextLook(outcome, object, run);
      if (outcome.is === "settled" && outcome.lullMs !== undefined && next) run.lulls.begin(key, next.againInMs);
      return next;
    } catch (error) {
      if (!(error instanceof PassFailed)) onMistake(error);
      throw error;
    }
  };
  const { workers, passMs: timeoutMs, queue } = kindLimits;
  return new Controller({ name, sources, reconcile: look, workers, timeoutMs, queue }, ports);
}

/** When to look again; throws where that should be after a growing pause. */
function nextLook(outcome: Outcome, name: ObjectName, run: KindRun): { readonly againInMs: number } | undefined {
  switch (outcome.is) {
    case "retry":
      throw new PassFailed(outcome.because);
    case "unfinished":
      return { againInMs: 0 };
    case "stalled":
      return soonest([run.kindLimits.stalledMs, untilWall(outcome.lookAgainAtMs, run), untilUnseen(name, run)]);
    case "settled":
      return soonest([untilWall(outcome.lookAgainAtMs, run), untilUnseen(name, run), outcome.lullMs]);
  }
}

function untilWall(atMs: number | undefined, { clock, kindLimits }: KindRun): number | undefined {
  return atMs === undefined ? undefined : Math.min(atMs - clock.wallMs(), kindLimits.lookAgainMaxMs);
}

/** A write that is never seen must be decided upon anew when it stops to count. */
function untilUnseen(name: ObjectName, { kind, program, ledger, clock }: KindRun): number | undefined {
  const { text } = onBehalfOf(kind, name, { object: undefined, program });
  const endMs = ledger.nextEndMs(text);
  return endMs === undefined ? undefined : endMs - clock.monotonicMs();
}

function soonest(waits: readonly (number | undefined)[]): { readonly againInMs: number } | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : { againInMs: Math.max(0, Math.min(...known)) };
}

function nameIn(key: string): ObjectName {
  const { name, namespace = "" } = splitKey(key);
  return { name, namespace };
}

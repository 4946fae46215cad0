// Who may act: what the rest of the program knows of leader election. One replica needs none (soleLeadership); several
// agree through a Lease (lease-leadership.ts). All of them keep their caches warm; only the leader runs controllers.
//
// Beside this file:
//   lease-leadership.ts                               campaigns, and turns a held Lease into terms
//   lease-holder.ts, lease-claim.ts, lease-record.ts  one replica's hold: read, decide, write
//   write-fence.ts                                    refuses writes once the lease is lost
import { type Clock, pause } from "../../kube/clock.ts";
import type { Rand } from "../../kube/rand.ts";
import type { Logger } from "../log/log.ts";
import { NotLeadingError, type WriteFence } from "./write-fence.ts";

/** One stretch of leading, from winning to losing or giving back. */
export type Term = {
  /** Aborted when the work of this term must end. */
  readonly signal: AbortSignal;
  /** Throws unless this very term still holds; a later term of the same process does not open it again. */
  readonly fence: WriteFence;
};

/** Works for one term; resolves after `term.signal` is aborted and all its work has ended. */
export type Lead = (term: Term) => Promise<void>;

export interface Leadership {
  /** Campaigns from now on; `lead` runs for each term won, one at a time. */
  start(lead: Lead): void;
  /** Ends the term, waiting at most `drainMs` for its work, and hands leadership on unless work of the term goes on. */
  stop(drainMs: number): Promise<void>;
  readings(): LeadershipReadings;
}

export type LeadershipReadings = {
  readonly isLeading: boolean;
  /** How long the work of an ended term has gone on; 0 when all has ended. Such a replica never leads again. */
  readonly overdueMs: number;
};

/** Leadership for a single replica: one term, from start to stop or until its work fails. */
export function soleLeadership({ clock, log }: { readonly clock: Clock; readonly log: Logger }): Leadership {
  const abort = new AbortController();
  let work: Promise<void> | undefined;
  let closed: { readonly because: string; readonly atMs: number } | undefined;
  let isWorking = false;
  const close = (because: string) => {
    closed ??= { because, atMs: clock.monotonicMs() };
  };
  const fence = () => {
    if (closed !== undefined) throw new NotLeadingError(`this term is over: ${closed.because}`);
  };
  const runTerm = async (lead: Lead) => {
    isWorking = true;
    try {
      await lead({ signal: abort.signal, fence });
    } catch (error) {
      log.error("the work of this replica failed", { error });
    }
    isWorking = false;
    close("its work has ended");
  };
  return {
    start(lead) {
      work = runTerm(lead);
    },
    async stop(drainMs) {
      abort.abort(new Error("this replica stops"));
      if (work !== undefined) await settledWithin(clock, drainMs, work);
      close("this replica has stopped");
      if (isWorking) log.warn("work goes on after the replica was told to stop");
    },
    readings: () => ({
      isLeading: isWorking && closed === undefined,
      overdueMs: isWorking && closed !== undefined ? clock.monotonicMs() - closed.atMs : 0,
    }),
  };
}

/** Resolves when the work has ended, at the latest after `waitMs`. */
export async function settledWithin(clock: Clock, waitMs: number, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  const timeUp = pause(clock, waitMs, done.signal).catch(() => undefined);
  await Promise.race([work, timeUp]);
  done.abort();
}

const IDENTITY_DIGITS = 8;

/** `name` and a random suffix: a restarted container must not take itself for its predecessor. */
export function uniqueIdentity(name: string, rand: Rand): string {
  const digits = Array.from({ length: IDENTITY_DIGITS }, () => Math.floor(rand.next() * 16).toString(16));
  return `${name}_${digits.join("")}`;
}

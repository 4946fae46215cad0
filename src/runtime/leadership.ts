// Who may act: what the rest of the program knows of leader election. One replica needs none (soleLeadership); several
// agree through a Lease (lease-leadership.ts). All of them keep their caches warm; only the leader runs controllers.
import type { Rand } from "../kube/rand.ts";
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

/** Leadership for a single replica: one term, from start to stop. */
export function soleLeadership(): Leadership {
  const abort = new AbortController();
  let work: Promise<void> | undefined;
  let isOver = false;
  const fence = () => {
    if (isOver) throw new NotLeadingError("this replica has stopped");
  };
  return {
    start(lead) {
      work = lead({ signal: abort.signal, fence });
    },
    async stop() {
      abort.abort(new Error("this replica stops"));
      await work;
      isOver = true;
    },
    readings: () => ({ isLeading: work !== undefined && !isOver, overdueMs: 0 }),
  };
}

const IDENTITY_DIGITS = 8;

/** `name` and a random suffix: a restarted container must not take itself for its predecessor. */
export function uniqueIdentity(name: string, rand: Rand): string {
  const digits = Array.from({ length: IDENTITY_DIGITS }, () => Math.floor(rand.next() * 16).toString(16));
  return `${name}_${digits.join("")}`;
}

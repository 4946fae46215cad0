// Leader election over one Lease: campaigns for ever, and turns a held Lease into terms.
//
// Guarantees: at any instant at most one replica passes its fence. Others wait a whole lease duration from when they saw
// the last renewal; the holder counts its own time from before it sent that renewal, and stops a margin earlier.
// Assumes: monotonic clocks differ in speed by less than fenceMarginMs / leaseDurationMs; identities are unique per process.
// Caveats: the fence is asked before a request is sent, so one that is already under way may land later; writes must be
// safe to repeat from an old cache. Erasing the holder by hand with a duration of one second looks like a release.
import { type Cancel, pause } from "../../kube/clock.ts";
import type { Rand } from "../../kube/rand.ts";
import type { Logger } from "../log/log.ts";
import { type Lead, type Leadership, type LeadershipReadings, settledWithin } from "./leadership.ts";
import { LeaseHolder, type LeaseHolderOptions, type LeaseLimits } from "./lease-holder.ts";
import { NotLeadingError } from "./write-fence.ts";

export type LeadershipLimits = LeaseLimits & {
  /** At most so long between two attempts to renew or acquire. */
  readonly retryMs: number;
};

/** The times that Kubernetes' own components use, and a limit for each request so that two fit into the time to renew. */
export const LEADERSHIP_LIMITS: LeadershipLimits = {
  leaseDurationMs: 15_000,
  fenceMarginMs: 5_000,
  retryMs: 2_000,
  requestTimeoutMs: 3_000,
};

export type LeaseLeadershipOptions = Omit<LeaseHolderOptions, "limits"> & {
  readonly rand: Rand;
  readonly log: Logger;
  readonly limits?: LeadershipLimits;
};

type OpenTerm = {
  readonly abort: AbortController;
  /** Set once, when nothing more may be written in this term. */
  closed: { readonly because: string; readonly atMs: number } | undefined;
  work: Promise<void>;
};

/** Attempts are spread over the last part of the retry time, so that candidates do not move in step. */
const RETRY_JITTER = 0.25;

export class LeaseLeadership implements Leadership {
  readonly #options: LeaseLeadershipOptions;
  readonly #limits: LeadershipLimits;
  readonly #holder: LeaseHolder;
  readonly #log: Logger;
  /** Ends the campaign, with whatever request is under way. */
  readonly #retired = new AbortController();
  #campaign: Promise<void> = Promise.resolve();
  #term: OpenTerm | undefined;
  #isStopping = false;
  #watch: Cancel | undefined;
  #saidWhy = "";

  constructor(options: LeaseLeadershipOptions) {
    this.#options = options;
    this.#limits = options.limits ?? LEADERSHIP_LIMITS;
    this.#holder = new LeaseHolder({ ...options, limits: this.#limits });
    this.#log = options.log.with({ lease: options.name, identity: options.identity });
  }

  start(lead: Lead): void {
    this.#campaign = this.#run(lead);
  }

  async stop(drainMs: number): Promise<void> {
    this.#isStopping = true;
    const reason = new Error("this replica stops");
    const term = this.#term;
    term?.abort.abort(reason);
    // Renewals go on and the fence stays open while the work of the term comes to its end.
    if (term !== undefined) await settledWithin(this.#options.clock, drainMs, term.work);
    const hasWorkLeft = this.#term !== undefined;
    this.#close(reason.message);
    this.#retired.abort(reason);
    await this.#campaign;
    if (hasWorkLeft) this.#log.warn("work of the last term goes on, so the lease is left to expire");
    else await this.#release();
  }

  readings(): LeadershipReadings {
    const closed = this.#term?.closed;
    return {
      isLeading: this.#term !== undefined && closed === undefined && this.#holder.isCertain(),
      overdueMs: closed === undefined ? 0 : this.#options.clock.monotonicMs() - closed.atMs,
    };
  }

  async #run(lead: Lead): Promise<void> {
    const { clock, rand } = this.#options;
    const { signal } = this.#retired;
    while (!signal.aborted) {
      await this.#attempt(lead);
      const delayMs = this.#limits.retryMs * (1 - RETRY_JITTER * rand.next());
      await pause(clock, delayMs, signal).catch(() => undefined);
    }
  }

  async #attempt(lead: Lead): Promise<void> {
    // Work of an ended term may still run; winning the next one now would give its keys to two workers.
    if (this.#term?.closed !== undefined) return;
    try {
      const { isOurs, why } = await this.#holder.attempt(this.#retired.signal);
      if (!isOurs) this.#close(why);
      else if (this.#term === undefined) this.#open(lead);
      this.#watchHold();
      this.#sayOnce(isOurs ? "holding the lease" : "standing by", why);
    } catch (error) {
      if (!this.#retired.signal.aborted) this.#log.warn("cannot renew or claim the lease", { error });
    }
  }

  #open(lead: Lead): void {
    if (this.#isStopping || !this.#holder.isCertain()) return;
    const abort = new AbortController();
    const term: OpenTerm = { abort, closed: undefined, work: Promise.resolve() };
    this.#term = term;
    this.#log.info("leading");
    term.work = lead({ signal: abort.signal, fence: () => this.#assertOpen(term) })
      .catch((error) => this.#log.error("the work of this term failed", { error }))
      .then(() => {
        this.#close("its work has ended");
        this.#term = undefined;
      });
  }

  #assertOpen(term: OpenTerm): void {
    if (term.closed !== undefined) throw new NotLeadingError(`this term is over: ${term.closed.because}`);
    if (!this.#holder.isCertain()) throw new NotLeadingError("the lease was not renewed in time to be certain of it");
  }

  #close(because: string): void {
    const term = this.#term;
    if (term === undefined || term.closed !== undefined) return;
    term.closed = { because, atMs: this.#options.clock.monotonicMs() };
    term.abort.abort(new NotLeadingError(`this term is over: ${because}`));
    this.#log.info("no longer leading", { because });
  }

  /** Steps down on time even while a renewal hangs. */
  #watchHold(): void {
    this.#watch?.();
    this.#watch = undefined;
    if (this.#term === undefined) return;
    // Whole milliseconds: the remainder after an early timer could be too small to move any clock on.
    this.#watch = this.#options.clock.after(Math.max(0, Math.ceil(this.#holder.leftMs())), () => {
      if (this.#holder.leftMs() > 0) this.#watchHold();
      else this.#close("the lease was not renewed in time");
    });
  }

  async #release(): Promise<void> {
    this.#watch?.();
    await this.#holder
      .release(new AbortController().signal)
      .catch((error) => this.#log.warn("cannot release the lease; it will expire", { error }));
  }

  #sayOnce(message: string, why: string): void {
    if (why === this.#saidWhy) return;
    this.#saidWhy = why;
    this.#log.debug(message, { why });
  }
}

// One replica's hold on the Lease: reading it, claiming it, renewing it, giving it back, and knowing for how long it is
// certain to be ours. Knows nothing of what a leader does; lease-leadership.ts calls it in a loop.
import { isAlreadyExists, isConflict, isNotFound } from "../../kube/client/api-error.ts";
import type { Client } from "../../kube/client/client.ts";
import type { Clock } from "../../kube/clock.ts";
import { namedKey, type Stored } from "../../kube/resource.ts";
import { withinTime } from "../../kube/within-time.ts";
import { decideClaim, type SeenLease, seeLease } from "./lease-claim.ts";
import { heldBy, type Lease, type LeaseSpec, leases, readLease, released } from "./lease-record.ts";

export type LeaseLimits = {
  /** Others may take over after so long without a sign of life. Whole seconds. */
  readonly leaseDurationMs: number;
  /** How long before that the holder stops writing and steps down. */
  readonly fenceMarginMs: number;
  readonly requestTimeoutMs: number;
};

export type LeaseHolderOptions = {
  readonly client: Pick<Client, "get" | "create" | "update">;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** Unique per process: see uniqueIdentity. */
  readonly identity: string;
  readonly limits: LeaseLimits;
};

/** What came of one attempt. */
export type Attempt = { readonly isOurs: boolean; readonly why: string };

/** The clocks before a renewal was sent that the server then confirmed. */
type Sent = { readonly ms: number; readonly wallMs: number };

/** A release competes at most with our own last renewal. */
const RELEASE_ATTEMPTS_MAX = 3;

export class LeaseHolder {
  readonly #options: LeaseHolderOptions;
  #lease: Stored<Lease> | undefined;
  #seen: SeenLease | undefined;
  #renewed: Sent | undefined;
  /** Nobody can know who held a Lease that was missing, so whoever makes it waits as if somebody had. */
  #certainFromMs = 0;

  constructor(options: LeaseHolderOptions) {
    this.#options = options;
  }

  /** True while no other replica can have taken the Lease. */
  isCertain(): boolean {
    const { clock } = this.#options;
    if (this.#renewed === undefined || clock.monotonicMs() < this.#certainFromMs) return false;
    // A machine that slept may have stopped its monotonic clock. Believing the clock that says more time has passed can
    // only make us more careful; a wall clock set forward costs the time until the next renewal.
    const wallLeftMs = this.#trustMs() - (clock.wallMs() - this.#renewed.wallMs);
    return Math.min(this.leftMs(), wallLeftMs) > 0;
  }

  /** How long, on the monotonic clock, until we must have stepped down unless we renew. */
  leftMs(): number {
    if (this.#renewed === undefined) return 0;
    return this.#renewed.ms + this.#trustMs() - this.#options.clock.monotonicMs();
  }

  /** Renews the Lease if it is ours, claims it if it may be claimed. Throws when the server cannot be asked. */
  async attempt(signal: AbortSignal): Promise<Attempt> {
    const { identity, clock, limits } = this.#options;
    const known = this.#lease;
    if (known !== undefined && readLease(known).holder === identity && (await this.#claim(known, signal))) {
      return { isOurs: true, why: "renewed" };
    }
    await this.#read(signal);
    const self = { identity, nowMs: clock.monotonicMs(), durationMs: limits.leaseDurationMs };
    const claim = decideClaim(this.#seen, self);
    switch (claim.do) {
      case "wait":
        this.#renewed = undefined;
        return { isOurs: false, why: claim.why };
      case "create":
        return { isOurs: await this.#create(signal), why: claim.why };
      case "take":
        this.#certainFromMs = 0;
        return { isOurs: await this.#claimRead(signal), why: claim.why };
      case "renew":
        return { isOurs: await this.#claimRead(signal), why: claim.why };
    }
  }

  /** Gives the Lease back if it is ours, so that the next holder need not wait. The caller has stopped writing. */
  async release(signal: AbortSignal): Promise<void> {
    this.#renewed = undefined;
    for (let attempts = 0; attempts < RELEASE_ATTEMPTS_MAX; attempts++) {
      await this.#read(signal);
      const lease = this.#lease;
      if (lease === undefined || readLease(lease).holder !== this.#options.identity) return;
      const spec = released(readLease(lease), this.#options.clock.wallMs());
      if (await this.#update(lease, spec, signal)) return;
    }
  }

  #trustMs(): number {
    const { leaseDurationMs, fenceMarginMs } = this.#options.limits;
    return leaseDurationMs - fenceMarginMs;
  }

  /** Both clocks, read before sending: whatever others see of our request, they see later. */
  #now(): Sent {
    const { clock } = this.#options;
    return { ms: clock.monotonicMs(), wallMs: clock.wallMs() };
  }

  async #claimRead(signal: AbortSignal): Promise<boolean> {
    const lease = this.#lease;
    return lease !== undefined && (await this.#claim(lease, signal));
  }

  async #claim(lease: Stored<Lease>, signal: AbortSignal): Promise<boolean> {
    const { identity, limits } = this.#options;
    const sent = this.#now();
    const spec = heldBy(identity, readLease(lease), { wallMs: sent.wallMs, durationMs: limits.leaseDurationMs });
    const isWritten = await this.#update(lease, spec, signal);
    if (isWritten) this.#renewed = sent;
    return isWritten;
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    const { client, identity, name, namespace, limits } = this.#options;
    const sent = this.#now();
    // Set before sending: the answer may be lost and the Lease be ours all the same.
    this.#certainFromMs = sent.ms + limits.leaseDurationMs;
    const spec = heldBy(identity, undefined, { wallMs: sent.wallMs, durationMs: limits.leaseDurationMs });
    const lease: Lease = {
      ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace } },
      spec,
    };
    try {
      this.#remember(await this.#ask(signal, (options) => client.create(leases, lease, options)));
      this.#renewed = sent;
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  /** Replaces the spec of the Lease as it was read; false when somebody else has written or deleted it since. */
  async #update(lease: Stored<Lease>, spec: LeaseSpec, signal: AbortSignal): Promise<boolean> {
    const { client } = this.#options;
    try {
      this.#remember(await this.#ask(signal, (options) => client.update(leases, { ...lease, spec }, options)));
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { client, name, namespace } = this.#options;
    const lease = await this.#ask(signal, (options) => client.get(leases, namedKey(name, namespace), options));
    if (lease !== undefined) return this.#remember(lease);
    this.#lease = undefined;
    this.#seen = undefined;
  }

  #remember(lease: Stored<Lease>): void {
    this.#lease = lease;
    this.#seen = seeLease(this.#seen, readLease(lease), this.#options.clock.monotonicMs());
  }

  #ask<T>(signal: AbortSignal, work: (options: { readonly signal: AbortSignal }) => Promise<T>): Promise<T> {
    const { clock, name, limits } = this.#options;
    const timeoutMs = limits.requestTimeoutMs;
    const late = () => new Error(`no answer about lease "${name}" within ${timeoutMs} ms`);
    return withinTime(clock, { timeoutMs, signal, late }, (inner) => work({ signal: inner }));
  }
}

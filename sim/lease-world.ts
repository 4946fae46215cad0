// Leader election in a small world: one Lease behind an unreliable network, and replicas whose clocks and processes misbehave.
import { ApiError } from "../src/kube/client/api-error.ts";
import type { Client } from "../src/kube/client/client.ts";
import type { Cancel, Clock } from "../src/kube/clock.ts";
import type { Rand } from "../src/kube/rand.ts";
import type { Stored } from "../src/kube/resource.ts";
import { type Term, uniqueIdentity } from "../src/runtime/lease/leadership.ts";
import { LeaseLeadership } from "../src/runtime/lease/lease-leadership.ts";
import type { Lease } from "../src/runtime/lease/lease-record.ts";
import { logToList } from "../src/runtime/log/testing/log-to-list.ts";
import { seededRand } from "./seeded-rand.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** A replica's own idea of time, and whether it runs at all. */
export class Machine implements Clock {
  readonly #base: VirtualClock;
  readonly #speed: number;
  #wallOffsetMs = 0;
  #standstill: { readonly sinceMs: number } | undefined;
  #stoodStillMs = 0;
  #missed: (() => void)[] = [];
  isAwake = true;
  isDead = false;
  isCutOff = false;

  constructor(base: VirtualClock, speed: number) {
    this.#base = base;
    this.#speed = speed;
  }

  wallMs(): number {
    return this.#base.wallMs() + this.#wallOffsetMs;
  }

  monotonicMs(): number {
    const stillMs = this.#standstill === undefined ? 0 : this.#base.monotonicMs() - this.#standstill.sinceMs;
    return (this.#base.monotonicMs() - this.#stoodStillMs - stillMs) * this.#speed;
  }

  after(delayMs: number, work: () => void): Cancel {
    return this.#base.after(delayMs / this.#speed, () => this.deliver(work));
  }

  /** Runs work of this process now, or when it wakes up, or never. */
  deliver(work: () => void): void {
    if (this.isDead) return;
    if (this.isAwake) work();
    else this.#missed.push(work);
  }

  jumpWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  reconnect(): void {
    this.isCutOff = false;
  }

  /** Stops the process; `stopsClock` is a machine that sleeps, monotonic clock included. */
  sleep(how: { readonly stopsClock: boolean }): void {
    this.isAwake = false;
    if (how.stopsClock) this.#standstill ??= { sinceMs: this.#base.monotonicMs() };
  }

  wake(): void {
    if (this.#standstill !== undefined) this.#stoodStillMs += this.#base.monotonicMs() - this.#standstill.sinceMs;
    this.#standstill = undefined;
    this.isAwake = true;
    for (const work of this.#missed.splice(0)) this.deliver(work);
  }
}

/** The server's Lease, with optimistic concurrency, and the network in front of it. */
export class LeaseWorld {
  readonly clock = new VirtualClock();
  readonly #rand: Rand;
  lease: Stored<Lease> | undefined;
  #version = 0;
  isNetworkBad = true;

  constructor(rand: Rand) {
    this.#rand = rand;
  }

  client(machine: Machine): Pick<Client, "get" | "create" | "update"> {
    const call = <T>(serve: () => T) => this.#call(machine, serve);
    return {
      get: () => call(() => JSON.parse(JSON.stringify(this.lease ?? null)) ?? undefined),
      create: (_, lease) => call(() => this.#write(lease, this.lease === undefined, "AlreadyExists")),
      update: (_, lease) => {
        const version = lease.metadata.resourceVersion;
        return call(() => {
          if (this.lease === undefined) throw refusal(404, "NotFound");
          return this.#write(lease, this.lease.metadata.resourceVersion === version, "Conflict");
        });
      },
    };
  }

  #write<T>(lease: T, isAllowed: boolean, reason: string): T & Stored<Lease> {
    if (!isAllowed) throw refusal(409, reason);
    this.#version += 1;
    const copy = JSON.parse(JSON.stringify(lease));
    const stored = { ...copy, metadata: { ...copy.metadata, uid: "u", resourceVersion: String(this.#version) } };
    this.lease = stored;
    return stored;
  }

  #call<T>(machine: Machine, serve: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#travel(machine, () => {
        const answer = settle(serve);
        this.#travel(machine, () =>
          machine.deliver(() => ("value" in answer ? resolve(answer.value) : reject(answer.error))),
        );
      });
    });
  }

  /** A message arrives late, or not at all; the one who waits for it finds out by its own timeout. */
  #travel(machine: Machine, arrive: () => void): void {
    const isLost = this.isNetworkBad && this.#rand.next() < 0.05;
    const isSlow = this.isNetworkBad && this.#rand.next() < 0.05;
    const delayMs = isSlow ? this.#rand.next() * 12_000 : this.#rand.next() * 100;
    if (!isLost) this.clock.after(delayMs, () => machine.isCutOff || arrive());
  }
}

function settle<T>(serve: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: serve() };
  } catch (error) {
    return { error };
  }
}

function refusal(status: number, reason: string): ApiError {
  return new ApiError({ status, reason, message: "as the test wants", method: "PUT", path: "/lease" });
}

/** A replica with every term it ever had; its work ends a while after it is told to. */
export class Replica {
  readonly machine: Machine;
  readonly leadership: LeaseLeadership;
  readonly terms: Term[] = [];
  readonly lines = logToList();
  isWorking = false;

  constructor(world: LeaseWorld, rand: Rand, name: string) {
    this.machine = new Machine(world.clock, rand.next() < 0.5 ? 0.87 : 1.13);
    this.leadership = new LeaseLeadership({
      ...{ client: world.client(this.machine), clock: this.machine, rand, log: this.lines.log },
      ...{ namespace: "ns", name: "lease", identity: uniqueIdentity(name, rand) },
    });
    this.leadership.start((term) => {
      this.terms.push(term);
      this.isWorking = true;
      return new Promise((resolve) => {
        const end = () => {
          this.isWorking = false;
          resolve();
        };
        term.signal.addEventListener("abort", () => void this.machine.after(rand.next() * 3_000, end));
      });
    });
  }

  /** How many of its terms, past ones included, would let a write out at this instant. */
  open(): number {
    if (!this.machine.isAwake || this.machine.isDead) return 0;
    return this.terms.filter((term) => passes(term)).length;
  }
}

function passes(term: Term): boolean {
  try {
    term.fence();
    return true;
  } catch {
    return false;
  }
}

/** Replicas in a world of their own, and time that passes event by event. */
export async function aLeaseWorld(count: number, seed = 1) {
  const rand = seededRand(seed);
  const world = new LeaseWorld(rand);
  const replicas = Array.from({ length: count }, (_, i) => new Replica(world, rand, `replica-${i}`));
  /** Lets time pass event by event, and looks after each. */
  const pass = async (ms: number, look: () => void = () => {}) => {
    const end = world.clock.monotonicMs() + ms;
    for (let due = world.clock.nextDueMs(); due !== undefined && due <= end; due = world.clock.nextDueMs()) {
      await world.clock.elapse(due - world.clock.monotonicMs());
      look();
    }
    await world.clock.elapse(end - world.clock.monotonicMs());
    look();
  };
  const leader = () => replicas.find((replica) => replica.open() > 0);
  return { world, replicas, pass, leader, rand };
}

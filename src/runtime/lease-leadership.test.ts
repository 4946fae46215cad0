// Leader election in a small world: one Lease behind an unreliable network, and replicas whose clocks and processes misbehave.
import { array, asyncProperty, constantFrom, integer, oneof, record, assert as verify } from "fast-check";
import { expect, test } from "vitest";
import { seededRand } from "../../sim/seeded-rand.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { ApiError } from "../kube/api-error.ts";
import type { Client } from "../kube/client.ts";
import type { Cancel, Clock } from "../kube/clock.ts";
import type { Rand } from "../kube/rand.ts";
import type { Stored } from "../kube/resource.ts";
import { type Term, uniqueIdentity } from "./leadership.ts";
import { LEADERSHIP_LIMITS, LeaseLeadership } from "./lease-leadership.ts";
import type { Lease } from "./lease-record.ts";
import { logToList } from "./log-to-list.ts";

/** A replica's own idea of time, and whether it runs at all. */
class Machine implements Clock {
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
class LeaseWorld {
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
class Replica {
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

async function aWorld(count: number, seed = 1) {
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

const kinds = ["cut", "freeze", "crash", "jump", "delete"] as const;
const fault = (...allowed: readonly (typeof kinds)[number][] | readonly ("sleep" | "cut" | "forward")[]) =>
  record({
    kind: constantFrom<(typeof kinds)[number] | "sleep" | "forward">(...allowed),
    /** 0 is whoever leads. */
    who: integer({ min: 0, max: 2 }),
    afterMs: integer({ min: 0, max: 25_000 }),
    forMs: oneof(integer({ min: 100, max: 40_000 }), integer({ min: 15_000, max: 40_000 })),
    jumpMs: integer({ min: -4 * 3_600_000, max: 4 * 3_600_000 }),
  });

type Fault = { kind: string; who: number; afterMs: number; forMs: number; jumpMs: number };

/** Long enough for a lost Lease to be made anew: creator's wait, one lease duration, and the slowest requests. */
const AGAIN_WITHIN_MS = 60_000;

async function play(seed: number, count: number, faults: readonly Fault[]) {
  const { world, replicas, pass, rand } = await aWorld(count, seed);
  const lookForTwo = () => {
    const open = replicas.map((replica) => replica.open());
    expect(
      open.reduce((sum, one) => sum + one, 0),
      `fences open per replica: ${open}`,
    ).toBeLessThanOrEqual(1);
  };
  const heal: Record<string, (machine: Machine) => void> = {
    cut: (machine) => machine.reconnect(),
    freeze: (machine) => machine.wake(),
    sleep: (machine) => machine.wake(),
  };
  for (const { kind, who, afterMs, forMs, jumpMs } of faults) {
    await pass(afterMs, lookForTwo);
    const leader = replicas.find((replica) => replica.open() > 0);
    const victim = (who === 0 ? leader : undefined) ?? replicas[who % replicas.length];
    if (victim === undefined || victim.machine.isDead) continue;
    const { machine } = victim;
    if (kind === "cut") machine.isCutOff = true;
    if (kind === "freeze") machine.sleep({ stopsClock: false });
    if (kind === "sleep") machine.sleep({ stopsClock: true });
    if (kind === "jump") machine.jumpWall(jumpMs);
    if (kind === "forward") machine.jumpWall(Math.abs(jumpMs));
    if (kind === "delete") world.lease = undefined;
    if (kind === "crash") {
      machine.isDead = true;
      replicas.push(new Replica(world, rand, `replica-${replicas.length}`));
    }
    world.clock.after(forMs, () => heal[kind]?.(machine));
  }
  await pass(40_000, lookForTwo);
  world.isNetworkBad = false;
  await pass(AGAIN_WITHIN_MS, lookForTwo);
  expect(
    replicas.filter((replica) => replica.open() > 0),
    "somebody leads again",
  ).toHaveLength(1);
}

const seed = integer({ min: 0 });
const slow = { timeout: 60_000 };
const candidates = integer({ min: 2, max: 3 });

test(
  "never two fences open at once, and somebody leads again, under cuts, freezes, crashes, wall jumps and deletions",
  slow,
  async () => {
    await verify(asyncProperty(seed, candidates, array(fault(...kinds), { maxLength: 8, size: "max" }), play), {
      numRuns: 60,
    });
  },
);

test(
  "the same holds for machines that sleep with their monotonic clock, as long as no wall clock goes back",
  slow,
  async () => {
    const faults = array(fault("sleep", "cut", "forward"), { maxLength: 8, size: "max" });
    await verify(asyncProperty(seed, candidates, faults, play), { numRuns: 40 });
  },
);

test("a lease that an installer left empty is taken at once, a missing one is created and waited for", async () => {
  const { world, pass, leader } = await aWorld(1);
  world.isNetworkBad = false;
  await pass(1_000);
  expect(world.lease?.spec?.holderIdentity).toMatch(/^replica-0_[0-9a-f]{8}$/);
  expect(leader()).toBeUndefined();
  await pass(LEADERSHIP_LIMITS.leaseDurationMs + LEADERSHIP_LIMITS.retryMs);
  expect(leader()).toBeDefined();

  const installed = await aWorld(1);
  installed.world.isNetworkBad = false;
  installed.world.lease = {
    ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
    metadata: { name: "lease", namespace: "ns", uid: "u", resourceVersion: "0" },
  };
  await installed.pass(1_000);
  expect(installed.leader()).toBeDefined();
});

async function aLedWorld(count: number) {
  const made = await aWorld(count);
  made.world.isNetworkBad = false;
  await made.pass(40_000);
  const first = made.leader();
  if (first === undefined) throw new Error("nobody leads");
  return { ...made, first };
}

test("a leader that stops hands over within one retry and after its work has ended", async () => {
  const { world, replicas, pass, leader, first } = await aLedWorld(2);
  const other = replicas.find((replica) => replica !== first);
  const transitions = world.lease?.spec?.leaseTransitions ?? 0;
  const stopped = first.leadership.stop(10_000);
  await pass(3_500, () => {
    if (first.isWorking) expect(world.lease?.spec?.holderIdentity, "ours until the work has ended").toMatch(/^replica/);
  });
  await stopped;
  expect(first.open()).toBe(0);
  await pass(LEADERSHIP_LIMITS.retryMs + 400);
  expect(leader()).toBe(other);
  expect(world.lease?.spec?.leaseTransitions).toBe(transitions + 1);
});

test("a leader whose work does not end leaves the lease to expire and says so", async () => {
  const { world, pass, first } = await aLedWorld(1);
  const held = world.lease?.spec?.holderIdentity;
  const stopped = first.leadership.stop(0);
  await pass(5);
  await stopped;
  expect([first.open(), world.lease?.spec?.holderIdentity]).toEqual([0, held]);
  expect(first.lines.lines.map(({ message }) => message)).toContain(
    "work of the last term goes on, so the lease is left to expire",
  );
});

test("a leader that is cut off stops writing before anybody else may start, and its work is told to end", async () => {
  const { pass, leader, replicas, first } = await aLedWorld(2);
  first.machine.isCutOff = true;
  const { leaseDurationMs, fenceMarginMs } = LEADERSHIP_LIMITS;
  await pass((leaseDurationMs - fenceMarginMs) * 1.2);
  expect([first.open(), first.terms.at(-1)?.signal.aborted]).toEqual([0, true]);
  await pass(leaseDurationMs);
  expect(leader()).toBe(replicas.find((replica) => replica !== first));
  first.machine.isCutOff = false;
  await pass(60_000);
  expect(first.leadership.readings()).toEqual({ isLeading: false, overdueMs: 0 });
});

test("a wall clock set forward closes the fence until the next renewal, without ending the term", async () => {
  const { pass, first } = await aLedWorld(1);
  first.machine.jumpWall(3_600_000);
  expect(first.open()).toBe(0);
  await pass(LEADERSHIP_LIMITS.retryMs + 400);
  expect([first.open(), first.terms.length]).toEqual([1, 1]);
});

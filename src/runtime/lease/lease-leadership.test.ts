// Who leads, and who may write, whatever happens to clocks, processes, the network and the Lease itself.
import { array, asyncProperty, constantFrom, integer, oneof, record, assert as verify } from "fast-check";
import { expect, test } from "vitest";
import { aLeaseWorld, type Machine, Replica } from "../../../sim/lease-world.ts";
import { LEADERSHIP_LIMITS } from "./lease-leadership.ts";

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
  const { world, replicas, pass, rand } = await aLeaseWorld(count, seed);
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
  const { world, pass, leader } = await aLeaseWorld(1);
  world.isNetworkBad = false;
  await pass(1_000);
  expect(world.lease?.spec?.holderIdentity).toMatch(/^replica-0_[0-9a-f]{8}$/);
  expect(leader()).toBeUndefined();
  await pass(LEADERSHIP_LIMITS.leaseDurationMs + LEADERSHIP_LIMITS.retryMs);
  expect(leader()).toBeDefined();

  const installed = await aLeaseWorld(1);
  installed.world.isNetworkBad = false;
  installed.world.lease = {
    ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
    metadata: { name: "lease", namespace: "ns", uid: "u", resourceVersion: "0" },
  };
  await installed.pass(1_000);
  expect(installed.leader()).toBeDefined();
});

async function aLedWorld(count: number) {
  const made = await aLeaseWorld(count);
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

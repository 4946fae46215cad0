// One history from its first moment to its verdict: things go wrong for a while; then all must become as it should be, and
// stay so without another write.
import type { Failure } from "./oracles.ts";
import type { Tape } from "./tape.ts";
import { createWorld, type World, type WorldOptions } from "./world.ts";

export type History = {
  /** Undefined when everything held. */
  readonly failure: Failure | undefined;
  readonly tape: Tape;
  /** The same in every run of the same tape on the same code. */
  readonly fingerprint: string;
  readonly steps: number;
  readonly writes: number;
  readonly virtualMs: number;
  /** The faults that this run had. */
  readonly faults: readonly string[];
  /** Empty unless it was asked for. */
  readonly trace: readonly string[];
};

/** How often the world's own faults get an occasion. */
const TICK_MS = 500;
/** How often one looks whether all has become as it should be. */
const LOOK_MS = 1_000;

/** Runs a history. It throws only for our own mistakes; whatever the cluster does wrong is in the result. */
export async function runHistory(options: WorldOptions): Promise<History> {
  const { scenario } = options;
  const restoreStacks = leaveOutStacks(options);
  const world = createWorld(options);
  const unhandled = (error: unknown) =>
    world.fail("Uncaught", `a rejected promise that nobody awaits: ${String(error)}`);
  process.on("unhandledRejection", unhandled);
  try {
    await scenario.setUp(world);
    const stopTicks = tick(world, options);
    await elapse(world, scenario.faultsMs);
    stopTicks();
    if (world.failure() === undefined) await settle(world, options);
  } finally {
    process.off("unhandledRejection", unhandled);
    restoreStacks();
    for (const host of world.hosts.values()) for (const life of host.lives) life.crash();
  }
  return {
    failure: world.failure(),
    tape: world.decisions.tapeOf(scenario.name),
    fingerprint: world.trace.fingerprint(),
    steps: world.trace.steps,
    writes: world.server.revision(),
    virtualMs: world.clock.monotonicMs(),
    faults: world.faults.names(),
    trace: world.trace.lines,
  };
}

/**
 * Errors are part of every history with faults, and where they were made is a twentieth of its cost. Nobody reads that but in the
 * trace of a failure, and a run that keeps a trace has it.
 */
function leaveOutStacks({ keepsTrace = false }: WorldOptions): () => void {
  const { stackTraceLimit } = Error;
  if (!keepsTrace) Error.stackTraceLimit = 0;
  return () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
}

function tick(world: World, { scenario }: WorldOptions): () => void {
  const faults = scenario.worldFaults.map((one) => ({ ...one, fault: world.faults.fault(one.name) }));
  let isOver = false;
  const beat = () => {
    if (isOver) return;
    for (const { fault, strike, name } of faults) {
      if (!fault.strikes()) continue;
      const what = strike(world, fault);
      if (what !== undefined) world.trace.add("world", `${name}: ${what}`);
    }
    world.clock.after(TICK_MS, beat);
  };
  world.clock.after(TICK_MS, beat);
  return () => {
    isOver = true;
  };
}

/** Lets time pass until an instant, the first failure or something else; timers without end at one instant are a failure. */
async function elapse(world: World, endMs: number, isEnough: () => boolean = () => false): Promise<void> {
  const isOver = () => world.failure() !== undefined || isEnough();
  await world.clock.elapseUntil(endMs, isOver).catch((error: unknown) => world.fail("GoesOn", String(error)));
}

async function settle(world: World, { scenario }: WorldOptions): Promise<void> {
  const { clock } = world;
  world.faults.end();
  for (const host of world.hosts.values()) host.calm();
  world.trace.add("world", "the faults are over");
  const hasFailed = () => world.failure() !== undefined;
  const endMs = clock.monotonicMs() + scenario.settleMs;
  let why = scenario.unsettled(world.state);
  while (!hasFailed()) {
    const last = world.lastWrite();
    const isSettled = why === undefined;
    const quietAtMs = last.atMs + scenario.quietMs;
    if (isSettled && clock.monotonicMs() >= quietAtMs) return;
    if (clock.monotonicMs() >= endMs) break;
    // What is as it should be need not be looked at again before somebody writes, or the quiet has lasted long enough.
    const nextMs = isSettled ? quietAtMs : clock.monotonicMs() + LOOK_MS;
    await elapse(world, Math.min(endMs, nextMs), () => isSettled && world.lastWrite() !== last);
    why = scenario.unsettled(world.state);
  }
  if (hasFailed()) return;
  if (why !== undefined) return world.fail("Settles", `after ${scenario.settleMs} ms without faults: ${why}`);
  const { atMs, what } = world.lastWrite();
  world.fail("Quiet", `${what} at ${atMs} ms, though all was as it should be`);
}

// Timing of several works against each other: warmed up, repeated until a round is long enough to trust its clock,
// interleaved round by round (ABAB…), and in processor time, because the machine is never quiet.
import { cpuUsage } from "node:process";

export type Work = {
  readonly name: string;
  /** How many operations one iteration performs. */
  readonly operations: number;
  /** Performs the iterations and gives the processor time that its process took for them, in nanoseconds. */
  run(iterations: number): number | Promise<number>;
};

export type MeasureOptions = {
  readonly rounds: number;
  /** How long one work runs in one round, about. */
  readonly roundMs: number;
};

/** A work so cheap that this many iterations stay below the length of a round is not worth a longer one. */
const ITERATIONS_MAX = 2 ** 30;
/** A work runs this many rounds' time before it counts: by then its code is optimised. */
const WARM_UP_ROUNDS = 10;
const NS_PER_MS = 1e6;
const NS_PER_US = 1e3;

/** Nanoseconds per operation of every work, in the order given: one value per round. */
export async function measure(
  works: readonly Work[],
  { rounds, roundMs }: MeasureOptions,
): Promise<readonly (readonly number[])[]> {
  const iterations: number[] = [];
  for (const work of works) iterations.push(await calibrate(work, roundMs * NS_PER_MS));
  const taken = works.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, work] of works.entries()) {
      const count = iterations[index] ?? 1;
      taken[index]?.push((await work.run(count)) / count / work.operations);
    }
  }
  return taken;
}

/** Warms the code up and finds how many iterations fill a round. */
async function calibrate(work: Work, roundNs: number): Promise<number> {
  let iterations = 1;
  let spentNs = 0;
  for (;;) {
    const cpuNs = await work.run(iterations);
    spentNs += cpuNs;
    const isLongEnough = cpuNs >= roundNs / 2 || iterations >= ITERATIONS_MAX;
    const isWarm = spentNs >= WARM_UP_ROUNDS * roundNs || iterations >= ITERATIONS_MAX;
    if (isLongEnough && isWarm) return Math.max(1, Math.round((iterations * roundNs) / Math.max(cpuNs, 1)));
    if (!isLongEnough) iterations *= 2;
  }
}

/** A work of this process; what each iteration returns is added up, so that the compiler cannot drop it. */
export function inProcess(name: string, operations: number, once: () => number): Work {
  let sum = 0;
  return {
    name,
    operations,
    run(iterations) {
      const start = cpuUsage();
      for (let at = 0; at < iterations; at++) sum += once();
      const { user, system } = cpuUsage(start);
      if (Number.isNaN(sum)) throw new Error(`${name} did not return numbers`);
      return (user + system) * NS_PER_US;
    },
  };
}

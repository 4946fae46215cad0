// Who runs next. All simulated processes share one processor: what has reached them at the same instant waits here, and a seed
// may change its order, or give each lane a priority while every step takes its time, so that the low ones fall far behind.
//
// The second is probabilistic concurrency testing: with random priorities that are lowered at d random points, an order of
// d + 1 events that does harm is found with a probability that does not depend on how many others lie between them.
import type { Clock } from "../../src/kube/clock.ts";
import type { Fault, FaultSpec, Faults } from "./faults/faults.ts";

/** Where a step comes from: the timers of a process, its answers, or one of its streams. */
export type Lane = {
  readonly name: string;
  /** Steps of one connection keep their order. */
  readonly isInOrder: boolean;
};

/** The faults of the order. Both are drawn once for a whole history; the rate of the first is also that of each tie. */
export const orderFaults: readonly FaultSpec[] = [
  { name: "tie-order", rate: 1 },
  { name: "priorities", rate: 1 },
];

/** How long a step keeps the processor when there are priorities: with steps of no length nobody would ever wait. */
const stepsMs = [0.5, 1, 2, 5, 10];
const PRIORITIES = 8;
const CHANGES_MAX = 5;
/** Changes of priorities come within so many steps, about as many as a history has while things go wrong. */
const CHANGE_STEPS = 3_000;
/** Nobody waits for longer: a process that never runs is another fault. */
const WAIT_MAX_MS = 3_000;

type Job = { readonly lane: Lane; readonly actor: string; readonly sinceMs: number; readonly work: () => void };

export class Processor {
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #ties: Fault;
  readonly #drawnPriority: Fault;
  readonly #priorities = new Map<string, number>();
  /** After which steps the lane that had the step falls behind all others. */
  readonly #changes: readonly number[];
  readonly #hasTies: boolean;
  readonly #stepMs: number;
  readonly #ready: Job[] = [];
  #isBusy = false;
  #steps = 0;

  constructor(clock: Clock, faults: Faults) {
    this.#clock = clock;
    this.#faults = faults;
    this.#ties = faults.fault("tie-order");
    this.#hasTies = this.#ties.strikes();
    const priorities = faults.fault("priorities");
    this.#drawnPriority = faults.fault("priority");
    const hasPriorities = priorities.strikes();
    this.#stepMs = hasPriorities ? (stepsMs[priorities.pick(stepsMs.length)] ?? 0) : 0;
    const changes = hasPriorities ? 1 + priorities.pick(CHANGES_MAX) : 0;
    this.#changes = Array.from({ length: changes }, () => priorities.pick(CHANGE_STEPS));
  }

  /** Runs a step of a process: now, unless this history has an order of its own. */
  run(role: string, lane: Lane, work: () => void): void {
    const isPlain = !this.#hasTies && this.#stepMs === 0;
    if (isPlain) work();
    else this.#queue(role, lane, work);
  }

  #queue(role: string, lane: Lane, work: () => void): void {
    this.#ready.push({ lane, actor: `${role} ${lane.name}`, sinceMs: this.#clock.monotonicMs(), work });
    if (this.#isBusy) return;
    this.#isBusy = true;
    // Behind everything that is due at this instant.
    this.#clock.after(0, () => this.#step());
  }

  #step(): void {
    const job = this.#next();
    if (job === undefined) {
      this.#isBusy = false;
      return;
    }
    this.#ready.splice(this.#ready.indexOf(job), 1);
    this.#steps += 1;
    const change = this.#changes.indexOf(this.#steps);
    if (change >= 0) this.#priorities.set(job.actor, PRIORITIES + change);
    job.work();
    this.#clock.after(this.#faults.areOver ? 0 : this.#stepMs, () => this.#step());
  }

  #next(): Job | undefined {
    const [oldest] = this.#ready;
    if (oldest === undefined || this.#ready.length === 1 || this.#faults.areOver) return oldest;
    if (this.#clock.monotonicMs() - oldest.sinceMs > WAIT_MAX_MS) return oldest;
    const heads = this.#ready.filter((job, at) => !job.lane.isInOrder || this.#firstOf(job.lane) === at);
    if (this.#stepMs === 0) return this.#drawn(heads);
    const highest = Math.min(...heads.map((job) => this.#priorityOf(job)));
    return this.#drawn(heads.filter((job) => this.#priorityOf(job) === highest));
  }

  #drawn(jobs: readonly Job[]): Job | undefined {
    const isDrawn = this.#hasTies && jobs.length > 1 && this.#ties.strikes();
    return jobs[isDrawn ? this.#ties.pick(jobs.length) : 0];
  }

  #firstOf(lane: Lane): number {
    return this.#ready.findIndex((job) => job.lane === lane);
  }

  /** Low numbers run first. */
  #priorityOf({ actor }: Job): number {
    const known = this.#priorities.get(actor) ?? this.#drawnPriority.pick(PRIORITIES);
    this.#priorities.set(actor, known);
    return known;
  }
}

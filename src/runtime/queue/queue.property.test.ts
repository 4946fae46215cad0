// The queue against the simplest thing that could be right: one record per key, looked at in full after every step.
import { array, constant, integer, oneof, property, record, assert as verify } from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { backOffMs } from "./back-off.ts";
import { type Ending, type Priority, Queue, type QueueLimits } from "./queue.ts";

type Step =
  | { readonly do: "add"; readonly key: string; readonly afterMs: number; readonly priority: Priority }
  | { readonly do: "take" }
  | { readonly do: "done"; readonly nth: number; readonly ending: Ending }
  | { readonly do: "pass"; readonly ms: number };

type Modelled = {
  busy: boolean;
  wanted: { dueMs: number; priority: Priority } | undefined;
  priority: Priority;
  restUntilMs: number;
  failures: number;
};

const noJitter = { next: () => 0 };
const key = oneof(...["a", "b", "c", "d", "e"].map((one) => constant(one)));
const priority = oneof(constant<Priority>("live"), constant<Priority>("backlog"));
const ending = oneof(
  constant<Ending>({ result: "success" }),
  constant<Ending>({ result: "failure" }),
  record({ result: constant("success" as const), againInMs: integer({ min: 0, max: 60 }) }),
);
const step = oneof(
  record({ do: constant("add" as const), key, afterMs: oneof(constant(0), integer({ min: 0, max: 60 })), priority }),
  record({ do: constant("take" as const) }),
  record({ do: constant("done" as const), nth: integer({ min: 0, max: 4 }), ending }),
  record({ do: constant("pass" as const), ms: integer({ min: 1, max: 40 }) }),
);

class Model {
  readonly keys = new Map<string, Modelled>();
  readonly clock: VirtualClock;
  readonly limits: QueueLimits;

  constructor(clock: VirtualClock, limits: QueueLimits) {
    this.clock = clock;
    this.limits = limits;
  }

  want(name: string, dueMs: number, how: Priority): void {
    const known = this.keys.get(name);
    const key = known ?? { busy: false, wanted: undefined, priority: how, restUntilMs: 0, failures: 0 };
    const isLive = how === "live" || key.wanted?.priority === "live";
    key.wanted = { dueMs: Math.min(dueMs, key.wanted?.dueMs ?? dueMs), priority: isLive ? "live" : "backlog" };
    this.keys.set(name, key);
  }

  ready(how?: Priority): readonly string[] {
    return this.#waiting((dueMs) => dueMs <= this.clock.monotonicMs(), how);
  }

  delayed(): readonly string[] {
    return this.#waiting((dueMs) => dueMs > this.clock.monotonicMs());
  }

  busy(): readonly string[] {
    return [...this.keys].filter(([, one]) => one.busy).map(([name]) => name);
  }

  take(name: string): void {
    const one = this.#the(name);
    one.priority = one.wanted?.priority ?? "live";
    one.busy = true;
    one.wanted = undefined;
    one.restUntilMs = this.clock.monotonicMs() + this.limits.spacingMs;
  }

  done(name: string, how: Ending): void {
    const one = this.#the(name);
    const nowMs = this.clock.monotonicMs();
    one.busy = false;
    one.restUntilMs = Math.max(one.restUntilMs, nowMs + this.limits.spacingMs / 5);
    one.failures = how.result === "success" ? 0 : one.failures + 1;
    if (how.result === "failure") {
      this.want(name, nowMs + backOffMs(this.limits.backOff, one.failures, noJitter), one.priority);
    } else if (how.againInMs !== undefined) {
      this.want(name, nowMs + how.againInMs, one.priority);
    }
  }

  #the(name: string): Modelled {
    const one = this.keys.get(name);
    if (one === undefined) throw new Error(`the queue handed out "${name}", which nobody added`);
    return one;
  }

  #waiting(isDue: (dueMs: number) => boolean, how?: Priority): readonly string[] {
    const matches = (one: Modelled) =>
      !one.busy &&
      one.wanted !== undefined &&
      isDue(Math.max(one.wanted.dueMs, one.restUntilMs)) &&
      (how === undefined || one.wanted.priority === how);
    return [...this.keys].filter(([, one]) => matches(one)).map(([name]) => name);
  }
}

function takeOne(queue: Queue<string>, model: Model, handedOut: number): boolean {
  const ready = model.ready();
  const live = model.ready("live");
  const taken = queue.take();
  if (taken === undefined) {
    expect(ready, "keys that are ready must be handed out").toEqual([]);
    return false;
  }
  expect(model.busy(), "a key is never held by two workers").not.toContain(taken.key);
  expect(ready, "a key is handed out only when it is wanted, due and rested").toContain(taken.key);
  expect(taken.attempt).toBe((model.keys.get(taken.key)?.failures ?? 0) + 1);
  const isBacklogTurn = (handedOut + 1) % 8 === 0;
  if (live.length > 0 && !isBacklogTurn) expect(live).toContain(taken.key);
  model.take(taken.key);
  return true;
}

function play(steps: readonly Step[], spacingMs: number): void {
  const clock = new VirtualClock();
  const limits: QueueLimits = { backOff: { baseMs: 5, maxMs: 100 }, spacingMs, keysMax: 100 };
  const queue = new Queue<string>({ clock, rand: noJitter }, limits, () => {});
  const model = new Model(clock, limits);
  let handedOut = 0;
  for (const step of steps) {
    if (step.do === "add") {
      queue.add(step.key, step);
      model.want(step.key, clock.monotonicMs() + step.afterMs, step.priority);
    }
    if (step.do === "take" && takeOne(queue, model, handedOut)) handedOut += 1;
    const held = model.busy();
    const name = step.do === "done" ? held[step.nth % held.length] : undefined;
    if (step.do === "done" && name !== undefined) {
      queue.done(name, step.ending);
      model.done(name, step.ending);
    }
    if (step.do === "pass") clock.advance(step.ms);
    const { depth, delayed, busy } = queue.readings();
    expect([depth, delayed, busy]).toEqual([model.ready().length, model.delayed().length, model.busy().length]);
  }
  for (const name of model.busy()) {
    queue.done(name, { result: "success" });
    model.done(name, { result: "success" });
  }
  clock.advance(1_000);
  while (takeOne(queue, model, handedOut)) handedOut += 1;
  expect(
    [...model.keys.values()].filter((one) => one.wanted !== undefined),
    "no wake-up is lost",
  ).toEqual([]);
}

test.each([0, 25])(
  "under any interleaving no wake-up is lost and no key has two workers (spacing %i ms)",
  { timeout: 30_000 },
  async (spacing) => {
    await verify(
      property(array(step, { maxLength: 120, size: "max" }), (steps) => play(steps, spacing)),
      { numRuns: 300 },
    );
  },
);

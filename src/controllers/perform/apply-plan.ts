// Performs a plan: each step once all those that it waits for are done, independent ones side by side, creates with a slow start.
//
// Guarantees: a step that fails stops those that wait for it and no others; every step of the plan has a result.
// Assumes: `perform` turns trouble into results. What it throws is our mistake, and ends the pass.
//
// This folder performs plans. Beside this file:
//   perform-step, step-performer, step-result      one step, sent once, its result a value
//   perform-create, perform-apply, perform-status  the three writes with rules of their own
//   on-behalf, label-holders                       field managers: who owns what
//   status-patch                                   the status to store
//   slow-start, refusals                           creates begin with few; refused writes go last
//   check-premises                                 reads again what a delete relies on
import type { Plan } from "../../core/decision/plan.ts";
import { type Step, stepId, targetOf } from "../../core/decision/step.ts";
import { CONCURRENCY_BOUNDS } from "../../kube/client/concurrency-limit.ts";
import type { Rand } from "../../kube/rand.ts";
import type { SlowStart, SlowStarts } from "./slow-start.ts";
import type { StepResult, StepResults } from "./step-result.ts";

export type ApplyLimits = {
  /** Steps of one pass; the rest waits for the next, which sees what came of these. */
  readonly stepsMax: number;
  /** Steps under way at once: as many as the client ever lets leave. More would only wait there, each with a timer and memory of its own. */
  readonly inFlightMax: number;
};

export const APPLY_LIMITS: ApplyLimits = { stepsMax: 500, inFlightMax: CONCURRENCY_BOUNDS.max };

export type ApplyPorts = {
  readonly rand: Rand;
  /** What earlier passes have proven about creates. */
  readonly starts: SlowStarts;
  /** No step starts after it is aborted. */
  readonly signal: AbortSignal;
  /** Whether what the plan was decided about is still so; what has not started by then is left to the next plan. */
  readonly isWanted?: () => boolean;
  readonly limits?: ApplyLimits;
};

export type Perform = (step: Step) => Promise<StepResult>;

/** Performs the steps of an ordered plan and tells what came of each. */
export function applyPlan(plan: Plan, perform: Perform, ports: ApplyPorts): Promise<StepResults> {
  return new Pass(plan, perform, ports).run();
}

type Item = { readonly step: Step; readonly id: string };

/** Steps that start in the order of the plan; creates of one sort share a lane and its slow start. */
type Lane = {
  readonly start: SlowStart | undefined;
  items: readonly Item[];
  /** The place of the first that waits. */
  next: number;
};

class Pass {
  readonly #perform: Perform;
  readonly #ports: ApplyPorts;
  readonly #limits: ApplyLimits;
  readonly #results = new Map<string, StepResult>();
  readonly #finished = Promise.withResolvers<StepResults>();
  readonly #lanes: readonly Lane[];
  #inFlight = 0;

  constructor(plan: Plan, perform: Perform, ports: ApplyPorts) {
    this.#perform = perform;
    this.#ports = ports;
    this.#limits = ports.limits ?? APPLY_LIMITS;
    const { stepsMax } = this.#limits;
    this.#lanes = lanesOf(plan.steps.slice(0, stepsMax), ports.starts);
    for (const step of plan.steps.slice(stepsMax)) this.#results.set(stepId(step), { did: "left" });
  }

  run(): Promise<StepResults> {
    this.#advance();
    return this.#finished.promise;
  }

  /** Starts whatever can start and gives up what cannot any more, until all that is left waits for something under way. */
  #advance(): void {
    let isMoving = true;
    while (isMoving) {
      isMoving = false;
      for (const lane of this.#lanes) if (this.#advanceLane(lane)) isMoving = true;
    }
    if (this.#inFlight === 0) this.#finished.resolve(this.#results);
  }

  /**
   * True when anything moved. Nobody is looked at while there is no room: a pass of many steps would else look at all of them whenever one
   * is answered.
   */
  #advanceLane(lane: Lane): boolean {
    const { items, start } = lane;
    const blocked: Item[] = [];
    const begin = lane.next;
    let next = begin;
    while (next < items.length && this.#hasRoom(start)) {
      const item = items[next++];
      if (item === undefined) break;
      const verdict = this.#judge(item, start);
      if (verdict === "wait") blocked.push(item);
      else if (verdict === "start") this.#start(item, start);
      else this.#results.set(item.id, verdict);
    }
    if (blocked.length === next - begin) return false;
    // Most plans have none that wait for others, and nothing is copied.
    lane.items = blocked.length === 0 ? items : [...blocked, ...items.slice(next)];
    lane.next = blocked.length === 0 ? next : 0;
    return true;
  }

  /** Whether the next of a lane would be told to start or to give up. */
  #hasRoom(start: SlowStart | undefined): boolean {
    if (this.#inFlight >= this.#limits.inFlightMax) return false;
    return start === undefined || start.hasRoom || start.isOver || this.#ports.signal.aborted;
  }

  #judge({ step }: Item, start: SlowStart | undefined): StepResult | "start" | "wait" {
    const { signal, isWanted } = this.#ports;
    if (signal.aborted) return { did: "unsent", because: `the pass was ended: ${String(signal.reason)}` };
    // Events tell what was done.
    if (step.do !== "event" && isWanted?.() === false) return { did: "left" };
    for (const id of step.after ?? []) {
      const before = this.#results.get(id);
      if (before === undefined) return "wait";
      if (before.did === "left") return before;
      if (before.did !== "done") return { did: "unsent", because: `it waits for "${id}", which was not done` };
    }
    if (start?.isOver) return { did: "unsent", because: "others of its sort were refused one after the other" };
    return "start";
  }

  #start({ step, id }: Item, start: SlowStart | undefined): void {
    this.#inFlight += 1;
    start?.sent();
    this.#perform(step).then(
      (result) => {
        this.#inFlight -= 1;
        this.#results.set(id, result);
        if (result.did === "done") start?.succeeded();
        else if (start !== undefined) this.#refused(start);
        this.#advance();
      },
      (mistake) => this.#finished.reject(mistake),
    );
  }

  /** The rest goes on in another order: the names that stand first must not keep all others from their turn, pass by pass. */
  #refused(start: SlowStart): void {
    start.refused();
    const { rand } = this.#ports;
    for (const lane of this.#lanes) {
      const drawn = lane.items.slice(lane.next).map((item) => ({ item, lot: rand.next() }));
      lane.items = drawn.sort((a, b) => a.lot - b.lot).map(({ item }) => item);
      lane.next = 0;
    }
  }
}

/** Creates of one kind in one namespace share a lane, all that creates nothing another, and what may wait behind both a third. */
function lanesOf(steps: readonly Step[], starts: SlowStarts): readonly Lane[] {
  const lanes = new Map<string, Lane & { readonly items: Item[] }>();
  for (const step of steps) {
    const sort = sortOf(step);
    const lane = lanes.get(sort) ?? {
      start: step.do === "create" ? starts.begin(sort) : undefined,
      items: [],
      next: 0,
    };
    lanes.set(sort, lane);
    lane.items.push({ step, id: stepId(step) });
  }
  return [...lanes.values()];
}

function sortOf(step: Step): string {
  if (step.do !== "create") return step.isPatient ? "patient" : "";
  const { apiVersion, kind, namespace = "" } = targetOf(step);
  return `${apiVersion} ${kind} ${namespace}`;
}

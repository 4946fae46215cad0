// Performs a plan: each step once all those that it waits for are done, independent ones side by side, creates with a slow start.
//
// Guarantees: a step that fails stops those that wait for it and no others; every step of the plan has a result.
// Assumes: `perform` turns trouble into results. What it throws is our mistake, and ends the pass.
import type { Plan } from "../core/plan.ts";
import { type Step, stepId, targetOf } from "../core/step.ts";
import type { Rand } from "../kube/rand.ts";
import type { SlowStart, SlowStarts } from "./slow-start.ts";
import type { StepResult, StepResults } from "./step-result.ts";

export type ApplyLimits = {
  /** Steps of one pass; the rest waits for the next, which sees what came of these. */
  readonly stepsMax: number;
  /** Steps under way at once; the client has its own limit below this. */
  readonly inFlightMax: number;
};

export const APPLY_LIMITS: ApplyLimits = { stepsMax: 500, inFlightMax: 64 };

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

type Item = { readonly step: Step; readonly id: string; readonly start: SlowStart | undefined };

class Pass {
  readonly #perform: Perform;
  readonly #ports: ApplyPorts;
  readonly #limits: ApplyLimits;
  readonly #results = new Map<string, StepResult>();
  readonly #finished = Promise.withResolvers<StepResults>();
  #waiting: Item[];
  #inFlight = 0;

  constructor(plan: Plan, perform: Perform, ports: ApplyPorts) {
    this.#perform = perform;
    this.#ports = ports;
    this.#limits = ports.limits ?? APPLY_LIMITS;
    const { stepsMax } = this.#limits;
    const begun = new Map<string, SlowStart>();
    this.#waiting = plan.steps.slice(0, stepsMax).map((step) => itemOf(step, begun, ports.starts));
    for (const step of plan.steps.slice(stepsMax)) this.#results.set(stepId(step), { did: "left" });
  }

  run(): Promise<StepResults> {
    this.#advance();
    return this.#finished.promise;
  }

  /**
   * Starts whatever can start and gives up what cannot any more, until all that is left waits for something under way. Nobody is looked at
   * while there is no room: a pass of many steps would else look at all of them whenever one is answered.
   */
  #advance(): void {
    let isMoving = true;
    while (isMoving) {
      isMoving = false;
      const stay: Item[] = [];
      let looked = 0;
      for (const item of this.#waiting) {
        if (this.#inFlight >= this.#limits.inFlightMax) break;
        looked += 1;
        const verdict = this.#judge(item);
        if (verdict === "wait") stay.push(item);
        else isMoving = true;
        if (verdict === "start") this.#start(item);
        else if (verdict !== "wait") this.#results.set(item.id, verdict);
      }
      this.#waiting = [...stay, ...this.#waiting.slice(looked)];
    }
    if (this.#inFlight === 0) this.#finished.resolve(this.#results);
  }

  #judge({ step, start }: Item): StepResult | "start" | "wait" {
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
    return (start?.hasRoom ?? true) ? "start" : "wait";
  }

  #start({ step, id, start }: Item): void {
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
    const drawn = this.#waiting.map((item) => ({ item, lot: rand.next() }));
    this.#waiting = drawn.sort((a, b) => a.lot - b.lot).map(({ item }) => item);
  }
}

/** Creates of one kind in one namespace share their slow start. */
function itemOf(step: Step, begun: Map<string, SlowStart>, starts: SlowStarts): Item {
  const id = stepId(step);
  if (step.do !== "create") return { step, id, start: undefined };
  const { apiVersion, kind, namespace = "" } = targetOf(step);
  const sort = `${apiVersion} ${kind} ${namespace}`;
  const start = begun.get(sort) ?? starts.begin(sort);
  begun.set(sort, start);
  return { step, id, start };
}

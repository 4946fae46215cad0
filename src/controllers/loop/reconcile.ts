// The one reconcile for all kinds: observe, decide, act, report. It looks at one object, in the light of everything that is known now.
//
// Guarantees: nothing is written that the plan does not name, besides the condition Stalled; what is refused reaches the status.
//
// This folder is the loop. From the whole to the parts:
//   create-operator.ts, operator-ports.ts  the operator as a value, over its ports
//   lead-term.ts, run-kind.ts              one term as leader, one kind within it
//   wake-ups.ts, lulls.ts                  what triggers a reconcile, and what waits a moment
//   outcome.ts, status-pace.ts             when to reconcile next, and how often to write status
//   patch-figures.ts                       metrics of node label patches
import { orderPlan, type Plan } from "../../core/decision/plan.ts";
import type { ConfigKey, Refusable, Refusal, Snapshot, StoredObject } from "../../core/decision/snapshot.ts";
import { type StatusStep, stepId, targetOf } from "../../core/decision/step.ts";
import type { Decision, ImageQuestion, Kind, ObjectName, Pass, Review } from "../../kinds/kind.ts";
import type { Clock } from "../../kube/clock.ts";
import type { Rand } from "../../kube/rand.ts";
import { type ApplyLimits, applyPlan } from "../perform/apply-plan.ts";
import { createPremiseCheck } from "../perform/check-premises.ts";
import { type Behalf, onBehalfOf } from "../perform/on-behalf.ts";
import { performStep } from "../perform/perform-step.ts";
import type { Refusals } from "../perform/refusals.ts";
import type { SlowStarts } from "../perform/slow-start.ts";
import { saysStall, storedStatus, withStall } from "../perform/status-patch.ts";
import type { Performer, WishGuard } from "../perform/step-performer.ts";
import { fateIn, type StepResult, type StepResults } from "../perform/step-result.ts";
import { settleDoubts } from "../view/settle-doubts.ts";
import { isSameWish } from "../view/wish-ages.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import type { StatusPace } from "./status-pace.ts";

export type ReconcileParts = Omit<Performer, "behalf" | "signal" | "guard"> & {
  readonly kind: Kind;
  readonly snapshot: Snapshot;
  readonly find: (name: ObjectName) => StoredObject | undefined;
  readonly refusals: Refusals;
  readonly clock: Clock;
  readonly rand: Rand;
  /** The name of this program, with which those of its field managers begin. */
  readonly program: string;
  readonly ask: (questions: readonly ImageQuestion[], by: Behalf) => void;
  /** Resolves when all that has been written until now is in the picture. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>;
  /** The ConfigMaps that decisions about an object read from now on. */
  readonly want: (texts: readonly ConfigKey[], by: Behalf) => void;
  readonly limits?: ApplyLimits;
  readonly pace: StatusPace;
  readonly starts: SlowStarts;
  /** Sends creates where no lease keeps other replicas away; absent where one does. */
  readonly promptClient?: WishGuard["client"];
  /** Told what came of each pass of a kind that reviews them. */
  readonly onReview?: OnReview;
};

export type OnReview = (told: {
  readonly name: ObjectName;
  readonly review: Review;
  /** The time that the decision took. */
  readonly tookMs: number;
}) => void;

/** Brings the cluster closer to what the object of this name asks for, as far as one pass goes. */
export async function reconcile(name: ObjectName, parts: ReconcileParts, signal: AbortSignal): Promise<Outcome> {
  const { kind, clock, program, ledger } = parts;
  ledger.sweep();
  const doubts = ledger.doubts(onBehalfOf(kind, name, { object: undefined, program }).text);
  if (doubts.length > 0) {
    await settleDoubts(doubts, { ...parts, signal });
    // Where a write was lost, so may be what the watches should have told since.
    await parts.catchUp(signal);
  }
  const object = parts.find(name);
  const behalf = onBehalfOf(kind, name, { object, program });
  parts.want(object === undefined ? [] : (kind.textsOf?.(object) ?? []), behalf);
  const startMs = clock.monotonicMs();
  const { plan, asks } = decide(behalf, name, parts);
  const tookMs = clock.monotonicMs() - startMs;
  const performer = { ...parts, behalf, signal, ...guardOf(behalf, parts, signal) };
  const { acts, status } = apart(orderPlan(plan));
  const isWanted = wantedAsIn(object, () => parts.find(name), kind);
  const results = await applyPlan(acts, (step) => performStep(step, performer), { ...parts, signal, isWanted });
  const isNews = noteRefusals(acts, results, performer);
  const outcome = isNews ? lookingBy(clock.wallMs(), outcomeOf(acts, results)) : outcomeOf(acts, results);
  parts.ask(asks, behalf);
  tellOf({ plan: acts, fateOf: (step) => fateIn(results, step) }, tookMs, performer);
  // What is known by now of another object, or of another wish of this one, is told after the next look.
  if (!isWanted()) return outcome.is === "settled" ? { is: "unfinished" } : outcome;
  return report(outcome, status, performer, clock.wallMs());
}

/** Whether the object still is what was decided about. Asked for every step, so an answer is kept while the object is the very same. */
function wantedAsIn(
  decided: StoredObject | undefined,
  find: () => StoredObject | undefined,
  kind: Kind,
): () => boolean {
  let known = { now: decided, isSame: true };
  return () => {
    const now = find();
    if (now !== known.now) {
      known = { now, isSame: now !== undefined && decided !== undefined && isSameWish(kind, decided, now) };
    }
    return known.isSame;
  };
}

function guardOf(behalf: Behalf, parts: ReconcileParts, signal: AbortSignal): Pick<Performer, "guard"> {
  const { promptClient: client } = parts;
  return client === undefined ? {} : { guard: { client, check: createPremiseCheck({ ...parts, behalf, signal }) } };
}

/** Remembers which nodes and DaemonSets did not take what was written; true when there is another one: it is told, and others have their turn. */
function noteRefusals(acts: Plan, results: StepResults, { behalf, refusals }: ReconcileParts & Performer): boolean {
  const { object } = behalf;
  if (object === undefined) return false;
  let isNews = false;
  for (const step of acts.steps) {
    const { kind, name } = targetOf(step);
    if (!isRefusable(kind) || (step.do !== "apply" && step.do !== "patch")) continue;
    const result = results.get(stepId(step));
    if (result === undefined || result.did === "unsent" || result.did === "left") continue;
    if (refusals.note(object.uid, { kind, name }, refusalIn(result, kind))) isNews = true;
  }
  return isNews;
}

function isRefusable(kind: string): kind is Refusable {
  return kind === "Node" || kind === "DaemonSet";
}

/** Trouble that may pass is told in the same words each time: a status that changes at every attempt would call for the next one. */
function refusalIn(result: StepResult, kind: Refusable): Refusal | undefined {
  if (result.did === "refused") return { reason: result.reason, because: result.because };
  if (result.did !== "failed") return undefined;
  const what = kind === "Node" ? "label" : "DaemonSet";
  return { reason: "ApiTrouble", because: `its ${what} could not be written, which is tried again` };
}

/** Tells people and whoever keeps figures what came of a pass. */
function tellOf(pass: Pass, tookMs: number, performer: ReconcileParts & Performer): void {
  const { kind, behalf, events, onReview } = performer;
  const { object, ref } = behalf;
  const review = object && kind.review?.(object, pass);
  if (object === undefined || review === undefined) return;
  for (const { severity, reason, message } of review.events) {
    events.record({ about: { ...ref, uid: object.uid }, type: severity, reason, message });
  }
  onReview?.({ name: { namespace: object.namespace, name: object.name }, review, tookMs });
}

/** For an object that is gone only what it left on nodes is left to do. */
function decide({ object }: Behalf, name: ObjectName, { kind, snapshot, clock }: ReconcileParts): Decision {
  if (object !== undefined) return kind.observe(snapshot, object).decide(clock.wallMs());
  return { plan: kind.traces?.clear(snapshot, name) ?? { steps: [], held: [] }, asks: [] };
}

/** The status is told last, when it is known what came of the rest. */
function apart(plan: Plan): { readonly acts: Plan; readonly status: StatusStep | undefined } {
  const status = plan.steps.find((step) => step.do === "status");
  return { acts: { ...plan, steps: plan.steps.filter((step) => step !== status) }, status };
}

/** Stores the decided status together with what was refused; trouble in doing so is the outcome. */
async function report(
  outcome: Outcome,
  decided: StatusStep | undefined,
  performer: Performer & Pick<ReconcileParts, "pace">,
  nowMs: number,
): Promise<Outcome> {
  const { behalf, pace } = performer;
  const { object, ref } = behalf;
  const stall = "stall" in outcome ? outcome.stall : undefined;
  if (object === undefined || (decided === undefined && stall === undefined)) return outcome;
  const status = decided?.status ?? storedStatus(object);
  const waitMs = stall === undefined ? pace.waitMs(object, status) : 0;
  if (waitMs > 0) return lookingBy(nowMs + waitMs, outcome);
  const step: StatusStep = {
    ...{ do: "status", target: ref, why: decided?.why ?? "something was refused" },
    status: stall === undefined ? status : withStall(status, stall, object, nowMs),
  };
  if (stall !== undefined && !saysStall(object, stall)) {
    const about = { ...ref, uid: object.uid };
    performer.events.record({ about, type: "Warning", reason: stall.reason, message: stall.message });
  }
  const result = await performStep(step, performer);
  if (result.did === "failed" || result.did === "refused") {
    return { is: "retry", because: `the status was not stored: ${result.because}`, stall };
  }
  pace.told(object, step.status);
  return outcome;
}

/** Whoever is not settled looks again soon enough. */
function lookingBy(atMs: number, outcome: Outcome): Outcome {
  if (outcome.is !== "settled" && outcome.is !== "stalled") return outcome;
  return { ...outcome, lookAgainAtMs: Math.min(atMs, outcome.lookAgainAtMs ?? atMs) };
}

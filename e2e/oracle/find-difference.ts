// The search for a difference between Go and us: draw random cases, ask both, and make the first disagreement small.
import fc from "fast-check";
import type { Json } from "../../src/core/json/json.ts";
import { printJson } from "../../src/kube/wire/json-text.ts";
import { type Answer, type Ask, BATCH_MAX, type Concept } from "./oracle.ts";
import { isSameJson } from "./same-json.ts";

export type Comparison<Case extends Json = Json> = {
  readonly name: string;
  readonly concept: Concept;
  /** Its part of all cases of a run, relative to the other comparisons. */
  readonly share: number;
  readonly cases: fc.Arbitrary<Case>;
  /** Our answer, in the words of the oracle's answer. */
  ours(asked: Case): Answer;
  /** When the two answers agree; by default when both refuse, or both give the same value. */
  agrees?(go: Answer, ours: Answer): boolean;
};

export type Difference = {
  readonly asked: Json;
  readonly go: Answer;
  readonly ours: Answer;
};

/** How many batches of smaller candidates are tried: by then the case is small enough to read. */
const SHRINK_ROUNDS_MAX = 400;
const SHRINK_BATCH = 32;

/** Compares so many random cases and returns the first difference, shrunk; undefined when there is none. */
export async function findDifference<Case extends Json>(
  comparison: Comparison<Case>,
  options: { readonly ask: Ask; readonly seed: number; readonly count: number },
): Promise<Difference | undefined> {
  for (let done = 0; done < options.count; done += BATCH_MAX) {
    const drawn = draw(comparison.cases, options.seed + done, Math.min(BATCH_MAX, options.count - done));
    const found = await firstDifference(comparison, drawn, options.ask);
    if (found !== undefined) return (await shrink(comparison, found.at, options.ask)) ?? found.difference;
  }
  return undefined;
}

/** The difference as a developer wants to read it. */
export function describeDifference(name: string, seed: number, difference: Difference): string {
  return [
    `${name} differs from Go (seed ${seed})`,
    `  input: ${printJson(difference.asked)}`,
    `  Go:    ${describeAnswer(difference.go)}`,
    `  ours:  ${describeAnswer(difference.ours)}`,
  ].join("\n");
}

/** The default rule: both refuse, for whatever reason, or both give the same value. */
export function isSameAnswer(go: Answer, ours: Answer): boolean {
  if (go.kind === "refused" || ours.kind === "refused") return go.kind === ours.kind;
  return isSameJson(go.value, ours.value);
}

function describeAnswer(answer: Answer): string {
  return answer.kind === "refused" ? `refused: ${answer.why}` : printJson(answer.value);
}

type Drawn<Case> = fc.Value<Case>;
type Found<Case> = { readonly at: Drawn<Case>; readonly difference: Difference };

async function firstDifference<Case extends Json>(
  comparison: Comparison<Case>,
  drawn: readonly Drawn<Case>[],
  ask: Ask,
): Promise<Found<Case> | undefined> {
  const answers = await ask(drawn.map((at) => ({ concept: comparison.concept, case: at.value_ })));
  const agrees = comparison.agrees ?? isSameAnswer;
  for (const [index, at] of drawn.entries()) {
    const go = answers[index];
    if (go === undefined) throw new Error(`the oracle left question ${index} unanswered`);
    const ours = comparison.ours(at.value_);
    if (!agrees(go, ours)) return { at, difference: { asked: at.value_, go, ours } };
  }
  return undefined;
}

/** Walks from a differing case to ever smaller ones that still differ; undefined when the first has no smaller one. */
async function shrink<Case extends Json>(
  comparison: Comparison<Case>,
  start: Drawn<Case>,
  ask: Ask,
): Promise<Difference | undefined> {
  let smallest: Found<Case> | undefined;
  let candidates = comparison.cases.shrink(start.value_, start.context);
  for (let round = 0; round < SHRINK_ROUNDS_MAX; round++) {
    const batch = [...take(candidates, SHRINK_BATCH)];
    if (batch.length === 0) break;
    const found = await firstDifference(comparison, batch, ask);
    if (found === undefined) continue;
    smallest = found;
    candidates = comparison.cases.shrink(found.at.value_, found.at.context);
  }
  return smallest?.difference;
}

function* take<T>(source: Iterator<T>, count: number): Generator<T> {
  for (let taken = 0; taken < count; taken++) {
    const next = source.next();
    if (next.done) return;
    yield next.value;
  }
}

/** Draws cases together with what is needed to shrink them, which sampling throws away. */
function draw<Case>(cases: fc.Arbitrary<Case>, seed: number, count: number): readonly Drawn<Case>[] {
  return fc.sample(new Shrinkable(cases), { seed, numRuns: count });
}

class Shrinkable<T> extends fc.Arbitrary<fc.Value<T>> {
  readonly #cases: fc.Arbitrary<T>;

  constructor(cases: fc.Arbitrary<T>) {
    super();
    this.#cases = cases;
  }

  override generate(random: fc.Random, biasFactor: number | undefined): fc.Value<fc.Value<T>> {
    return new fc.Value(this.#cases.generate(random, biasFactor), undefined);
  }

  override canShrinkWithoutContext(_value: unknown): _value is fc.Value<T> {
    return false;
  }

  override shrink(): fc.Stream<fc.Value<fc.Value<T>>> {
    return fc.Stream.nil();
  }
}

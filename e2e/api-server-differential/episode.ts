// An episode: a few keys in a namespace of their own, a sequence of operations on both servers, and the first difference between
// them. Drawn operations can be played again, which is how a failing episode is cut down to the steps that matter.
import { isSameJson } from "../../sim/api-server/same-json.ts";
import type { Json } from "../../src/core/json/json.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { Chance } from "../field-ownership/random-objects.ts";
import { Comparable } from "./compare.ts";
import type { Difference } from "./difference.ts";
import { drawOperation } from "./draw-operation.ts";
import type { Key, Operation } from "./operation.ts";
import { Player, type Said } from "./player.ts";
import { type Subject, subjects } from "./subject.ts";

/** The same server seen by an administrator, real or embedded. */
export type Side = { readonly transport: Transport; readonly headers: Readonly<Record<string, string>> };
export type Sides = { readonly real: Side; readonly embedded: Side };

export type Played = {
  readonly operations: readonly Operation[];
  /** What each of them sent to the real server. */
  readonly sent: readonly Json[];
  readonly difference: Difference | undefined;
};

const KEYS = 4;
const SUBJECTS = 2;
const names = ["a", "b", "c"];

/** Where operations come from: drawn as the episode goes on, or given. */
export type Source = (view: Player["view"]) => Operation | undefined;

/** A few keys of a few kinds. */
export function drawKeys(chance: Chance): readonly [Key, ...Key[]] {
  const kinds = Array.from({ length: SUBJECTS }, () => chance.one(subjects));
  const key = (at: number): Key => ({ subject: kinds[at % SUBJECTS] ?? subjects[0], name: names[at >> 1] ?? "a" });
  return [key(0), ...Array.from({ length: KEYS - 1 }, (_, at) => key(at + 1))];
}

/** A source that draws so many operations. */
export function drawing(chance: Chance, keys: readonly [Key, ...Key[]], count: number): Source {
  let left = count;
  return (view) => (left-- > 0 ? drawOperation(chance, keys, view) : undefined);
}

/** A source that gives operations that were drawn before. */
export function given(operations: readonly Operation[]): Source {
  let at = 0;
  return () => operations[at++];
}

/** Plays until the source ends or the servers differ. */
export async function playEpisode(
  sides: Sides,
  namespace: string,
  keys: readonly Key[],
  next: Source,
): Promise<Played> {
  const kinds: readonly Subject[] = [...new Set(keys.map(({ subject }) => subject))];
  const [real, embedded] = [sides.real, sides.embedded].map(
    (side) => new Player({ ...side, namespace, subjects: kinds }),
  );
  if (real === undefined || embedded === undefined) throw new Error("there are two players");
  try {
    return await playOn(real, embedded, kinds, next);
  } finally {
    real.close();
    embedded.close();
  }
}

async function playOn(real: Player, embedded: Player, kinds: readonly Subject[], next: Source): Promise<Played> {
  await Promise.all([real.prepare(), embedded.prepare()]);
  const ends = await Promise.all([real.watch(), embedded.watch()]);
  const compared = { real: new Comparable(), embedded: new Comparable() };
  const operations: Operation[] = [];
  const calls: Json[] = [];
  for (let operation = next(real.view); operation !== undefined; operation = next(real.view)) {
    const sent = operation.call(real.view) ?? null;
    operations.push(operation);
    calls.push(sent);
    const said = await Promise.all([real.play(operation), embedded.play(operation)]);
    const difference = firstDifference(said, compared, { says: operation.says, sent });
    if (difference !== undefined) return { operations, sent: calls, difference };
  }
  const [ofReal, ofEmbedded] = await Promise.all(ends.map((end) => end()));
  for (const { plural } of kinds) {
    const [left, right] = [ofReal?.get(plural) ?? [], ofEmbedded?.get(plural) ?? []];
    const difference = streamDifference(plural, left, right, compared);
    if (difference !== undefined) return { operations, sent: calls, difference };
  }
  return { operations, sent: calls, difference: undefined };
}

type Compared = { readonly real: Comparable; readonly embedded: Comparable };

function firstDifference(
  [left, right]: readonly (readonly Said[] | undefined)[],
  compared: Compared,
  about: Pick<Difference, "says" | "sent">,
): Difference | undefined {
  if (left === undefined || right === undefined)
    return left === right ? undefined : { ...about, real: left === undefined, embedded: right === undefined };
  for (const [at, said] of left.entries()) {
    const other = right[at];
    const real = compared.real.answer(said);
    const embedded = other === undefined ? null : compared.embedded.answer(other);
    const says = at === 0 ? about.says : `${about.says}: the object after it`;
    if (!isSameJson(real, embedded)) return { ...about, says, real, embedded };
  }
  return undefined;
}

function streamDifference(
  plural: string,
  left: readonly Json[],
  right: readonly Json[],
  compared: Compared,
): Difference | undefined {
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [one, other] = [left[at], right[at]];
    const real = one === undefined ? "no event" : compared.real.event(one);
    const embedded = other === undefined ? "no event" : compared.embedded.event(other);
    if (!isSameJson(real, embedded)) return { says: `event ${at} of ${plural}`, sent: null, real, embedded };
  }
  return undefined;
}

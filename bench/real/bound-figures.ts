// The figures of kinds that deliver by native DaemonSets: the operator beside the oracle, and beside a guest that can do the same.
import { atMost } from "../bar.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { type Figure, skipped } from "../figure.ts";
import type { boundScene } from "./bound-scene.ts";
import type { Contestant } from "./contestants/contestant.ts";
import { farrier } from "./contestants/farrier-contestant.ts";
import { oracle } from "./contestants/oracle-contestant.ts";
import { actFigures } from "./figures.ts";
import { playTournament } from "./tournament.ts";

const BARS = { wall: atMost(1.2), cpu: atMost(3), requests: atMost(1.03) };

/** A story takes as long as many rounds of anything else; played once, it tells more about the machine than about who plays. */
const ROUNDS_PER_STORY = 5;

/** Plays the story once for every so many rounds that are asked for, in turns. */
export async function boundFigures(
  { scene, act }: ReturnType<typeof boundScene>,
  guests: readonly (Contestant | { readonly missing: string })[],
  { rounds, progress }: BenchmarkContext,
): Promise<readonly Figure[]> {
  const present = guests.flatMap((guest) => ("missing" in guest ? [] : [guest]));
  const absent = guests.flatMap((guest) => ("missing" in guest ? [skipped("beside a guest", guest.missing)] : []));
  const ours = { contestant: farrier({ form: "with a full registry" }), acts: [act] };
  const entries = [ours, ...[oracle, ...present].map((contestant) => ({ contestant, acts: [act] }))];
  const stories = Math.ceil(rounds / ROUNDS_PER_STORY);
  const played = await playTournament({ scene, entries, rehearsal: ours, rounds: stories, progress });
  if ("missing" in played) return [skipped("on a real control plane", played.missing)];
  const [farriers, ideal, ...theirs] = played.results;
  if (!farriers || !ideal) throw new Error("somebody has not played");
  return [
    ...actFigures(act.name, farriers, ideal, BARS),
    ...theirs.flatMap((guest) => actFigures(act.name, farriers, guest, {})),
    ...absent,
  ];
}

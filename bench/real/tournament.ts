// All contestants play on one control plane, in turns; the next round goes the other way round.
import { loadavg } from "node:os";
import { controlPlaneAvailability } from "../../e2e/control-plane/binaries.ts";
import type { Contestant } from "./contestants/contestant.ts";
import type { Rounds } from "./figures.ts";
import { type Performance, type PlayOptions, play } from "./play.ts";
import { startRealPlane } from "./real-plane.ts";
import type { Scene } from "./scene.ts";

/** Idleness is looked at in the first round only: it does not depend on the minute. */
export type Entry = Omit<PlayOptions, "progress"> & {
  readonly contestant: Contestant;
  /** True for who plays in the first round only. */
  readonly isAside?: boolean;
};

export type Tournament = {
  readonly scene: Scene;
  readonly entries: readonly Entry[];
  /** Played once before the first round, and not counted: on a fresh plane whoever comes first is a third slower, since the servers have not met
   * so many pods yet. */
  readonly rehearsal: Entry;
  readonly rounds: number;
  readonly withoutControllers?: readonly string[];
  readonly progress: (message: string) => void;
};

/** Everybody's performances in the order of the entries, or what is missing to begin. */
export type Played = { readonly results: readonly Rounds[] } | { readonly missing: string };

/** Plays all rounds; the first entry begins the first one. */
export async function playTournament(tournament: Tournament): Promise<Played> {
  const { scene, entries, rehearsal, rounds, withoutControllers = [], progress } = tournament;
  const availability = controlPlaneAvailability();
  if (!availability.available) return { missing: `${availability.reason}; ${availability.remedy}` };
  const users = [...new Set(entries.map(({ contestant }) => contestant.user))];
  const { binaries } = availability;
  progress(`starting a control plane with ${scene.machines.length} nodes; load ${loadText()}`);
  const plane = await startRealPlane({ binaries, machines: scene.machines, users, withoutControllers });
  const results = entries.map((entry) => ({ entry, name: entry.contestant.name, played: [] as Performance[] }));
  try {
    await scene.prepare(plane.admin.client);
    await play(rehearsal.contestant, plane, scene, { ...rehearsal, progress });
    for (let round = 1; round <= rounds; round++) {
      for (const { entry, played } of round % 2 === 1 ? results : results.toReversed()) {
        const { contestant, acts, idleMs, isAside = false } = entry;
        const isFirst = round === 1;
        if (isFirst || !isAside)
          played.push(await play(contestant, plane, scene, { acts, progress, ...(isFirst && idleMs && { idleMs }) }));
      }
      progress(`round ${round} of ${rounds} is over; load ${loadText()}`);
    }
    return { results };
  } finally {
    await plane.stop();
  }
}

/** The load tells whether wall times mean something. */
function loadText(): string {
  return loadavg()
    .map((load) => load.toFixed(1))
    .join(" ");
}

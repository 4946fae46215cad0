// Whose turn it is: builds of all Modules share one limit. Each decision sees the whole queue, which is in the cluster as suspended
// Jobs, and comes to the same order, so nobody has to keep it.
//
// Guarantees: a Module with fewer builds at work comes first; no image is made twice at once; a Module that does not use its turn holds
// the others up for a while only.
// Caveats: two decisions that cross with the arrival of a third Module's Job may start one build more than the limit.
import { type BuildTask, isRunning } from "./build-task.ts";

/** A Module starts what it may start within seconds; after this it is taken to be unable to. */
export const TURN_MS = 120_000;

export type QueueInput = { readonly tasks: readonly BuildTask[]; readonly runningMax: number; readonly nowMs: number };

/** The UIDs of the queued tasks that may start now. */
export function startable({ tasks, runningMax, nowMs }: QueueInput): ReadonlySet<string> {
  const running = tasks.filter(isRunning);
  const images = new Set(running.map(({ image }) => image));
  const lastEndMs = Math.max(0, ...tasks.map(({ state }) => ("endedMs" in state ? state.endedMs : 0)));
  let free = runningMax - running.length;
  const found = new Set<string>();
  for (const task of inTurn(tasks)) {
    if (free <= 0) break;
    if (images.has(task.image)) continue;
    images.add(task.image);
    found.add(task.uid);
    const sinceMs = Math.max(lastEndMs, task.createdMs ?? nowMs);
    if (nowMs - sinceMs <= TURN_MS) free -= 1;
  }
  return found;
}

/** Rounds over the Modules: in the first round those with nothing at work, then those with one, and so on; the oldest first. */
function inTurn(tasks: readonly BuildTask[]): readonly BuildTask[] {
  const rounds = new Map<string, number>();
  for (const { owner = "" } of tasks.filter(isRunning)) rounds.set(owner, (rounds.get(owner) ?? 0) + 1);
  const queued = tasks.filter((task) => task.state.is === "queued" && !task.isLeaving && task.uid !== "");
  return queued
    .toSorted(byAge)
    .map((task) => {
      const round = rounds.get(task.owner ?? "") ?? 0;
      rounds.set(task.owner ?? "", round + 1);
      return { task, round };
    })
    .toSorted((a, b) => a.round - b.round || byAge(a.task, b.task))
    .map(({ task }) => task);
}

function byAge(a: BuildTask, b: BuildTask): number {
  const difference = (a.createdMs ?? Number.MAX_VALUE) - (b.createdMs ?? Number.MAX_VALUE);
  if (difference !== 0) return difference;
  return a.uid < b.uid ? -1 : Number(a.uid > b.uid);
}

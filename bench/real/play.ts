// Plays the acts of a scene with one contestant and takes down what each of them cost.
import { setTimeout as pause } from "node:timers/promises";
import type { Contestant, Playing } from "./contestants/contestant.ts";
import type { Sighting } from "./fleet-observer.ts";
import { usageOf } from "./process-usage.ts";
import { CONTROLLERS, type RealPlane } from "./real-plane.ts";
import { countsText, type RequestCounts, total, UPKEEP } from "./request-log.ts";
import type { Act, Scene } from "./scene.ts";

export type ActCost = Sighting & {
  readonly cpuMs: number;
  /** What the plane's own controller manager took meanwhile; undefined while somebody plays in its place. */
  readonly controllersCpuMs: number | undefined;
  readonly requests: RequestCounts;
};

export type Performance = {
  /** What it took the contestant to be ready, before the first act. */
  readonly startCpuMs: number;
  /** By the name of the act. */
  readonly acts: ReadonlyMap<string, ActCost>;
  /** What was asked for while nothing happened; undefined where nobody waited for that. */
  readonly idle: { readonly cpuMs: number; readonly requests: RequestCounts } | undefined;
  readonly peakMb: number;
};

export type PlayOptions = {
  readonly acts: readonly Act[];
  /** How long to look on after the last act. */
  readonly idleMs?: number;
  readonly progress: (message: string) => void;
};

/** What comes after the last pod is ready, such as a status, belongs to the act. */
const AFTERMATH_MS = 3_000;
const ACT_MS_MAX = 900_000;
const CLEAR_MS_MAX = 300_000;

/** Starts the contestant, plays the acts, and leaves the cluster as it was. */
export async function play(
  contestant: Contestant,
  plane: RealPlane,
  scene: Scene,
  { acts, idleMs, progress }: PlayOptions,
): Promise<Performance> {
  const playing = await contestant.start(plane);
  const startCpuMs = usageOf(playing.pid).cpuMs;
  progress(`${contestant.name}, start: ${secondsText(startCpuMs)} of CPU`);
  try {
    const costs = new Map<string, ActCost>();
    for (const act of acts) {
      const cost = await playAct(act, contestant, playing, plane);
      costs.set(act.name, cost);
      progress(`${contestant.name}, ${act.name}: ${costText(cost)}`);
    }
    const idle = idleMs === undefined ? undefined : await lookOn(idleMs, contestant, playing, plane);
    await scene.record?.(plane.admin.client, plane.observer);
    return { startCpuMs, acts: costs, idle, peakMb: usageOf(playing.pid).peakMb };
  } finally {
    await playing.stop();
    await scene.clear(plane.admin.client);
    await plane.observer.watchUntil("everything is taken away", (view) => scene.isClear(view), CLEAR_MS_MAX);
  }
}

async function playAct(act: Act, { name, user }: Contestant, playing: Playing, plane: RealPlane): Promise<ActCost> {
  const begin = await playing.prepare(act);
  act.before?.(plane.observer);
  plane.requests.since(user);
  const before = usageOf(playing.pid);
  const besideBefore = controllersCpuMs(plane);
  const reached = plane.observer.watchUntil(`${name}, ${act.name}`, (view) => act.isReached(view), ACT_MS_MAX);
  const [sighting] = await Promise.all([reached, begin()]);
  await pause(AFTERMATH_MS);
  const cpuMs = usageOf(playing.pid).cpuMs - before.cpuMs;
  const besideAfter = controllersCpuMs(plane);
  const isThere = besideBefore !== undefined && besideAfter !== undefined;
  const managed = isThere ? besideAfter - besideBefore : undefined;
  return { ...sighting, cpuMs, controllersCpuMs: managed, requests: plane.requests.since(user) };
}

function controllersCpuMs({ cluster }: RealPlane): number | undefined {
  const controllers = cluster.part(CONTROLLERS);
  return controllers.isRunning ? usageOf(controllers.pid).cpuMs : undefined;
}

async function lookOn(idleMs: number, { user }: Contestant, { pid }: Playing, plane: RealPlane) {
  plane.requests.since(user);
  const before = usageOf(pid);
  await pause(idleMs);
  return { cpuMs: usageOf(pid).cpuMs - before.cpuMs, requests: plane.requests.since(user) };
}

function costText({ wallMs, cpuMs, controllersCpuMs, requests, unavailableMax, twins }: ActCost): string {
  const beside = controllersCpuMs === undefined ? "" : ` beside the manager's ${secondsText(controllersCpuMs)}`;
  const times = `${(wallMs / 1000).toFixed(1)} s, ${secondsText(cpuMs)} of CPU${beside}`;
  const twinsText = twins === 0 ? "" : `, TWO PODS ON A NODE ${twins} times`;
  const counted = `${total(requests, UPKEEP)} requests and ${total(requests) - total(requests, UPKEEP)} of upkeep`;
  return `${times}, ${unavailableMax} unavailable at most${twinsText}, ${counted} (${countsText(requests)})`;
}

function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

// The advanced DaemonSet on 1,000 nodes of a real control plane, beside an oracle and the native controller manager; and what rendering costs.
import { atMost } from "../bar.ts";
import type { Benchmark, BenchmarkContext } from "../benchmark.ts";
import { type Figure, skipped } from "../figure.ts";
import { farrier } from "../real/contestants/farrier-contestant.ts";
import { guest } from "../real/contestants/guest.ts";
import { DAEMON_SET_CONTROLLER, nativeControllers } from "../real/contestants/native-contestant.ts";
import { oracle } from "../real/contestants/oracle-contestant.ts";
import { actFigures, limitFigure, type Rounds, togetherFigure } from "../real/figures.ts";
import type { Performance } from "../real/play.ts";
import { total, UPKEEP } from "../real/request-log.ts";
import { type Entry, playTournament } from "../real/tournament.ts";
import { decisionFigures } from "./decisions.ts";
import { renderingFigures } from "./rendering.ts";
import { BUDGET, coldStart, daemonSetScene, labelChange, rollingUpdate } from "./scene.ts";

/** The same work takes the same machine half as much again from one minute to the next, so that one play tells more about its minute. */
const PLAY_ROUNDS = 3;
const IDLE_MS = 60_000;
const PEAK_MB_MAX = 120;
/** The kernel counts in 1,024 bytes. */
const MB_PER_MIB = 1024 ** 2 / 1e6;
const QPS_RAISED = 500;
const BARS = { wall: atMost(1.15), cpu: atMost(2.5), requests: atMost(1.03) };
const A_THIRD = { cpu: atMost(1 / 3) };

export const daemonSet: Benchmark = {
  name: "daemonset",
  summary: "the advanced DaemonSet on 1,000 nodes of a real control plane, and its rendering (21 min)",
  roundsDefault: PLAY_ROUNDS,
  run: async (context) => [
    ...(await renderingFigures(context)),
    ...(await decisionFigures(context)),
    ...(await planeFigures(context)),
  ],
};

async function planeFigures({ rounds, progress }: BenchmarkContext): Promise<readonly Figure[]> {
  const kruise = guest({ name: "Kruise", variable: "FARRIER_BENCH_KRUISE_MANAGER" });
  const main = [coldStart, rollingUpdate];
  const entries: readonly Entry[] = [
    { contestant: farrier(), acts: [...main, labelChange], idleMs: IDLE_MS },
    { contestant: oracle, acts: [...main, labelChange] },
    { contestant: nativeControllers("native, raised limits", QPS_RAISED), acts: main },
    {
      contestant: farrier({ name: "Farrier by nodeName", settings: ["--bind-pods", "nodeName"] }),
      acts: [coldStart],
      isAside: true,
    },
    { contestant: nativeControllers("native, default limits"), acts: main, isAside: true },
    ...("missing" in kruise ? [] : [{ contestant: kruise, acts: main }]),
  ];
  const rehearsal = { contestant: oracle, acts: [coldStart] };
  const withoutControllers = [DAEMON_SET_CONTROLLER];
  const played = await playTournament({
    scene: daemonSetScene,
    entries,
    rehearsal,
    rounds,
    withoutControllers,
    progress,
  });
  if ("missing" in played) return [skipped("on a real control plane", played.missing)];
  const [ours, ideal, native, bound, slow, theirs] = played.results;
  if (!ours || !ideal || !native || !bound || !slow) throw new Error("somebody has not played");
  return [
    ...main.flatMap(({ name }) => actFigures(name, ours, ideal, BARS)),
    ...actFigures(labelChange.name, ours, ideal, {}),
    ...main.flatMap(({ name }) => actFigures(name, ours, native, A_THIRD)),
    ...main.map(({ name }) => togetherFigure(name, ours, native)),
    ...main.flatMap(({ name }) => actFigures(name, ours, slow, A_THIRD)),
    ...actFigures(coldStart.name, bound, ideal, {}),
    ...safetyFigures(ours),
    ...("missing" in kruise
      ? [skipped("Farrier / Kruise", kruise.missing)]
      : main.flatMap(({ name }) => (theirs ? actFigures(name, ours, theirs, {}) : []))),
  ];
}

function safetyFigures(ours: Rounds): readonly Figure[] {
  const rolled = ({ acts }: Performance) => acts.get(rollingUpdate.name);
  const none = { limit: { name: "none allowed", value: 1 }, bar: atMost(0) };
  const all = { bar: atMost(1) };
  return [
    limitFigure(ours, {
      ...{ ...all, name: "Farrier: peak memory", unit: "MB", limit: { name: "limit", value: PEAK_MB_MAX } },
      of: ({ peakMb }) => peakMb * MB_PER_MIB,
    }),
    limitFigure(ours, {
      ...{ ...all, name: "Farrier, rolling update: unavailable at once", unit: "nodes" },
      limit: { name: "budget", value: BUDGET },
      of: (played) => rolled(played)?.unavailableMax,
    }),
    limitFigure(ours, {
      ...{ ...none, name: "Farrier, rolling update: two pods on a node", unit: "times" },
      of: (played) => rolled(played)?.twins,
    }),
    limitFigure(ours, {
      ...{ ...none, name: `Farrier, idle ${IDLE_MS / 1_000} s: requests besides upkeep`, unit: "" },
      of: ({ idle }) => idle && total(idle.requests, UPKEEP),
    }),
    limitFigure(ours, {
      ...{
        ...all,
        name: `Farrier, idle ${IDLE_MS / 1_000} s: CPU`,
        unit: "s",
        limit: { name: "1 % of a core", value: 0.6 },
      },
      of: ({ idle }) => idle && idle.cpuMs / 1_000,
    }),
  ];
}

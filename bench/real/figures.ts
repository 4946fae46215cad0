// What the performances of a story come down to: ratios of one contestant to another, held to their bars.
import type { Bar } from "../bar.ts";
import { type Figure, figureOf } from "../figure.ts";
import type { ActCost, Performance } from "./play.ts";
import { total, UPKEEP } from "./request-log.ts";

/** The performances of one contestant, round by round. */
export type Rounds = { readonly name: string; readonly played: readonly Performance[] };

export type ActBars = {
  readonly wall?: Bar;
  readonly cpu?: Bar;
  readonly requests?: Bar;
};

const MS_PER_S = 1_000;

type Aspect = {
  readonly name: string;
  readonly unit: string;
  readonly bar?: Bar | undefined;
  of(cost: ActCost, whole: Performance): number;
};

/** Wall, processor time and requests of a subject in one act beside those of a yardstick. */
export function actFigures(act: string, subject: Rounds, yardstick: Rounds, bars: ActBars): readonly Figure[] {
  const aspects: readonly Aspect[] = [
    { name: "wall", unit: "s", bar: bars.wall, of: ({ wallMs }) => wallMs / MS_PER_S },
    { name: "CPU", unit: "s", bar: bars.cpu, of: ({ cpuMs }) => cpuMs / MS_PER_S },
    {
      ...{ name: "CPU with its start", unit: "s" },
      of: ({ cpuMs }, { startCpuMs }) => (startCpuMs + cpuMs) / MS_PER_S,
    },
    { name: "requests", unit: "", bar: bars.requests, of: ({ requests }) => total(requests, UPKEEP) },
    { name: "requests with upkeep", unit: "", of: ({ requests }) => total(requests) },
  ];
  return aspects.map(({ name, unit, bar, of }) =>
    figureOf({
      ...{ name: `${subject.name}, ${act}: ${name}`, unit, yardstick: yardstick.name, ...(bar && { bar }) },
      rounds: inTurns(subject, yardstick).map(([played, beside]) => ({
        value: costIn(played, act, of),
        yardstick: costIn(beside, act, of),
      })),
    }),
  );
}

/** What a subject and the plane's own manager took together, beside a manager that did the work of both. */
export function togetherFigure(act: string, subject: Rounds, yardstick: Rounds): Figure {
  const both = ({ cpuMs, controllersCpuMs = Number.NaN }: ActCost) => (cpuMs + controllersCpuMs) / MS_PER_S;
  return figureOf({
    ...{ name: `${subject.name} and the plane's manager, ${act}: CPU`, unit: "s", yardstick: yardstick.name },
    rounds: inTurns(subject, yardstick).map(([played, beside]) => ({
      value: costIn(played, act, both),
      yardstick: costIn(beside, act, ({ cpuMs }) => cpuMs / MS_PER_S),
    })),
  });
}

export type LimitedReading = {
  readonly name: string;
  readonly unit: string;
  readonly limit: { readonly name: string; readonly value: number };
  readonly bar: Bar;
  /** Undefined for a round in which nobody looked. */
  of(played: Performance): number | undefined;
};

/** The highest reading of a subject beside a number that it is not to exceed in any round. */
export function limitFigure({ played }: Rounds, { name, unit, limit, bar, of }: LimitedReading): Figure {
  const readings = played.flatMap((performance) => of(performance) ?? []);
  if (readings.length === 0) throw new Error(`nobody has looked at "${name}"`);
  const rounds = [{ value: Math.max(...readings), yardstick: limit.value }];
  return figureOf({ name, unit, yardstick: limit.name, bar, rounds });
}

/** What the two did in the rounds that both have played. */
function inTurns(subject: Rounds, yardstick: Rounds): readonly (readonly [Performance, Performance])[] {
  return subject.played.flatMap((played, round) => {
    const beside = yardstick.played[round];
    return beside === undefined ? [] : [[played, beside] as const];
  });
}

function costIn(played: Performance, act: string, of: Aspect["of"]): number {
  const cost = played.acts.get(act);
  if (cost === undefined) throw new Error(`the act "${act}" has not been played`);
  return of(cost, played);
}

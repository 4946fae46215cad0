// A work against its yardsticks: all of them take turns, and each pair becomes a figure.
import type { Bar } from "./bar.ts";
import { type Figure, figureOf, skipped } from "./figure.ts";
import { type MeasureOptions, measure, type Work } from "./measure.ts";

/** A yardstick that this machine cannot run says what is missing. */
export type Yardstick = { readonly name: string; readonly bar?: Bar; readonly work: Work | Missing };
export type Missing = { readonly missing: string };

export type WorkComparison = {
  readonly name: string;
  readonly unit: keyof typeof NS_PER_UNIT;
  readonly subject: Work;
  readonly yardsticks: readonly Yardstick[];
};

const NS_PER_UNIT = { ns: 1, µs: 1e3, ms: 1e6 } as const;

/** Measures the subject with every yardstick that can run; one figure for each yardstick, in their order. */
export async function compareWorks(comparison: WorkComparison, options: MeasureOptions): Promise<readonly Figure[]> {
  const { name, unit, subject, yardsticks } = comparison;
  const present = yardsticks.flatMap(({ work }) => ("missing" in work ? [] : [work]));
  const [taken = [], ...others] = present.length === 0 ? [] : await measure([subject, ...present], options);
  const perUnit = 1 / NS_PER_UNIT[unit];
  return yardsticks.map((yardstick) => {
    if ("missing" in yardstick.work) return skipped(`${name} / ${yardstick.name}`, yardstick.work.missing);
    const against = others[present.indexOf(yardstick.work)] ?? [];
    const rounds = taken.map((ns, round) => ({ value: ns * perUnit, yardstick: (against[round] ?? 0) * perUnit }));
    return figureOf({ name, unit, yardstick: yardstick.name, rounds, ...(yardstick.bar && { bar: yardstick.bar }) });
  });
}

// A figure is one line of a benchmark: what was measured, what it is held against, and whether the bar holds.
import { type Bar, isHeld } from "./bar.ts";
import { median, type Spread, spreadOf } from "./statistics.ts";

export type MeasuredFigure = {
  readonly kind: "measured";
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly yardstick: { readonly name: string; readonly value: number };
  /** The figure divided by the yardstick: the median over rounds of what each round gave. */
  readonly ratio: number;
  /** Undefined when the figure is for information. */
  readonly bar: Bar | undefined;
  /** Undefined when there is no bar. */
  readonly held: boolean | undefined;
  /** How far the ratio strayed over the rounds. */
  readonly spread: Spread;
};

export type SkippedFigure = { readonly kind: "skipped"; readonly name: string; readonly reason: string };

export type Figure = MeasuredFigure | SkippedFigure;

export type FigureInput = {
  readonly name: string;
  readonly unit: string;
  readonly yardstick: string;
  readonly bar?: Bar;
  /** One pair per round, taken one after the other, so that a busy machine slows both. */
  readonly rounds: readonly Round[];
};

export type Round = { readonly value: number; readonly yardstick: number };

/** Sums rounds up to a figure and judges it. */
export function figureOf({ name, unit, yardstick, bar, rounds }: FigureInput): MeasuredFigure {
  const ratios = rounds.map((round) => round.value / round.yardstick);
  const ratio = median(ratios);
  return {
    kind: "measured",
    name,
    value: median(rounds.map((round) => round.value)),
    unit,
    yardstick: { name: yardstick, value: median(rounds.map((round) => round.yardstick)) },
    ratio,
    bar,
    held: bar === undefined ? undefined : isHeld(bar, ratio),
    spread: spreadOf(ratios),
  };
}

/** A figure that could not be taken here; it counts neither as held nor as missed. */
export function skipped(name: string, reason: string): SkippedFigure {
  return { kind: "skipped", name, reason };
}

/** True when a bar was measured and missed. */
export function isMissed(figure: Figure): boolean {
  return figure.kind === "measured" && figure.held === false;
}

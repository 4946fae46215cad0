// A benchmark is a value: a name, a sentence, and a function from its context to figures.
import type { Figure } from "./figure.ts";
import type { MeasureOptions } from "./measure.ts";

export type BenchmarkContext = MeasureOptions & {
  /** Says on standard error what is being measured; a benchmark may take a minute. */
  progress(message: string): void;
};

export type Benchmark = {
  readonly name: string;
  readonly summary: string;
  /** How many rounds are enough, where that is not the usual number. */
  readonly roundsDefault?: number;
  run(context: BenchmarkContext): Promise<readonly Figure[]>;
};

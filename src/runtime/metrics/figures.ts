// Figures that other rooms keep, in the same registry as those of the runtime. Whoever adds one bounds the values of its labels.
import { Counter, Gauge, Histogram } from "prom-client";
import type { Metrics } from "./metrics.ts";

export type Figure<L extends string> = {
  /** The whole name, as it is scraped. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
};

export type Tell<L extends string> = (labels: Readonly<Record<L, string>>, value: number) => void;
type Target = Pick<Metrics, "registry">;

/** A gauge with one label; its values are read whenever somebody scrapes. */
export function addGauge<L extends string>(
  { registry }: Target,
  { name, help, label }: Omit<Figure<L>, "labels"> & { readonly label: L },
  read: () => Iterable<readonly [string, number]>,
): void {
  new Gauge<string>({
    ...{ name, help, labelNames: [label], registers: [registry] },
    collect() {
      this.reset();
      for (const [value, count] of read()) this.set({ [label]: value }, count);
    },
  });
}

/** A counter; what it returns raises it. */
export function addCounter<L extends string>({ registry }: Target, { name, help, labels }: Figure<L>): Tell<L> {
  const counter = new Counter<string>({ name, help, labelNames: [...labels], registers: [registry] });
  return (values, by) => counter.inc({ ...values }, by);
}

/** A histogram; what it returns adds an observation. */
export function addHistogram<L extends string>(
  { registry }: Target,
  { name, help, labels, buckets }: Figure<L> & { readonly buckets: readonly number[] },
): Tell<L> {
  const options = { name, help, labelNames: [...labels], buckets: [...buckets], registers: [registry] };
  const histogram = new Histogram<string>(options);
  return (values, value) => histogram.observe({ ...values }, value);
}

// The rows of the table: which costs are compared for which workload, and the bars they are held to.
import { atMost, type Bar } from "../bar.ts";
import { type Figure, figureOf, skipped } from "../figure.ts";
import type { Cost } from "./cost.ts";
import type { Workload, WorkloadName } from "./workloads.ts";

/** What one round cost each subject. */
export type RoundCosts = { readonly ours: Cost; readonly oursWithoutFlags: Cost; readonly peer: Cost };

export type Machine = { readonly loadAtStart: number };

type Row = { readonly label: string; readonly unit: string; readonly bar?: Bar; readonly of: (cost: Cost) => number };

/** On a busier machine a block shows how long others held the processor, not how long we did. */
const IDLE_LOAD_MAX = 1;
const BLOCK_MS_MAX = 40;

const cpu = (bar?: Bar): Row => ({ label: "CPU", unit: "ms", of: ({ cpuMs }) => cpuMs, ...(bar && { bar }) });
const memory = (bar?: Bar): Row => ({
  label: "peak memory",
  unit: "MB",
  of: ({ peakMb }) => peakMb,
  ...(bar && { bar }),
});
const connections = (bar?: Bar): Row => ({
  label: "TLS connections",
  unit: "conn",
  of: (cost) => cost.connections,
  ...(bar && { bar }),
});
const time: Row = { label: "time", unit: "ms", of: ({ wallMs }) => wallMs };
const block: Row = { label: "longest block", unit: "ms", of: ({ blockMs }) => blockMs };

const rows: Readonly<Record<WorkloadName, readonly Row[]>> = {
  patch: [cpu(atMost(1 / 5)), memory(atMost(1 / 2.5)), connections(atMost(1 / 100)), time, block],
  list: [cpu(atMost(1 / 2.5)), memory(atMost(1 / 2.5)), time, block],
  watch: [cpu(atMost(1 / 1.5)), memory(atMost(1 / 2)), time, block],
};

/** The figures of a workload from its rounds. */
export function figuresOf(
  { name, title }: Workload,
  peer: string,
  rounds: readonly RoundCosts[],
  machine: Machine,
): readonly Figure[] {
  const against = (row: Row, whose: "ours" | "oursWithoutFlags", suffix = ""): Figure =>
    figureOf({
      name: `${title}: ${row.label}${suffix}`,
      unit: row.unit,
      yardstick: peer,
      rounds: rounds.map((costs) => ({ value: row.of(costs[whose]), yardstick: row.of(costs.peer) })),
      ...(row.bar && { bar: row.bar }),
    });
  return [
    ...rows[name].map((row) => against(row, "ours")),
    ...[cpu(), memory()].map((row) => against(row, "oursWithoutFlags", ", default flags")),
    ...(name === "list" ? [blockFigure(title, rounds, machine)] : []),
  ];
}

/** The same rows when there is nothing to compare with. */
export function skippedFigures({ name, title }: Workload, reason: string): readonly Figure[] {
  return rows[name].map(({ label }) => skipped(`${title}: ${label}`, reason));
}

/** The one bar that is a time and not a ratio, so its yardstick is a number; judged only where nobody else runs. */
function blockFigure(title: string, rounds: readonly RoundCosts[], { loadAtStart }: Machine): Figure {
  const isIdle = loadAtStart < IDLE_LOAD_MAX;
  const judged = isIdle ? "" : `; not judged at load ${loadAtStart.toFixed(1)}`;
  return figureOf({
    name: `${title}: ${block.label}, limit`,
    unit: block.unit,
    yardstick: `allowed (idle machine only${judged})`,
    rounds: rounds.map(({ ours }) => ({ value: ours.blockMs, yardstick: BLOCK_MS_MAX })),
    ...(isIdle && { bar: atMost(1) }),
  });
}

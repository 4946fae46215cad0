import { describe, expect, test } from "vitest";
import type { Cost } from "./cost.ts";
import { figuresOf, type RoundCosts, skippedFigures } from "./rows.ts";
import { type WorkloadName, workloads } from "./workloads.ts";

const workloadOf = (name: WorkloadName) => {
  const workload = workloads.find((each) => each.name === name);
  return workload ?? expect.unreachable(`no workload ${name}`);
};
const aCost = (changes: Partial<Cost> = {}): Cost => ({
  wallMs: 1_000,
  cpuMs: 1_000,
  peakMb: 400,
  blockMs: 500,
  connections: 2_000,
  ...changes,
});
const aRound = (ours: Partial<Cost>, peer: Partial<Cost> = {}): RoundCosts => ({
  ours: aCost(ours),
  oursWithoutFlags: aCost(ours),
  peer: aCost(peer),
});
const figures = (name: WorkloadName, rounds: readonly RoundCosts[], loadAtStart = 0) =>
  figuresOf(workloadOf(name), "peer 1.0", rounds, { loadAtStart });

/** What is said of the one figure whose name ends so. */
function figure(name: WorkloadName, ending: string, rounds: readonly RoundCosts[], loadAtStart = 0) {
  const found = figures(name, rounds, loadAtStart).filter((each) => each.name.endsWith(`: ${ending}`));
  expect(found).toHaveLength(1);
  return found[0];
}

describe("the bars", () => {
  test.each([
    { workload: "patch", row: "CPU", held: { cpuMs: 200 }, missed: { cpuMs: 201 } },
    { workload: "patch", row: "peak memory", held: { peakMb: 160 }, missed: { peakMb: 161 } },
    { workload: "patch", row: "TLS connections", held: { connections: 20 }, missed: { connections: 21 } },
    { workload: "list", row: "CPU", held: { cpuMs: 400 }, missed: { cpuMs: 401 } },
    { workload: "list", row: "peak memory", held: { peakMb: 160 }, missed: { peakMb: 161 } },
    { workload: "list", row: "longest block, limit", held: { blockMs: 40 }, missed: { blockMs: 41 } },
    { workload: "watch", row: "CPU", held: { cpuMs: 666 }, missed: { cpuMs: 667 } },
    { workload: "watch", row: "peak memory", held: { peakMb: 200 }, missed: { peakMb: 201 } },
  ] as const)("$workload, $row: $held is held, $missed is not", ({ workload, row, held, missed }) => {
    expect(figure(workload, row, [aRound(held)])).toMatchObject({ held: true });
    expect(figure(workload, row, [aRound(missed)])).toMatchObject({ held: false });
  });

  test("are none for time, and none for runs without the product's flags", () => {
    const slow = aRound({ wallMs: 9_000, cpuMs: 9_000, peakMb: 9_000 });
    for (const row of ["time", "CPU, default flags", "peak memory, default flags"]) {
      expect(figure("watch", row, [slow])).toMatchObject({ ratio: expect.any(Number), held: undefined });
    }
  });

  test("judge the block of the event loop only where nobody else runs", () => {
    const round = aRound({ blockMs: 60 });
    expect(figure("list", "longest block, limit", [round], 0.99)).toMatchObject({ held: false });
    expect(figure("list", "longest block, limit", [round], 1)).toMatchObject({
      held: undefined,
      value: 60,
      yardstick: { value: 40, name: "allowed (idle machine only; not judged at load 1.0)" },
    });
  });
});

test("the row of the flags is measured by the run without them", () => {
  const round = { ...aRound({ cpuMs: 100 }), oursWithoutFlags: aCost({ cpuMs: 150 }) };
  expect(figure("list", "CPU", [round])).toMatchObject({ value: 100, ratio: 0.1 });
  expect(figure("list", "CPU, default flags", [round])).toMatchObject({ value: 150, ratio: 0.15 });
});

test("a row compares within each round, so a busy round does not bend it", () => {
  const rounds = [aRound({ cpuMs: 100 }), aRound({ cpuMs: 900 }, { cpuMs: 9_000 }), aRound({ cpuMs: 100 })];
  expect(figure("list", "CPU", rounds)).toMatchObject({ ratio: 0.1, yardstick: { name: "peer 1.0", value: 1_000 } });
});

test("without the peer every row that would be compared is skipped, with the reason", () => {
  for (const workload of workloads) {
    const all = figures(workload.name, [aRound({})]).map(({ name }) => name);
    const skips = skippedFigures(workload, "npm ci failed");
    expect(all).toEqual(expect.arrayContaining(skips.map(({ name }) => name)));
    expect(skips.map(({ kind }) => kind)).toEqual(skips.map(() => "skipped"));
    expect(skips.length).toBeGreaterThanOrEqual(4);
  }
});

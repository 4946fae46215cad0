import { expect, test } from "vitest";
import { atMost } from "../bar.ts";
import { actFigures, limitFigure, togetherFigure } from "./figures.ts";
import type { ActCost, Performance } from "./play.ts";

function performance(cost: Partial<ActCost>, peakMb = 100): Performance {
  const whole = {
    ...{ wallMs: 1_000, cpuMs: 1_000, controllersCpuMs: undefined, unavailableMax: 0, twins: 0, requests: new Map() },
    ...cost,
  };
  return { startCpuMs: 500, acts: new Map([["cold start", whole]]), idle: undefined, peakMb };
}

const requests = (creates: number, renewals: number) =>
  new Map([
    ["create pods", creates],
    ["update leases", renewals],
  ]);

test("an act is held to its bars by ratios, and upkeep is told but not judged", () => {
  const ours = { name: "ours", played: [performance({ wallMs: 1_200, cpuMs: 3_000, requests: requests(1_020, 500) })] };
  const ideal = { name: "oracle", played: [performance({ cpuMs: 1_000, requests: requests(1_000, 0) })] };
  const bars = { wall: atMost(1.15), cpu: atMost(2.5), requests: atMost(1.03) };
  const figures = actFigures("cold start", ours, ideal, bars).flatMap((figure) =>
    figure.kind === "measured" ? [[figure.name, figure.ratio, figure.held]] : [],
  );
  expect(figures).toEqual([
    ["ours, cold start: wall", 1.2, false],
    ["ours, cold start: CPU", 3, false],
    ["ours, cold start: CPU with its start", 3_500 / 1_500, undefined],
    ["ours, cold start: requests", 1.02, true],
    ["ours, cold start: requests with upkeep", 1.52, undefined],
  ]);
});

test("a subject that works beside the plane's manager is put beside a manager that plays in its place", () => {
  const ours = { name: "ours", played: [performance({ cpuMs: 3_000, controllersCpuMs: 4_000 })] };
  const native = { name: "native", played: [performance({ cpuMs: 10_000 })] };
  expect(togetherFigure("cold start", ours, native)).toMatchObject({ value: 7, ratio: 0.7, held: undefined });
});

test("an act that somebody has not played is no figure", () => {
  const ours = { name: "ours", played: [performance({})] };
  expect(() => actFigures("rolling update", ours, ours, {})).toThrow('"rolling update" has not been played');
});

test("a reading is held to its limit", () => {
  const wish = { name: "memory", unit: "MB", limit: { name: "limit", value: 120 }, bar: atMost(1) };
  const held = (peakMb: number) => {
    const of = (played: Performance) => played.peakMb;
    const figure = limitFigure({ name: "ours", played: [performance({}, peakMb)] }, { ...wish, of });
    return figure.kind === "measured" && figure.held;
  };
  expect([held(120), held(121)]).toEqual([true, false]);
});

test("who has played more rounds is compared in those that both have played", () => {
  const ours = { name: "ours", played: [performance({ wallMs: 3_000 }), performance({ wallMs: 9_000 })] };
  const aside = { name: "aside", played: [performance({ wallMs: 2_000 })] };
  const [wall] = actFigures("cold start", ours, aside, {});
  expect(wall).toMatchObject({ name: "ours, cold start: wall", value: 3, ratio: 1.5 });
});

test("a limit is held only if every round in which somebody looked holds it", () => {
  const wish = { name: "twins", unit: "times", limit: { name: "none allowed", value: 1 }, bar: atMost(0) };
  const readings = [0, undefined, 1, 0];
  const played = readings.map(() => performance({}));
  const of = (one: Performance) => readings[played.indexOf(one)];
  expect(limitFigure({ name: "ours", played }, { ...wish, of })).toMatchObject({ value: 1, held: false });
  expect(() => limitFigure({ name: "ours", played }, { ...wish, of: () => undefined })).toThrow("nobody has looked");
});

import { describe, expect, test } from "vitest";
import { CACHE_LIMITS } from "../cache/cache-limits.ts";
import {
  type Attempt,
  decideNext,
  type EndReason,
  isDoubtful,
  isSetBack,
  type Position,
  type Step,
  startPosition,
} from "./reflector-policy.ts";

const NOW_MS = 1_000_000;
const HALF = { nowMs: NOW_MS, chance: 0.5 };

const aPosition = (changed: Partial<Position> = {}): Position => ({
  ...startPosition(NOW_MS),
  step: "watch",
  ...changed,
});

/** An attempt that was answered and brought nothing, unless said otherwise. */
const anAttempt = (reason: EndReason, changed: Partial<Attempt> = {}): Attempt => ({
  ...{ listed: false, answered: true, advanced: false, aliveMs: 0, tookMs: 10 },
  end: { reason, message: "" },
  ...changed,
});

const next = (position: Position, attempt: Attempt, at = HALF) => decideNext(position, attempt, CACHE_LIMITS, at);

describe("after a watch", () => {
  test("that brought news goes on at once from where it ended, whatever ended it", () => {
    for (const reason of ["Ended", "Broken", "Silent", "Garbled", "ServerFailed"] as const) {
      const attempt = anAttempt(reason, { advanced: true, tookMs: 5_000 });
      const move = next(aPosition({ failures: 4, barrenWatches: 2 }), attempt);
      expect(move).toMatchObject({ delayMs: 0, isFailure: false });
      expect(move.position).toMatchObject({ step: "watch", failures: 0, barrenWatches: 0 });
    }
  });

  test("that brought news and ended at once keeps the distance between two starts", () => {
    expect(next(aPosition(), anAttempt("Ended", { advanced: true, tookMs: 100 })).delayMs).toBe(400);
  });

  test("of a quiet resource counts as healthy once it lived long enough", () => {
    const attempt = anAttempt("Ended", { aliveMs: CACHE_LIMITS.healthyAfterMs, tookMs: 300_000 });
    expect(next(aPosition({ failures: 3 }), attempt)).toMatchObject({ delayMs: 0, position: { failures: 0 } });
  });

  test("that brought nothing comes ever more slowly, between 800 ms and 30 s, half of it jitter", () => {
    const delays = (chance: number) =>
      [0, 1, 2, 3, 4, 5, 6, 20].map(
        (failures) =>
          next(aPosition({ failures }), anAttempt("Broken", { answered: false }), { nowMs: NOW_MS, chance }).delayMs,
      );
    expect(delays(0)).toEqual([400, 800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000]);
    expect(delays(1)).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  });

  test("that was turned away stays away as long as it was asked to, and a little longer", () => {
    const attempt = anAttempt("Overloaded", { end: { reason: "Overloaded", message: "", retryAfterMs: 20_000 } });
    expect(next(aPosition(), attempt).delayMs).toBe(22_500);
  });

  test("that was asked to stay away for hours asks again after minutes: nobody may blind us with one answer", () => {
    const attempt = anAttempt("Overloaded", { end: { reason: "Overloaded", message: "", retryAfterMs: 3_600_000 } });
    expect(next(aPosition(), attempt).delayMs).toBe(337_500);
  });

  test.each<{ reason: EndReason; step: Step }>([
    { reason: "Expired", step: "streamed-list" },
    { reason: "OutOfOrder", step: "streamed-list" },
    { reason: "TooManyObjects", step: "streamed-list" },
    { reason: "Ended", step: "watch" },
    { reason: "Broken", step: "watch" },
    { reason: "Garbled", step: "watch" },
    { reason: "ServerFailed", step: "watch" },
    { reason: "Denied", step: "watch" },
  ])("that ended with $reason comes a $step", ({ reason, step }) => {
    expect(next(aPosition(), anAttempt(reason)).position.step).toBe(step);
  });

  test("for the third time in a row without news a list shall tell what is wrong", () => {
    const steps = [0, 1, 2].map((barrenWatches) => next(aPosition({ barrenWatches }), anAttempt("Silent")).position);
    expect(steps.map(({ step, barrenWatches }) => [step, barrenWatches])).toEqual([
      ["watch", 1],
      ["watch", 2],
      ["streamed-list", 0],
    ]);
  });

  test("that was never answered no list is asked for: a server that is down has enough to do", () => {
    const attempt = anAttempt("Unreachable", { answered: false });
    expect(next(aPosition({ barrenWatches: 2 }), attempt).position).toMatchObject({ step: "watch", barrenWatches: 2 });
  });

  test("comes a list when the last one is long ago", () => {
    const listedAtMs = NOW_MS - CACHE_LIMITS.relistMs;
    const attempt = anAttempt("Ended", { advanced: true });
    expect(next(aPosition({ listedAtMs }), attempt).position.step).toBe("streamed-list");
    expect(next(aPosition({ listedAtMs: listedAtMs + 1 }), attempt).position.step).toBe("watch");
  });
});

describe("after a list", () => {
  test("in pages the watch follows at once, and the back-off goes on until the watch brings something", () => {
    const move = next(aPosition({ step: "paged-list", failures: 3 }), anAttempt("Listed", { listed: true }));
    expect(move).toMatchObject({ delayMs: 0, isFailure: false });
    expect(move.position).toMatchObject({ step: "watch", failures: 3, listedAtMs: NOW_MS });
  });

  test("as a stream the watch has begun already and is resumed", () => {
    const attempt = anAttempt("Broken", { listed: true });
    expect(next(aPosition({ step: "streamed-list" }), attempt).position).toMatchObject({ step: "watch", failures: 1 });
  });

  test("as a stream counts from its beginning, so that a watch of minutes does not put off the next list", () => {
    const attempt = anAttempt("Ended", { listed: true, advanced: true, tookMs: 200_000 });
    const { position } = next(aPosition({ step: "streamed-list" }), attempt);
    expect(position).toMatchObject({ step: "watch", listedAtMs: NOW_MS - 200_000 });
  });

  test("that the server refuses to stream, pages follow at once and for ever", () => {
    const refused = next(aPosition({ step: "streamed-list" }), anAttempt("Invalid", { answered: false }));
    expect(refused).toMatchObject({
      delayMs: 0,
      isFailure: false,
      position: { step: "paged-list", streamsLists: false },
    });
    expect(next({ ...refused.position, step: "watch" }, anAttempt("Expired")).position.step).toBe("paged-list");
  });

  test("that failed, streams and pages take turns", () => {
    const afterStream = next(aPosition({ step: "streamed-list" }), anAttempt("Silent"));
    const afterPages = next(afterStream.position, anAttempt("Broken"));
    expect([afterStream.position.step, afterPages.position.step]).toEqual(["paged-list", "streamed-list"]);
    expect(afterPages.delayMs).toBeGreaterThan(afterStream.delayMs);
  });

  test("whose position expired in the middle all comes in one page", () => {
    expect(next(aPosition({ step: "paged-list" }), anAttempt("Expired")).position.step).toBe("whole-list");
    expect(next(aPosition({ step: "whole-list", streamsLists: false }), anAttempt("Broken")).position.step).toBe(
      "paged-list",
    );
  });
});

test("a server that expires every watch right after its list is listed ever more slowly", () => {
  let position = aPosition();
  const delays: number[] = [];
  for (let round = 0; round < 7; round++) {
    const lost = next(position, anAttempt("Expired"));
    delays.push(lost.delayMs);
    position = next(lost.position, anAttempt("Listed", { listed: true })).position;
  }
  expect(delays).toEqual([600, 1_200, 2_400, 4_800, 9_600, 19_200, 22_500]);
});

describe("history that was set back", () => {
  const stale = (position: Position, nowMs: number) =>
    next(position, anAttempt("StaleList"), { nowMs, chance: 0.5 }).position;

  test("is believed after enough old lists over a long enough time", () => {
    let position = aPosition({ step: "paged-list" });
    const believed: boolean[] = [];
    for (let round = 0; round < 7; round++) {
      const nowMs = NOW_MS + round * 30_000;
      believed.push(isSetBack(position, CACHE_LIMITS, nowMs));
      position = stale(position, nowMs);
    }
    expect(believed).toEqual([false, false, false, false, false, true, true]);
  });

  test("is not believed for many old lists in a short time, nor once a current list has come", () => {
    let position = aPosition({ step: "paged-list" });
    for (let round = 0; round < 20; round++) position = stale(position, NOW_MS + round * 1_000);
    expect(isSetBack(position, CACHE_LIMITS, NOW_MS + 20_000)).toBe(false);
    const listed = next(position, anAttempt("Listed", { listed: true })).position;
    expect(isSetBack(listed, CACHE_LIMITS, NOW_MS + 1_000_000)).toBe(false);
  });
});

test("a list that lacks many objects is doubted once and then believed", () => {
  expect([isDoubtful(1_000, 100, CACHE_LIMITS), isDoubtful(1_000, 101, CACHE_LIMITS)]).toEqual([false, true]);
  expect([isDoubtful(10, 10, CACHE_LIMITS), isDoubtful(11, 11, CACHE_LIMITS)]).toEqual([false, true]);
  const doubted = next(aPosition({ step: "streamed-list" }), anAttempt("DoubtedList")).position;
  expect(doubted).toMatchObject({ doubts: true, step: "paged-list" });
  expect(next(doubted, anAttempt("Broken")).position.doubts).toBe(true);
  expect(next(doubted, anAttempt("Listed", { listed: true })).position.doubts).toBe(false);
});

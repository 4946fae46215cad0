import { describe, expect, test } from "vitest";
import { heartbeatFor, mixedFleet } from "./fleet.ts";

describe("mixedFleet()", () => {
  test("is mixed, has names of one length, and is the same every time", () => {
    const fleet = mixedFleet({ count: 12 });
    expect(fleet.map(({ name }) => name).slice(0, 2)).toEqual(["node-001", "node-002"]);
    expect(new Set(fleet.map(({ kernel }) => kernel)).size).toBe(5);
    expect(new Set(fleet.map(({ arch }) => arch))).toEqual(new Set(["amd64", "arm64"]));
    expect(mixedFleet({ count: 12 })).toEqual(fleet);
  });

  test("hands out the kernels it is given in turn", () => {
    expect(mixedFleet({ count: 3, kernels: ["a", "b"] }).map(({ kernel }) => kernel)).toEqual(["a", "b", "a"]);
  });
});

describe("heartbeatFor()", () => {
  test.each([
    [1, 10_000, 40],
    [250, 10_000, 40],
    [1_000, 40_000, 160],
  ])("%i nodes renew every %i ms and are lost after %i s", (nodes, everyMs, graceSeconds) => {
    expect(heartbeatFor(nodes)).toEqual({ everyMs, graceSeconds });
  });
});

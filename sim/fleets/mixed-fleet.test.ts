import { expect, test } from "vitest";
import { mixedFleet } from "./mixed-fleet.ts";

test("a dozen machines are mixed, have names of one length, and are the same every time", () => {
  const fleet = mixedFleet({ count: 12 });
  expect(fleet.map(({ name }) => name).slice(0, 2)).toEqual(["node-001", "node-002"]);
  expect(new Set(fleet.map(({ kernel }) => kernel)).size).toBeGreaterThanOrEqual(5);
  expect(new Set(fleet.map(({ arch }) => arch))).toEqual(new Set(["amd64", "arm64"]));
  expect(mixedFleet({ count: 12 })).toEqual(fleet);
});

test("kernels that are given are handed out in turn", () => {
  expect(mixedFleet({ count: 3, kernels: ["a", "b"] }).map(({ kernel }) => kernel)).toEqual(["a", "b", "a"]);
});

test("no machine is tainted, and none need be", () => {
  expect(mixedFleet({ count: 200 }).flatMap(({ taints }) => taints)).toEqual([]);
  expect(mixedFleet({ count: 0 })).toEqual([]);
});

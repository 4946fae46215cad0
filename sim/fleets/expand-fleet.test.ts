import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { apportion } from "./apportion.ts";
import { expandFleet, numbered } from "./expand-fleet.ts";
import type { Fleet } from "./fleet.ts";
import { parseFleet } from "./parse-fleet.ts";
import { fleetNames, readFleet } from "./read-fleet.ts";

const tally = (values: readonly string[]) =>
  Object.fromEntries(Object.entries(Object.groupBy(values, (value) => value)).map(([key, all]) => [key, all?.length]));

function fleetOf(seed: number): Fleet {
  const text = `seed: ${seed}
groups:
  - { name: a-##, count: 8, os: X 1, arch: amd64, kernel: [{ value: k1, weight: 3 }, { value: k2, weight: 1 }], labels: { zone: [n, s] } }
  - { name: b-##, count: 2, os: Y 1, arch: arm64, kernel: k3 }`;
  return parseFleet("fleet.yaml", text);
}

describe("expandFleet()", () => {
  test("a mix is divided exactly in the proportion of its weights", () => {
    const machines = expandFleet(fleetOf(1));
    expect(tally(machines.map(({ kernel }) => kernel))).toEqual({ k1: 6, k2: 2, k3: 2 });
    expect(tally(machines.slice(0, 8).map(({ labels }) => labels.zone ?? ""))).toEqual({ n: 4, s: 4 });
  });

  test("the seed decides who gets what, and nothing else", () => {
    const kernels = (seed: number) => expandFleet(fleetOf(seed)).map(({ kernel }) => kernel);
    expect(kernels(1)).toEqual(kernels(1));
    const orders = new Set([1, 2, 3, 4, 5].map((seed) => kernels(seed).join()));
    expect(orders.size).toBeGreaterThan(1);
  });

  test("another size keeps the proportion of the groups", () => {
    const machines = expandFleet(fleetOf(1), { count: 100 });
    expect(tally(machines.map(({ osImage }) => osImage))).toEqual({ "X 1": 80, "Y 1": 20 });
    expect(new Set(machines.map(({ name }) => name)).size).toBe(100);
  });
});

test.each([
  ["gpu-###", 7, "gpu-007"],
  ["gpu-#", 12, "gpu-12"],
  ["r#-n##", 3, "r#-n03"],
  ["lonely", 1, "lonely"],
])("the name %s with number %i is %s", (pattern, number, name) => {
  expect(numbered(pattern, number)).toBe(name);
});

test("whatever the weights, the parts add up and none is more than one away from its share", () => {
  const weights = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(weights, fc.integer({ min: 0, max: 5_000 }), (list, total) => {
      const parts = apportion(list, total);
      const sum = list.reduce((all, weight) => all + weight, 0);
      expect(parts.reduce((all, part) => all + part, 0)).toBe(total);
      parts.forEach((part, place) => {
        expect(Math.abs(part - (total * (list[place] ?? 0)) / sum)).toBeLessThan(1);
      });
    }),
  );
});

describe("the fleets that come with Farrier", () => {
  test.each(fleetNames())("%s can be read, and its machines have names of their own", (name) => {
    const machines = expandFleet(readFleet(name));
    expect(new Set(machines.map((machine) => machine.name)).size).toBe(machines.length);
  });

  test("mixed-200 has 200 machines of five kinds, mixed as it says", () => {
    const fleet = readFleet("mixed-200");
    const machines = expandFleet(fleet);
    expect([machines.length, fleet.groups.length]).toEqual([200, 5]);
    expect(new Set(machines.map(({ arch }) => arch)).size).toBe(2);
    expect(new Set(machines.map(({ osImage }) => osImage)).size).toBe(4);
    expect(new Set(machines.map(({ kernel }) => kernel)).size).toBe(7);
    expect(machines.filter(({ capacity }) => capacity?.["nvidia.com/gpu"] === "8").length).toBe(64);
    expect(machines.filter(({ labels }) => labels.disk === "large").length).toBe(24);
  });

  test("small-5 has five machines and two kernels", () => {
    const kernels = expandFleet(readFleet("small-5")).map(({ kernel }) => kernel);
    expect([kernels.length, new Set(kernels).size]).toEqual([5, 2]);
  });

  test("a fleet that is not there is answered with those that are", () => {
    expect(() => readFleet("nowhere")).toThrow(/fleet "nowhere" cannot be read .*edge, mixed-200, small-5/);
  });
});

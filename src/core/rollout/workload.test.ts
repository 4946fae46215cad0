import fc from "fast-check";
import { expect, test } from "vitest";
import { parseWorkload } from "./workload.ts";

test("parseWorkload() reads a DaemonSet's identity, spec and counts", () => {
  const status = {
    observedGeneration: 2,
    ...{ desiredNumberScheduled: 5, currentNumberScheduled: 4, numberMisscheduled: 1 },
    ...{ updatedNumberScheduled: 3, numberReady: 2, numberAvailable: 1, numberUnavailable: 4 },
  };
  const spec = { updateStrategy: { type: "OnDelete" } };
  expect(parseWorkload({ metadata: { name: "el9", generation: 2 }, spec, status })).toMatchObject({
    name: "el9",
    generation: 2,
    spec,
    status: { observedGeneration: 2, desired: 5, current: 4, misscheduled: 1, updated: 3, ready: 2, available: 1 },
  });
});

test("parseWorkload() counts what was never reported as 0 and never throws", () => {
  expect(parseWorkload({}).status).toEqual({
    observedGeneration: 0,
    ...{ desired: 0, current: 0, misscheduled: 0, updated: 0, ready: 0, available: 0 },
  });
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (spec, status) => {
      const workload = parseWorkload(JSON.parse(JSON.stringify({ spec, status })));
      expect(Number.isSafeInteger(workload.status.desired)).toBe(true);
    }),
  );
});

import { describe, expect, test } from "vitest";
import { nodesToUpdate, updateCounts, validateUpdateLimits } from "./update-counts.ts";
import vectors from "./vectors/update-counts.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(vectors)(
    "unavailable $maxUnavailable, surge $maxSurge of $desiredNumberScheduled",
    ({ desiredNumberScheduled, maxUnavailable, maxSurge, expected }) => {
      const counts = updateCounts(
        { maxUnavailable, maxSurge },
        desiredNumberScheduled,
        "spec.updateStrategy.rollingUpdate",
      );
      expect(counts.ok ? counts.value : { error: true }).toEqual(expected);
    },
  );
});

test("a bad limit is named by its path", () => {
  expect(updateCounts({ maxSurge: "half" }, 3, "rollingUpdate")).toEqual({
    ok: false,
    problems: [
      {
        path: "rollingUpdate.maxSurge",
        message: 'must end in "%", or be written without quotes as a number, not "half"',
      },
    ],
  });
});

test("a partition larger than the fleet leaves nothing to update", () => {
  expect(nodesToUpdate(10, 3)).toBe(7);
  expect(nodesToUpdate(3, 10)).toBe(0);
});

test.each([
  [{}, []],
  [{ maxUnavailable: 0, maxSurge: 1 }, []],
  [{ maxUnavailable: "10%" }, []],
  [{ maxUnavailable: 0 }, ["must not be 0 when maxSurge is 0"]],
  [{ maxUnavailable: "0%", maxSurge: "0%" }, ["must not be 0 when maxSurge is 0"]],
  [{ maxUnavailable: 1, maxSurge: "1%" }, ["must be 0 when maxUnavailable is not"]],
  [{ maxSurge: 1 }, ["must be 0 when maxUnavailable is not"]],
  [{ maxUnavailable: -1, maxSurge: "101%" }, ["must not be negative", "must not be greater than 100%"]],
  [
    { maxUnavailable: "5", maxSurge: 1.5 },
    ['must be digits followed by "%"', "must be a whole number within 32 bits or a percentage"],
  ],
])("%j is answered with %j", (limits, messages) => {
  expect(validateUpdateLimits(limits, "u").map((problem) => problem.message)).toEqual(messages);
});

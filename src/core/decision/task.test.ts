import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../json/json.ts";
import { objectIdentity } from "./object-identity.ts";
import { taskState } from "./task.ts";

const NOON = "2026-01-01T12:00:00Z";
const noonMs = Date.parse(NOON);
const stateOf = (object: JsonObject) => taskState({ ...objectIdentity(object), object });
const condition = (type: string, more: JsonObject = {}) => ({
  ...{ type, status: "True", lastTransitionTime: NOON, ...more },
});

test.each<[string, JsonObject, unknown]>([
  ["waits while it is suspended", { spec: { suspend: true } }, { is: "queued" }],
  ["runs when it is not", { spec: { suspend: false }, status: { active: 1 } }, { is: "running" }],
  [
    "is not over while that is only intended",
    { status: { conditions: [condition("FailureTarget")] } },
    { is: "running" },
  ],
  ["is over when complete", { status: { conditions: [condition("Complete")] } }, { is: "succeeded", endedMs: noonMs }],
  [
    "has failed with the controller's words",
    { status: { conditions: [condition("Failed", { reason: "DeadlineExceeded", message: "too long" })] } },
    { is: "failed", endedMs: noonMs, reason: "DeadlineExceeded", message: "too long" },
  ],
  [
    "has failed where it says both",
    { status: { conditions: [condition("Complete"), condition("Failed")] } },
    { is: "failed", endedMs: noonMs, reason: "", message: "" },
  ],
  [
    "minds no condition that is not true",
    { status: { conditions: [condition("Failed", { status: "False" })] } },
    { is: "running" },
  ],
])("a task %s", (_, object, state) => {
  expect(stateOf(object)).toEqual(state);
});

test("a Job of any shape is read without an error", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (spec, status) => {
      expect(["queued", "running", "succeeded", "failed"]).toContain(
        stateOf(JSON.parse(JSON.stringify({ spec, status }))).is,
      );
    }),
  );
});

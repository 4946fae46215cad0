import { expect, test } from "vitest";
import type { Plan } from "../../core/decision/plan.ts";
import { type Step, stepId } from "../../core/decision/step.ts";
import { ApiError } from "../../kube/client/api-error.ts";
import { TransportError } from "../../kube/transport-error.ts";
import { resultOfError, type StepResult, type StepResults } from "../perform/step-result.ts";
import { outcomeOf } from "./outcome.ts";

const step = (name: string): Step => {
  const object = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "ns", name } };
  return { do: "create", object, why: "a test wants it" };
};
const done: StepResult = { did: "done" };
const left: StepResult = { did: "left" };
const failed: StepResult = { did: "failed", because: "no answer" };
const unsent: StepResult = { did: "unsent", because: "time is up" };
const refused = (reason: "Forbidden" | "LabelContested" | "NameConflict"): StepResult => ({
  ...{ did: "refused", reason, because: `it is ${reason}` },
});

function sumUp(results: readonly StepResult[], lookAgainAtMs?: number) {
  const steps = results.map((_, index) => step(`p${index}`));
  const plan: Plan = { steps, held: [], ...(lookAgainAtMs === undefined ? {} : { lookAgainAtMs }) };
  const byId: StepResults = new Map(results.map((result, index) => [stepId(step(`p${index}`)), result]));
  return outcomeOf(plan, byId);
}

test.each([
  ["nothing to do", [], "settled", undefined],
  ["all done", [done, done], "settled", undefined],
  ["more than fits one pass", [done, left], "unfinished", undefined],
  ["trouble that may pass", [done, failed], "retry", undefined],
  ["not sent although nothing was refused", [unsent], "retry", undefined],
  ["trouble beats what is left", [left, failed], "retry", undefined],
  ["a refusal", [done, refused("Forbidden")], "stalled", "Forbidden"],
  ["a refusal and what waited for it", [refused("NameConflict"), unsent], "stalled", "NameConflict"],
  ["a refusal beats what is left", [refused("NameConflict"), left], "stalled", "NameConflict"],
  ["trouble and a refusal: try again, and say what is refused", [failed, refused("Forbidden")], "retry", "Forbidden"],
  [
    "of several refusals people read the gravest",
    [refused("LabelContested"), refused("Forbidden")],
    "stalled",
    "Forbidden",
  ],
] as const)("%s", (_, results, is, reason) => {
  const outcome = sumUp(results);
  expect([outcome.is, "stall" in outcome ? outcome.stall?.reason : undefined]).toEqual([is, reason]);
});

test("the instant to look again is handed on", () => {
  expect(sumUp([done], 7)).toEqual({ is: "settled", lookAgainAtMs: 7 });
  expect(sumUp([refused("Forbidden")], 7)).toMatchObject({ is: "stalled", lookAgainAtMs: 7 });
});

test("nodes that are only waited for give a lull, unless something is left or in trouble", () => {
  const plan: Plan = { steps: [step("p0")], held: [], awaitedNodes: 100 };
  const after = (result: StepResult) => outcomeOf(plan, new Map([[stepId(step("p0")), result]]));
  expect(after(done)).toEqual({ is: "settled", lookAgainAtMs: undefined, lullMs: 500 });
  for (const result of [left, failed, unsent, refused("Forbidden")]) expect(after(result)).not.toHaveProperty("lullMs");
});

test("a message names the step, the words of the server and how many more there are", () => {
  expect(sumUp([refused("Forbidden"), refused("Forbidden")])).toMatchObject({
    stall: { message: "create v1 Pod ns/p0: it is Forbidden (and 1 more like it)" },
  });
});

test("a step without a result is a mistake of ours", () => {
  expect(() => outcomeOf({ steps: [step("p")], held: [] }, new Map())).toThrow("has no result");
});

const answer = (status: number, reason = "", cause = "", message = "so says the server") =>
  new ApiError({
    ...{ status, reason, message, method: "POST", path: "/api" },
    causes: cause === "" ? [] : [{ reason: cause, message: "", field: "" }],
  });

test.each([
  [answer(403), "refused", "Forbidden"],
  [answer(403, "Forbidden", "NamespaceTerminating"), "refused", "NamespaceTerminating"],
  [answer(422, "Invalid"), "refused", "InvalidSpec"],
  [answer(400, "BadRequest"), "refused", "InvalidSpec"],
  [
    answer(
      500,
      "",
      "",
      "failed to create typed patch object (ns/a; apps/v1, Kind=DaemonSet): .spec.x: field not declared in schema",
    ),
    ...(["refused", "InvalidSpec"] as const),
  ],
  [answer(409, "Conflict"), "failed", undefined],
  [answer(404, "NotFound"), "failed", undefined],
  [answer(429), "failed", undefined],
  [answer(500), "failed", undefined],
  [answer(401), "failed", undefined],
  [new TransportError("timeout", "no answer"), "failed", undefined],
  [new Error("anything"), "failed", undefined],
])("%s is %s", (error, did, reason) => {
  const result = resultOfError(error);
  expect([result.did, "reason" in result ? result.reason : undefined]).toEqual([did, reason]);
});

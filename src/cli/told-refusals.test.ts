import { expect, test } from "vitest";
import type { Json, JsonObject } from "../core/json.ts";
import { toldRefusals } from "./told-refusals.ts";

const anObject = (problems: Json): JsonObject => ({ metadata: { name: "agent", uid: "u" }, status: { problems } });

test("a node that a status gives as an example of a refused write has that refusal, for that object alone", () => {
  const message = 'it is held by "other"';
  const problem = { reason: "LabelContested", message, nodes: 1, examples: ["a"] };
  const refusal = toldRefusals([anObject([{ ...problem, reason: "BudgetSpent", examples: ["b"] }, problem])]);
  expect(refusal("u", "a")).toEqual({ reason: "LabelContested", because: message });
  expect([refusal("u", "b"), refusal("another", "a"), refusal("u", "c")]).toEqual([undefined, undefined, undefined]);
});

test("a status of any other shape tells of no refusal", () => {
  const shapes: readonly Json[] = [null, {}, ["x"], [{ reason: "LabelContested" }], [{ reason: 1, examples: [2] }]];
  const refusal = toldRefusals([...shapes.map(anObject), { kind: "Node" }, { status: "fine" }]);
  expect(refusal("u", "a")).toBeUndefined();
});

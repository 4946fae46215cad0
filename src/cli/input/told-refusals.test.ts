import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../core/json/json.ts";
import { toldRefusals } from "./told-refusals.ts";

const anObject = (problems: Json): JsonObject => ({ metadata: { name: "agent", uid: "u" }, status: { problems } });

test("a node that a status gives as an example of a refused write has that refusal, for that object alone", () => {
  const message = 'it is held by "other"';
  const problem = { reason: "LabelContested", message, nodes: 1, examples: ["a"] };
  const refusal = toldRefusals([anObject([{ ...problem, reason: "BudgetSpent", examples: ["b"] }, problem])]);
  expect(refusal("u", "Node", "a")).toEqual({ reason: "LabelContested", because: message });
  expect([refusal("u", "Node", "b"), refusal("another", "Node", "a"), refusal("u", "Node", "c")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("a DaemonSet of the variant that a refusal is told for has it too", () => {
  const problem = { variant: "new", reason: "InvalidSpec", message: "422", nodes: 1, examples: ["a"] };
  const variants = [
    { name: "new", daemonSet: "agent-new" },
    { name: "old", daemonSet: "agent-old" },
  ];
  const refusal = toldRefusals([{ metadata: { uid: "u" }, status: { problems: [problem], variants } }]);
  expect(refusal("u", "DaemonSet", "agent-new")).toEqual({ reason: "InvalidSpec", because: "422" });
  expect(refusal("u", "DaemonSet", "agent-old")).toBeUndefined();
});

test("a status of any other shape tells of no refusal", () => {
  const shapes: readonly Json[] = [null, {}, ["x"], [{ reason: "LabelContested" }], [{ reason: 1, examples: [2] }]];
  const refusal = toldRefusals([...shapes.map(anObject), { kind: "Node" }, { status: "fine" }]);
  expect(refusal("u", "Node", "a")).toBeUndefined();
});

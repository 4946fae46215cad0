import { describe, expect, test } from "vitest";
import { validateToleration } from "./toleration-validation.ts";
import vectors from "./vectors/toleration-validation.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(vectors)("$toleration: $valid", ({ toleration, valid, validWithComparisonOperators }) => {
    expect(validateToleration(toleration, "t", { comparisonOperators: false }).length === 0).toBe(valid);
    expect(validateToleration(toleration, "t", { comparisonOperators: true }).length === 0).toBe(
      validWithComparisonOperators,
    );
  });
});

test.each([
  ["text", "t", 'must be an object, not "text"'],
  [{ key: 5, operator: "Exists" }, "t.key", "must be a text, not the number 5"],
  [{ key: "a", operator: ["Exists"] }, "t.operator", "must be a text, not a list"],
  [{ key: "a", value: "b c" }, "t.value", "value \"b c\" may hold only letters, digits, '-', '_' and '.'"],
  [
    { operator: "Exists", effect: "Sometimes" },
    "t.effect",
    'must be one of NoSchedule, PreferNoSchedule, NoExecute, not "Sometimes"',
  ],
  [
    { key: "a", operator: "Gt", value: "5" },
    "t.operator",
    "Gt is not switched on in this cluster; use Equal or Exists",
  ],
])("%j is answered with the place and the remedy", (toleration, path, message) => {
  expect(validateToleration(toleration, "t", { comparisonOperators: false })).toEqual([{ path, message }]);
});

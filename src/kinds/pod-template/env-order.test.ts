import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { lateVariableWarnings } from "./env-order.ts";

function aPod(...env: readonly (readonly [name: string, value: string])[]): JsonObject {
  return { spec: { containers: [{ name: "a", env: env.map(([name, value]) => ({ name, value })) }] } };
}

const base = aPod(["BASE", "/a"]);

test.each([
  ["a reference to a later variable", aPod(["DIR", "$(BASE)/b"], ["BASE", "/a"]), 1],
  ["a reference to an earlier variable", aPod(["BASE", "/a"], ["DIR", "$(BASE)/b"]), 0],
  ["a reference to a variable from elsewhere", aPod(["DIR", "$(HOSTNAME)"], ["BASE", "/a"]), 0],
  ["two late references", aPod(["DIR", "$(BASE)$(TOP)"], ["BASE", "/a"], ["TOP", "/"]), 2],
])("%s", (_name, rendered, count) => {
  expect(lateVariableWarnings(base, rendered, "patch")).toHaveLength(count);
});

test("what the template does already is no fault of the patch", () => {
  const late = aPod(["DIR", "$(BASE)/b"], ["BASE", "/a"]);
  expect(lateVariableWarnings(late, late, "patch")).toEqual([]);
});

test("a pod of any shape is looked at", () => {
  expect(lateVariableWarnings({}, { spec: { containers: [null, { env: [1, { value: "$(A)" }] }] } }, "patch")).toEqual(
    [],
  );
});

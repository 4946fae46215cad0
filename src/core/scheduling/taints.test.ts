import { describe, expect, test } from "vitest";
import { findUntoleratedTaint, parseTaints, parseTolerations, taintText, toleratesTaint } from "./taints.ts";
import searches from "./vectors/find-matching-untolerated-taint.json" with { type: "json" };
import pairs from "./vectors/tolerates-taint.json" with { type: "json" };

const gateOff = { comparisonOperators: false };
const gateOn = { comparisonOperators: true };
const effectsOf: Readonly<Record<string, readonly string[] | undefined>> = {
  all: undefined,
  "NoSchedule+NoExecute": ["NoSchedule", "NoExecute"],
  NoExecute: ["NoExecute"],
};

describe("the published vectors hold", () => {
  test.each(pairs)("$toleration for $taint: $expected", ({ toleration, taint, expected, ...gated }) => {
    expect(tolerates(toleration, taint, gateOff)).toBe(expected);
    expect(tolerates(toleration, taint, gateOn)).toBe(gated.expectedWithComparisonOperators ?? expected);
  });
  test.each(searches)("$taints with $tolerations, filter $filter", ({ taints, tolerations, filter, taint }) => {
    const found = findUntoleratedTaint(parseTaints(taints), parseTolerations(tolerations, gateOff), effectsOf[filter]);
    expect(found).toEqual(taint);
  });
});

test.each([
  [{ key: "k", operator: "Lt", value: "9223372036854775807" }, "9223372036854775806", true],
  [{ key: "k", operator: "Gt", value: "9223372036854775806" }, "9223372036854775807", true],
  [{ key: "k", operator: "Gt", value: "9223372036854775807" }, "9223372036854775807", false],
  [{ key: "k", operator: "Lt", value: "9223372036854775808" }, "0", false],
  [{ key: "k", operator: "Lt", value: "1" }, "-0", false],
])("%j compares with taint value %s exactly: %s", (toleration, value, expected) => {
  expect(tolerates(toleration, { key: "k", value, effect: "NoSchedule" }, gateOn)).toBe(expected);
});

test.each([
  ["not a list", "x"],
  ["an object", { key: "a" }],
  ["null", null],
])("tolerations that are %s tolerate nothing", (_what, tolerations) => {
  expect(parseTolerations(tolerations, gateOff)).toEqual([]);
});

test("a toleration with a key nobody can read tolerates nothing, rather than everything", () => {
  expect(
    parseTolerations([{ key: 5, operator: "Exists" }, { effect: [], operator: "Exists" }, 7, null], gateOff),
  ).toEqual([]);
});

test("a taint without key or value has empty ones, and what is no object is no taint", () => {
  expect(parseTaints([{ effect: "NoExecute" }, null, "x", ["y"]])).toEqual([
    { key: "", value: "", effect: "NoExecute" },
  ]);
  expect(parseTaints(undefined)).toEqual([]);
});

test("taintText writes taints as kubectl does", () => {
  expect(taintText({ key: "a", value: "", effect: "NoSchedule" })).toBe("a:NoSchedule");
  expect(taintText({ key: "a", value: "b", effect: "NoExecute" })).toBe("a=b:NoExecute");
});

function tolerates(toleration: unknown, taint: unknown, options: typeof gateOn): boolean {
  const [read] = parseTolerations([toleration], options);
  const [against] = parseTaints([taint]);
  return read !== undefined && against !== undefined && toleratesTaint(read, against);
}

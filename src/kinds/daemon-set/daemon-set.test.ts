// What the parsed DaemonSet says, what Kruise's defaults are, and what admission looks at beyond one object: the gate, and
// patches that were stored before a limit was.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { aContainer, aTemplate } from "../testing/kind-case.ts";
import { withDefaults } from "./api/defaults.ts";
import { parseDaemonSet } from "./api/parse.ts";
import type { AdvancedDaemonSet } from "./api/spec.ts";
import { validateDaemonSet } from "./api/validate.ts";
import { aDaemonSet } from "./testing/cases.ts";

function parsed(spec: JsonObject): AdvancedDaemonSet {
  const answer = parseDaemonSet(aDaemonSet(spec));
  if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
  return answer.value;
}

const rolling = (rollingUpdate: JsonObject) => parsed({ updateStrategy: { rollingUpdate } }).updateStrategy;
const patch = (priority: number | undefined, name: string) => ({
  selector: { matchLabels: { disk: name } },
  patch: { metadata: { annotations: { name } } },
  ...(priority === undefined ? {} : { priority }),
});

describe("parseDaemonSet()", () => {
  test("gives a set without a strategy one node at a time, as Kruise does", () => {
    expect(parsed({})).toMatchObject({
      updateStrategy: {
        ...{ kind: "RollingUpdate", isInPlacePreferred: false, isPaused: false, isStrict: true },
        budget: { kind: "unavailable", max: { kind: "count", count: 1 } },
        partition: { kind: "count", count: 0 },
        candidates: undefined,
      },
      ...{ burst: { kind: "count", count: 250 }, revisionsKept: 10, minReadySeconds: 0, preDelete: undefined },
      isScalingPartitioned: false,
    });
  });

  test("knows one budget or the other", () => {
    const budgetOf = (written: JsonObject) => rolling(written);
    expect(budgetOf({ maxSurge: "25%" })).toMatchObject({
      budget: { kind: "surge", max: { kind: "percent", percent: 25 } },
    });
    expect(budgetOf({ maxSurge: 0, maxUnavailable: 3 })).toMatchObject({
      budget: { kind: "unavailable", max: { kind: "count", count: 3 } },
    });
  });

  test("forgets the rolling update of a set that waits for deletions", () => {
    const { updateStrategy } = parsed({ updateStrategy: { type: "OnDelete", rollingUpdate: { maxSurge: 1 } } });
    expect(updateStrategy).toEqual({ kind: "OnDelete" });
  });

  test("puts patches in ascending priority, equal ones in list order", () => {
    const { patches } = parsed({
      patches: [patch(5, "a"), patch(undefined, "b"), patch(-1, "c"), patch(5, "d"), patch(0, "e")],
    });
    expect(patches.map(({ index, priority }) => [index, priority])).toEqual([
      ...[
        [2, -1],
        [1, 0],
        [4, 0],
        [0, 5],
        [3, 5],
      ],
    ]);
  });

  test("lets one patch that cannot be used say so, and keeps the others", () => {
    const bad = { ...patch(0, "bad"), patch: { spec: { containers: [{ name: "nobody", args: [] }] } } };
    const { patches } = parsed({ patches: [patch(0, "good"), bad] });
    expect(patches.map(({ faults }) => faults.map(({ path }) => path))).toEqual([[], ["spec.patches[1].patch"]]);
  });

  test("reads the hook before a deletion", () => {
    const { preDelete } = parsed({
      lifecycle: { preDelete: { labelsHandler: { hold: "yes" }, markPodNotReady: true } },
    });
    expect(preDelete).toEqual({ labels: { hold: "yes" }, finalizers: [], isMarkedNotReady: true });
  });
});

describe("withDefaults()", () => {
  const strategyOf = (spec: JsonObject, version?: string) =>
    (withDefaults(aDaemonSet(spec, version)).spec as JsonObject).updateStrategy;

  test.each<[string, JsonObject | undefined, JsonObject]>([
    ["nothing", undefined, { rollingUpdateType: "Standard", maxUnavailable: 1, maxSurge: 0 }],
    ["a surge", { maxSurge: 2 }, { rollingUpdateType: "Standard", maxSurge: 2 }],
    [
      "an update in place",
      { rollingUpdateType: "InPlaceIfPossible" },
      { rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 1, maxSurge: 0 },
    ],
    ["surging", { rollingUpdateType: "Surging" }, { rollingUpdateType: "Surging", maxSurge: 1, maxUnavailable: 0 }],
    [
      "null budgets",
      { maxSurge: null, maxUnavailable: null },
      { rollingUpdateType: "Standard", maxUnavailable: 1, maxSurge: 0 },
    ],
  ])("fill in %s as Kruise's webhook does", (_name, written, filled) => {
    const updateStrategy = written === undefined ? {} : { updateStrategy: { rollingUpdate: written } };
    expect(strategyOf(updateStrategy, "v1alpha1")).toEqual({ type: "RollingUpdate", rollingUpdate: filled });
  });

  test("fill in an empty type, as Go writes one that is absent", () => {
    const rollingUpdate = { rollingUpdateType: "Standard", maxUnavailable: 1, maxSurge: 0 };
    expect(strategyOf({ updateStrategy: { type: "" } })).toEqual({ type: "RollingUpdate", rollingUpdate });
  });

  test.each<[string, JsonObject]>([
    ["a strategy", { updateStrategy: "OnDelete" }],
    ["a list for a strategy", { updateStrategy: ["OnDelete"] }],
    ["a rolling update", { updateStrategy: { type: "RollingUpdate", rollingUpdate: "25%" } }],
  ])("leave %s of another type for the schema to refuse", (_name, spec) => {
    expect(strategyOf(spec)).toEqual(spec.updateStrategy);
  });

  test("leave a set alone that waits for deletions", () => {
    expect(strategyOf({ updateStrategy: { type: "OnDelete" } })).toEqual({ type: "OnDelete" });
  });
});

describe("validateDaemonSet()", () => {
  const large = {
    selector: { matchLabels: { a: "b" } },
    patch: { metadata: { annotations: { note: "x".repeat(1100) } } },
  };
  const off = { arePatchesEnabled: false };

  test("counts bytes of compact JSON, not characters", () => {
    const ofBytes = (note: string) => ({ ...large, patch: { metadata: { annotations: { note } } } });
    const frame = JSON.stringify(ofBytes("").patch).length;
    const verdictOf = (note: string) => validateDaemonSet(aDaemonSet({ patches: [ofBytes(note)] }), undefined).problems;
    expect(verdictOf("x".repeat(1024 - frame))).toEqual([]);
    expect(verdictOf("x".repeat(1025 - frame))).toMatchObject([{ path: "spec.patches[0].patch" }]);
    expect(verdictOf("é".repeat(600))).toMatchObject([{ path: "spec.patches[0].patch" }]);
  });

  test("lets a patch stay that was stored before it was too large, also when another field changes", () => {
    const old = aDaemonSet({ patches: [large] });
    expect(validateDaemonSet(aDaemonSet({ patches: [large], minReadySeconds: 5 }), old).problems).toEqual([]);
    const larger = { ...large, patch: { metadata: { annotations: { note: "y".repeat(1200) } } } };
    expect(validateDaemonSet(aDaemonSet({ patches: [larger] }), old).problems).not.toEqual([]);
  });

  test("judges stored patches anew when the template changes below them", () => {
    const patches = [
      { selector: { matchLabels: { a: "b" } }, patch: { spec: { containers: [{ name: "agent", args: ["x"] }] } } },
    ];
    const old = aDaemonSet({ patches });
    const object = aDaemonSet({ patches, template: aTemplate({ containers: [aContainer("renamed")] }) });
    expect(validateDaemonSet(object, old).problems).toMatchObject([{ path: "spec.patches[0].patch" }]);
  });

  test("takes no new patches while the gate is off, and lets old ones stay", () => {
    const patches = [patch(1, "a")];
    const before = aDaemonSet({ patches });
    expect(validateDaemonSet(before, undefined, off).problems).toMatchObject([{ path: "spec.patches" }]);
    expect(validateDaemonSet(before, aDaemonSet({}), off).problems).toMatchObject([{ path: "spec.patches" }]);
    expect(validateDaemonSet(before, before, off).problems).toEqual([]);
    expect(validateDaemonSet(aDaemonSet({}), before, off).problems).toEqual([]);
    const two = aDaemonSet({ patches: [patch(2, "b"), ...patches] });
    expect(validateDaemonSet(before, two, off).problems).toEqual([]);
    expect(validateDaemonSet(two, before, off).problems).toMatchObject([{ path: "spec.patches" }]);
    const spelt = aDaemonSet({ patches: [patch(0, "c")] });
    const bare = aDaemonSet({ patches: [patch(undefined, "c")] });
    expect([spelt, bare].flatMap((set) => validateDaemonSet(set, set === spelt ? bare : spelt, off).problems)).toEqual(
      [],
    );
  });

  test("compares a selector of v1alpha1 with the stored one of v1beta1", () => {
    expect(validateDaemonSet(aDaemonSet({}, "v1alpha1"), aDaemonSet({})).problems).toEqual([]);
  });
});

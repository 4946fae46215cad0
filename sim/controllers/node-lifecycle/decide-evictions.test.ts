// When pods leave a tainted node, and which taints and conditions a node has, as tables.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { NOON_MS, nodeView, podView } from "../testing/views-fixture.ts";
import { evictionMs } from "./decide-evictions.ts";
import { decideTaints, silentConditions } from "./decide-node-health.ts";

const taint = (key: string, effect = "NoExecute") => ({ taint: { key, effect }, sinceMs: NOON_MS - 60_000 });
const tolerates = (key: string, seconds?: number): JsonObject => ({
  ...{ key, operator: "Exists", effect: "NoExecute" },
  ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
});

describe("a pod leaves", () => {
  test.each<[string, readonly JsonObject[], readonly ReturnType<typeof taint>[], number | undefined]>([
    ["at once when it tolerates nothing", [], [taint("gone")], 0],
    ["never when it tolerates all for good", [tolerates("gone")], [taint("gone")], undefined],
    ["when its patience ends, counted from the taint", [tolerates("gone", 90)], [taint("gone")], 30_000],
    ["at a time that is past already", [tolerates("gone", 30)], [taint("gone")], -30_000],
    ["at once when one of two is not tolerated", [tolerates("a", 90)], [taint("a"), taint("b")], 0],
    ["by the shorter patience of two", [tolerates("a", 90), tolerates("b", 70)], [taint("a"), taint("b")], 10_000],
    ["not for taints that only keep new pods off", [], [taint("gpu", "NoSchedule")], undefined],
  ])("%s", (_, tolerations, taints, inMs) => {
    const atMs = evictionMs(podView("p", { spec: { tolerations } }), taints, NOON_MS);
    expect(atMs === undefined ? undefined : atMs - NOON_MS).toBe(inMs);
  });
});

describe("the taints of a node", () => {
  const withTaints = (taints: readonly JsonObject[], conditions: readonly JsonObject[], unschedulable = false) =>
    decideTaints(nodeView("n", { spec: { taints, unschedulable }, status: { conditions } }), NOON_MS);
  const ready = (status: string) => ({ type: "Ready", status });
  const keysOf = (taints: readonly JsonObject[] | undefined) =>
    taints?.map(({ key, effect }) => `${String(key).replace("node.kubernetes.io/", "")}:${effect}`);

  test.each<[string, readonly JsonObject[], readonly JsonObject[], readonly string[] | undefined]>([
    ["stay as they are when they fit", [], [ready("True")], undefined],
    ["follow from not being ready", [], [ready("False")], ["not-ready:NoSchedule", "not-ready:NoExecute"]],
    ["follow from silence", [], [ready("Unknown")], ["unreachable:NoSchedule", "unreachable:NoExecute"]],
    ["follow from pressure", [], [{ type: "PIDPressure", status: "True" }], ["pid-pressure:NoSchedule"]],
    ["go with their reason", [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }], [ready("True")], []],
    ["of others stay", [{ key: "gpu", effect: "NoExecute" }], [ready("True")], undefined],
  ])("%s", (_, taints, conditions, expected) => {
    expect(keysOf(withTaints(taints, conditions))).toEqual(expected);
  });

  test("say that the node is cordoned", () => {
    expect(keysOf(withTaints([], [ready("True")], true))).toEqual(["unschedulable:NoSchedule"]);
  });
});

test("a silent node's conditions become Unknown in their places, and those that never came are added", () => {
  const conditions = [
    { type: "Ready", status: "True", reason: "KubeletReady" },
    { type: "NetworkUnavailable", status: "False" },
    { type: "DiskPressure", status: "Unknown" },
  ];
  const silent = silentConditions(nodeView("n", { status: { conditions } }), NOON_MS) ?? [];
  expect(silent.map(({ type, status, reason = "" }) => `${type} ${status} ${reason}`)).toEqual([
    ...["Ready Unknown NodeStatusUnknown", "NetworkUnavailable False ", "DiskPressure Unknown "],
    ...["MemoryPressure Unknown NodeStatusNeverUpdated", "PIDPressure Unknown NodeStatusNeverUpdated"],
  ]);
  expect(silentConditions(nodeView("n", { status: { conditions: silent } }), NOON_MS)).toBeUndefined();
});

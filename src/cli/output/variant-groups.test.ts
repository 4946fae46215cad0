import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { createDaemonSetKind } from "../../kinds/daemon-set/daemon-set-kind.ts";
import { aDaemonSet } from "../../kinds/daemon-set/testing/cases.ts";
import { aNode, nodes, rolling } from "../../kinds/daemon-set/testing/set-on-paper.ts";
import { forecast } from "../../kinds/forecast/forecast.ts";
import { keyOf } from "../../kinds/forecast/paper-shelf.ts";
import { reportPlan } from "./plan-report.ts";

const NOON_MS = 1_772_366_400_000;
const kind = createDaemonSetKind();
const image = () => ({ is: "unasked" }) as const;
const patch = (value: string): JsonObject => ({
  selector: { matchLabels: { size: "large" } },
  patch: { spec: { containers: [{ name: "agent", env: [{ name: "SIZE", value }] }] } },
});
const fleet = [...nodes(3), aNode("x1", { size: "large" }), aNode("x2", { size: "large" })];
const spec = (value: string, strategy: JsonObject = {}) => ({ patches: [patch(value)], ...rolling(strategy) });

/** The cluster in which a set has been rolled out. */
function settled(object: JsonObject): readonly JsonObject[] {
  const { end, object: stored } = forecast({ kind, objects: fleet, object, image, nowMs: NOON_MS });
  const pods = end.podsOf(stored.uid).map((pod) => end.pods.object(keyOf(pod)) ?? {});
  const revisions = [...end.shelf("ControllerRevision").values()].map((revision) => revision.object);
  return [...fleet, ...pods, ...revisions, stored.object];
}

function report(before: JsonObject, after: JsonObject) {
  const objects = settled(before);
  const stored = objects.at(-1) ?? before;
  return reportPlan({ kind, objects, object: { ...stored, spec: after.spec ?? {} }, image, nowMs: NOON_MS });
}

test("a new set gives every group its pods", () => {
  const { variants } = reportPlan({ kind, objects: fleet, object: aDaemonSet(spec("1")), image, nowMs: NOON_MS });
  expect(variants).toEqual([
    { name: "template", gained: 3, replaced: 0, changedInPlace: 0, untouched: 0 },
    { name: "template + patches 0", gained: 2, replaced: 0, changedInPlace: 0, untouched: 0 },
  ]);
});

test("an edit of a patch replaces the pods of its group, and of no other", () => {
  const { variants, pods } = report(aDaemonSet(spec("1")), aDaemonSet(spec("2")));
  expect(variants).toEqual([
    { name: "template", gained: 0, replaced: 0, changedInPlace: 0, untouched: 3 },
    { name: "template + patches 0", gained: 0, replaced: 2, changedInPlace: 0, untouched: 0 },
  ]);
  expect(pods).toMatchObject({ unavailableMax: 1, order: ["x2", "x1"] });
});

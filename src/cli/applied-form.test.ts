import { expect, test } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { appliedForm, LAST_APPLIED } from "./applied-form.ts";
import { play, stageNode, stagePod, stageSet } from "./cli-stage.ts";

const same = (object: JsonObject) => object;
const applied = (spec: JsonObject, last: JsonObject | undefined): JsonObject => {
  const annotations = last === undefined ? {} : { [LAST_APPLIED]: JSON.stringify({ spec: last }) };
  return { metadata: { name: "a", annotations }, spec };
};

test.each<[string, JsonObject, JsonObject | undefined, JsonObject, JsonObject]>([
  ["what somebody else wrote stays", { a: 1, paused: true }, { a: 1 }, { a: 2 }, { paused: true, a: 2 }],
  ["what the manifest had and has no more goes", { a: 1, b: 2 }, { a: 1, b: 2 }, { a: 1 }, { a: 1 }],
  ["maps are merged", { s: { x: 1, y: 2, z: 3 } }, { s: { x: 1, y: 2 } }, { s: { x: 5 } }, { s: { z: 3, x: 5 } }],
  ["lists are taken whole", { l: [{ n: 1, m: 2 }] }, { l: [{ n: 1 }] }, { l: [{ n: 3 }] }, { l: [{ n: 3 }] }],
  ["null takes a field away", { a: 1, b: 2, c: 3 }, { b: 2 }, { a: null, b: null }, { c: 3 }],
  ["null that was applied before takes nothing away", { a: 1 }, { a: null }, { a: null }, { a: 1 }],
  ["an object that nobody applied is replaced", { a: 1, paused: true }, undefined, { a: 2 }, { a: 2 }],
])("%s", (_name, stored, last, wanted, becomes) => {
  const manifest = { metadata: { name: "a" }, spec: wanted };
  expect(appliedForm(manifest, applied(stored, last), same).spec).toEqual(becomes);
});

test("what was applied and cannot be read is no reason to stop", () => {
  const stored = { metadata: { annotations: { [LAST_APPLIED]: "{" } }, spec: { paused: true } };
  expect(appliedForm({ spec: { a: 1 } }, stored, same)).toEqual({ spec: { a: 1 } });
});

test("a rollout that was paused beside the manifest is planned to stand still", async () => {
  const { status: _, ...manifest } = stageSet({ spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } } });
  const paused = stageSet({ spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 1, paused: true } } } });
  const annotations = { [LAST_APPLIED]: JSON.stringify(manifest) };
  const cluster = [
    ...[stageNode("rack-1"), stageNode("rack-2"), stagePod("rack-1", "u-agent"), stagePod("rack-2", "u-agent")],
    { ...paused, metadata: { ...paused.metadata, annotations } },
  ];
  const { out } = await play("plan -f s.yaml --from c.yaml", { "c.yaml": cluster, "s.yaml": [manifest] });
  expect(out).toContain("PausedByUser");
  expect(out).toContain("0 pods replaced");
});

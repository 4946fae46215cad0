import { expect, test } from "vitest";
import { objectIdentity } from "../../core/decision/object-identity.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { objectAt } from "../../kinds/schema/json-parts.ts";
import { play, stageNode, stagePod, stageSet } from "../testing/cli-stage.ts";
import { appliedForm, LAST_APPLIED } from "./applied-form.ts";

const same = (object: JsonObject) => object;
const applied = (spec: JsonObject, last: JsonObject | undefined): JsonObject => {
  const annotations = last === undefined ? {} : { [LAST_APPLIED]: JSON.stringify({ spec: last }) };
  return { metadata: { name: "a", uid: "u-a", annotations }, spec };
};

test.each<[string, JsonObject, JsonObject | undefined, JsonObject, JsonObject]>([
  ["what somebody else wrote stays", { a: 1, paused: true }, { a: 1 }, { a: 2 }, { paused: true, a: 2 }],
  ["what the manifest had and has no more goes", { a: 1, b: 2 }, { a: 1, b: 2 }, { a: 1 }, { a: 1 }],
  ["maps are merged", { s: { x: 1, y: 2, z: 3 } }, { s: { x: 1, y: 2 } }, { s: { x: 5 } }, { s: { z: 3, x: 5 } }],
  ["lists are taken whole", { l: [{ n: 1, m: 2 }] }, { l: [{ n: 1 }] }, { l: [{ n: 3 }] }, { l: [{ n: 3 }] }],
  ["null takes a field away", { a: 1, b: 2, c: 3 }, { b: 2 }, { a: null, b: null }, { c: 3 }],
  ["null that was applied before takes nothing away", { a: 1 }, { a: null }, { a: null }, { a: 1 }],
  ["an object that nobody applied loses nothing", { a: 1, paused: true }, undefined, { a: 2 }, { paused: true, a: 2 }],
  ["null takes a field away that nobody applied", { a: 1, b: 2 }, undefined, { a: null }, { b: 2 }],
])("%s", (_name, stored, last, wanted, becomes) => {
  const manifest = { metadata: { name: "a" }, spec: wanted };
  expect(appliedForm(manifest, applied(stored, last), same).spec).toEqual(becomes);
});

test("what was applied and cannot be read is no reason to stop", () => {
  const stored = { metadata: { uid: "u-a", annotations: { [LAST_APPLIED]: "{" } }, spec: { paused: true } };
  expect(appliedForm({ spec: { a: 1 } }, stored, same)).toEqual({ spec: { paused: true, a: 1 } });
});

test("a manifest in the place of a stored object is replaced", () => {
  const stored = { metadata: { name: "a" }, spec: { a: 1, b: 2, s: { x: 1 } } };
  expect(appliedForm({ spec: { a: 2, s: {} } }, stored, same)).toEqual({ spec: { a: 2, s: {} } });
});

test("what was applied last is in a snapshot, for objects of ours alone", async () => {
  const annotations = { [LAST_APPLIED]: JSON.stringify({ spec: { minReadySeconds: 60 } }) };
  const noted = (object: JsonObject) => ({ ...object, metadata: { ...objectAt(object, "metadata"), annotations } });
  const cluster = [noted(stageNode("rack-1")), noted(stageSet())];
  const { out } = await play("snapshot --from c.yaml -o json", { "c.yaml": cluster });
  const { items }: { items: readonly JsonObject[] } = JSON.parse(out);
  const holders = items.filter((item) => Object.hasOwn(objectIdentity(item).annotations, LAST_APPLIED));
  expect(holders.map(({ kind }) => kind)).toEqual(["DaemonSet"]);
});

test("a rollout that was paused beside the manifest is planned to stand still", async () => {
  const { status: _, ...manifest } = stageSet({ spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } } });
  const paused = stageSet({ spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 1, paused: true } } } });
  const annotations = { [LAST_APPLIED]: JSON.stringify(manifest) };
  const fleet = [
    stageNode("rack-1"),
    stageNode("rack-2"),
    stagePod("rack-1", "u-agent"),
    stagePod("rack-2", "u-agent"),
  ];
  for (const metadata of [{ ...paused.metadata, annotations }, paused.metadata]) {
    const cluster = [...fleet, { ...paused, metadata }];
    const { out } = await play("plan -f s.yaml --from c.yaml", { "c.yaml": cluster, "s.yaml": [manifest] });
    expect(out).toContain("PausedByUser");
    expect(out).toContain("0 pods replaced");
  }
});

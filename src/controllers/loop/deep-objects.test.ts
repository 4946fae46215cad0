// Stored objects that are nested deeper than code can bear, from the bytes of a list to the condition that says so.
import { expect, test } from "vitest";
import { storedConditions } from "../../core/decision/conditions.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { createKinds } from "../../kinds/all-kinds.ts";
import { aDaemonSet } from "../../kinds/daemon-set/testing/cases.ts";
import { PaperCluster } from "../../kinds/forecast/paper-cluster.ts";
import { csiBaremetalSet } from "../../kinds/variant-set/testing/cases.ts";
import { isBroken, ObjectCodec } from "../../kube/wire/codec.ts";
import { storedObject } from "../view/cluster-caches.ts";

const PLACE = '"here"';

/** The conditions that the kind of an object gives it, when it was stored with so many levels in the marked place. */
function conditionsOf(object: JsonObject, levels: number) {
  const stored = { ...object, metadata: { ...metadataOf(object), uid: "uid-1", resourceVersion: "1", generation: 1 } };
  const text = JSON.stringify(stored).replace(PLACE, `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
  const wire = new ObjectCodec().decodeItem(new TextEncoder().encode(text), { apiVersion: "", kind: "" });
  if (isBroken(wire)) throw new Error(wire.broken);
  const cluster = new PaperCluster([], { image: () => ({ is: "unasked" }), isOurLabel: () => false });
  const kind = createKinds().find((each) => each.kind === object.kind);
  const read = storedObject(JSON.parse(JSON.stringify(wire.object)));
  const steps = kind?.observe(cluster, read).decide(0).plan.steps ?? [];
  return steps.flatMap((step) => (step.do === "status" ? storedConditions(step.status.conditions) : []));
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

const template = (spec: Json): JsonObject => ({ metadata: { labels: { app: "agent" } }, spec });
const patched = aDaemonSet({ patches: [{ selector: {}, patch: { spec: { dnsConfig: "here" } } }] });
const templated = aDaemonSet({
  template: template({ containers: [{ name: "agent", image: "a:1" }], dnsConfig: "here" }),
});
const { spec, ...variants } = csiBaremetalSet();
const varied = { ...variants, spec: { ...(isJsonObject(spec) ? spec : {}), template: template("here") } };
const tooDeep = expect.stringContaining("nests deeper than 64 levels");

test.each([100, 5_000, 9_900])("a patch with %i levels is rejected for its depth", (levels) => {
  expect(conditionsOf(patched, levels)).toContainEqual(
    expect.objectContaining({ type: "PatchesValid", status: "False", reason: "PatchRejected", message: tooDeep }),
  );
});

test.each([
  ["DaemonSet", templated, 100],
  ["DaemonSet", templated, 5_000],
  ["VariantSet", varied, 5_000],
] as const)("the template of a %s stalls it for its depth: %#", (_kind, object, levels) => {
  expect(conditionsOf(object, levels)).toContainEqual(
    expect.objectContaining({ type: "Stalled", status: "True", reason: "InvalidSpec", message: tooDeep }),
  );
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import { aTemplate } from "../../testing/kind-case.ts";
import { KEPT, newerToOlder, olderToNewer, PROGRESSIVE } from "./convert.ts";

function aDaemonSet(version: string, spec: JsonObject, more: JsonObject = {}): JsonObject {
  const { annotations, status } = more;
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind: "DaemonSet",
    metadata: { name: "a", namespace: "default", ...(annotations === undefined ? {} : { annotations }) },
    spec: { selector: { matchLabels: { app: "agent" } }, template: aTemplate(), ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

const share = fc.oneof(fc.nat(5), fc.constantFrom("0%", "10%", "100%"));
const annotations = fc.dictionary(
  fc.constantFrom("note", PROGRESSIVE, KEPT),
  fc.constantFrom("true", "false", "x", "{}"),
  {
    maxKeys: 3,
  },
);
const patches = fc.array(
  fc.record({ selector: fc.constant({}), patch: fc.constant({ spec: { priority: 5 } }), priority: fc.integer() }),
  { maxLength: 2 },
);
const rolling = (types: readonly string[]) =>
  fc.record(
    { rollingUpdateType: fc.constantFrom(...types), maxUnavailable: share, maxSurge: share, paused: fc.boolean() },
    { requiredKeys: [] },
  );
const optional = { requiredKeys: [] };

function anyDaemonSet(version: "v1alpha1" | "v1beta1"): fc.Arbitrary<JsonObject> {
  const isNewer = version === "v1beta1";
  const types = ["", "Standard", "InPlaceIfPossible", ...(isNewer ? [] : ["Surging"])];
  const strategy = fc.record({ type: fc.constant("RollingUpdate"), rollingUpdate: rolling(types) }, optional);
  const scaleStrategy = fc.record({ partitionedScaling: fc.boolean() }, optional);
  const spec = fc.record({ updateStrategy: strategy, patches, ...(isNewer ? { scaleStrategy } : {}) }, optional);
  const status = fc.record(
    { numberReady: fc.nat(3), [isNewer ? "updateRevision" : "daemonSetHash"]: fc.string() },
    optional,
  );
  const more = fc.record({ annotations, status }, optional);
  return fc.tuple(spec, more).map(([each, rest]) => aDaemonSet(version, each as JsonObject, rest as JsonObject));
}

/** Nobody writes our own annotation, but a restored backup may hold an old one; and no map is stored empty. */
function withoutKept(object: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(object), (key, value) => {
    if (key === KEPT) return undefined;
    return key === "annotations" && Object.keys(value).length === 0 ? undefined : value;
  });
}

describe("an unedited object", () => {
  test("of v1beta1 comes back from v1alpha1 as it was", () => {
    fc.assert(
      fc.property(anyDaemonSet("v1beta1"), (object) => {
        expect(withoutKept(olderToNewer(newerToOlder(object)))).toEqual(withoutKept(object));
      }),
    );
  });

  test("of v1alpha1 comes back from v1beta1 as it was", () => {
    fc.assert(
      fc.property(anyDaemonSet("v1alpha1"), (object) => {
        expect(withoutKept(newerToOlder(olderToNewer(object)))).toEqual(withoutKept(object));
      }),
    );
  });

  test("is not changed by being converted", () => {
    fc.assert(
      fc.property(anyDaemonSet("v1beta1"), (object) => {
        const before = JSON.stringify(object);
        newerToOlder(object);
        expect(JSON.stringify(object)).toBe(before);
      }),
    );
  });
});

describe("v1alpha1 becomes v1beta1:", () => {
  test("Surging is Standard with a surge of one", () => {
    const older = aDaemonSet("v1alpha1", { updateStrategy: { rollingUpdate: { rollingUpdateType: "Surging" } } });
    expect(olderToNewer(older).spec).toMatchObject({
      updateStrategy: { rollingUpdate: { rollingUpdateType: "Standard", maxSurge: 1, maxUnavailable: 0 } },
    });
  });

  test.each([
    ["true", { partitionedScaling: true }],
    ["True", undefined],
    ["false", undefined],
  ])("the annotation %s gives the scale strategy %o", (value, scaleStrategy) => {
    const older = aDaemonSet("v1alpha1", {}, { annotations: { [PROGRESSIVE]: value } });
    expect((olderToNewer(older).spec as JsonObject).scaleStrategy).toEqual(scaleStrategy);
  });

  test("the hash of the status is the update revision", () => {
    const older = aDaemonSet("v1alpha1", {}, { status: { daemonSetHash: "7b9" } });
    expect(olderToNewer(older).status).toEqual({ updateRevision: "7b9" });
  });

  test("patches are carried along", () => {
    const patch = { selector: {}, patch: { spec: { priority: 1 } }, priority: 3 };
    expect(olderToNewer(aDaemonSet("v1alpha1", { patches: [patch] })).spec).toMatchObject({ patches: [patch] });
  });
});

describe("v1beta1 becomes v1alpha1:", () => {
  test("a stale annotation does not bring partitioned scaling back", () => {
    const newer = aDaemonSet("v1beta1", {}, { annotations: { [PROGRESSIVE]: "true" } });
    const older = newerToOlder(newer);
    expect((older.metadata as { annotations: JsonObject }).annotations[PROGRESSIVE]).toBeUndefined();
    expect((olderToNewer(older).spec as JsonObject).scaleStrategy).toBeUndefined();
  });

  test("an edit in v1alpha1 wins over what was kept", () => {
    const newer = aDaemonSet("v1beta1", { scaleStrategy: { partitionedScaling: false } });
    const older = newerToOlder(newer);
    const { metadata } = older as { metadata: { annotations: JsonObject } };
    const edited = {
      ...older,
      metadata: { ...metadata, annotations: { ...metadata.annotations, [PROGRESSIVE]: "true" } },
    };
    expect(olderToNewer(edited).spec).toMatchObject({ scaleStrategy: { partitionedScaling: true } });
  });

  test("an edit in v1beta1 wins over what was kept", () => {
    const older = aDaemonSet("v1alpha1", { updateStrategy: { rollingUpdate: { rollingUpdateType: "Surging" } } });
    const newer = olderToNewer(older);
    const updateStrategy = { rollingUpdate: { rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 2 } };
    const edited = { ...newer, spec: { ...(newer.spec as JsonObject), updateStrategy } };
    expect(newerToOlder(edited).spec).toMatchObject({ updateStrategy });
  });
});

test("any JSON is converted or left alone, never refused", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom("v1alpha1", "v1beta1", "v2"), (value, version) => {
      const object = {
        apiVersion: `apps.kruise.io/${version}`,
        metadata: value,
        spec: value,
        status: value,
      } as JsonObject;
      expect(newerToOlder(object)).toBeTypeOf("object");
      expect(olderToNewer(object)).toBeTypeOf("object");
    }),
  );
});

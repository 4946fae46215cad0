import { describe, expect, test } from "vitest";
import { objectIdentity } from "../../../core/decision/object-identity.ts";
import { orderPlan } from "../../../core/decision/plan.ts";
import type { StoredObject } from "../../../core/decision/snapshot.ts";
import { stepId } from "../../../core/decision/step.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { type DaemonPod, parseDaemonPod } from "../../../core/pod/daemon-pod.ts";
import { strategicMerge } from "../../../core/strategic-merge/strategic-merge.ts";
import { parseLabelSelector } from "../../schema/label-selector-schema.ts";
import { ADOPTIONS_MAX, type Claimed, claim, proofOfSet } from "./claim.ts";

const type = { apiVersion: "v1", kind: "Pod" };

function setOf(metadata: JsonObject = {}): StoredObject {
  const object = {
    metadata: { name: "agent", namespace: "infra", uid: "set-uid", resourceVersion: "41", ...metadata },
  };
  return { ...objectIdentity(object), object };
}

const owner = (apiVersion: string, uid = "set-uid") => ({
  ...{ apiVersion, kind: "DaemonSet", name: "agent", uid, controller: true, blockOwnerDeletion: true },
});

function podObject(name: string, more: JsonObject = {}): JsonObject {
  return { metadata: { name, namespace: "infra", uid: `${name}-uid`, labels: { app: "agent" }, ...more }, spec: {} };
}

const aPod = (name: string, more: JsonObject = {}): DaemonPod => parseDaemonPod(podObject(name, more));

function claimed(owned: readonly DaemonPod[], strays: readonly DaemonPod[], set = setOf()): Claimed<DaemonPod> {
  const selector = parseLabelSelector({ matchLabels: { app: "agent" } }, "selector");
  if (!selector.ok) throw new Error("the test has a bad selector");
  return claim({ set, selector: selector.value, type, owned, strays });
}

const names = (pods: readonly DaemonPod[]) => pods.map(({ name }) => name);

describe("pods of the set", () => {
  test.each(["apps.kruise.io/v1beta1", "apps.kruise.io/v1alpha1"])(
    "are told by the UID, whatever version their owner reference has: %s",
    (version) => {
      const pod = aPod("a", { ownerReferences: [owner(version)] });
      expect(pod.controllerUid).toBe("set-uid");
      const { mine, steps } = claimed([pod], []);
      expect(names(mine)).toEqual(["a"]);
      expect(steps).toEqual([]);
    },
  );

  test("that match no more are let go, by the UID of the set and of the pod", () => {
    const pod = aPod("a", { labels: { app: "other" }, ownerReferences: [owner("apps.kruise.io/v1alpha1")] });
    const { mine, released, steps } = claimed([pod], []);
    expect([names(mine), names(released)]).toEqual([[], ["a"]]);
    const [step] = steps;
    expect(step).toMatchObject({ target: { name: "a" }, patch: { metadata: { uid: "a-uid" } } });
    const object = podObject("a", { ownerReferences: [owner("apps.kruise.io/v1alpha1"), owner("v1", "another")] });
    expect(patched(object, step?.patch)).toMatchObject({ metadata: { ownerReferences: [{ uid: "another" }] } });
  });

  test("that match no more and are on their way out are neither counted nor written to", () => {
    const pod = aPod("a", { labels: {}, deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(claimed([pod], [])).toMatchObject({ mine: [], steps: [] });
  });
});

describe("pods without a controller", () => {
  test("that match are adopted, and count at once: their node gets no twin", () => {
    const { mine, adopted, steps } = claimed([aPod("own")], [aPod("a"), aPod("b", { labels: { app: "other" } })]);
    expect([names(mine), names(adopted)]).toEqual([["own", "a"], ["a"]]);
    const [step] = steps;
    expect(patched(podObject("a"), step?.patch)).toMatchObject({
      metadata: { uid: "a-uid", ownerReferences: [owner("apps.kruise.io/v1beta1")] },
    });
  });

  test("keep the owners that they have beside the new one", () => {
    const { steps } = claimed([], [aPod("a")]);
    const object = podObject("a", { ownerReferences: [{ ...owner("v1", "another"), controller: false }] });
    const references = patched(object, steps[0]?.patch).metadata;
    expect(
      JSON.parse(JSON.stringify(references))
        .ownerReferences.map(({ uid }: JsonObject) => uid)
        .sort(),
    ).toEqual(["another", "set-uid"]);
  });

  test("are adopted only after a proof that the set is there as it was seen", () => {
    const set = setOf();
    const { steps } = claimed([], [aPod("a")], set);
    const proof = proofOfSet(set);
    expect(proof).toMatchObject({ patch: { metadata: { resourceVersion: "41" } }, subresource: "status" });
    expect(steps[0]?.after).toEqual([stepId(proof)]);
    const plan = orderPlan({ steps: [...steps, proof], held: [] });
    expect(plan.steps[0]).toEqual(proof);
  });

  test("that are on their way out are left alone", () => {
    expect(claimed([], [aPod("a", { deletionTimestamp: "2026-01-01T00:00:00Z" })])).toMatchObject({
      ...{ mine: [], adopted: [], steps: [] },
    });
  });

  test("are adopted so many at a time", () => {
    const strays = Array.from({ length: ADOPTIONS_MAX + 5 }, (_, index) => aPod(`p${index}`));
    expect(claimed([], strays).steps).toHaveLength(ADOPTIONS_MAX);
  });
});

test("a set that is being deleted neither adopts nor lets go", () => {
  const set = setOf({ deletionTimestamp: "2026-01-01T00:00:00Z" });
  const { mine, steps } = claimed([aPod("a", { labels: {} })], [aPod("b")], set);
  expect(names(mine)).toEqual(["a"]);
  expect(steps).toEqual([]);
});

/** The API server merges owner references by UID; so do pod templates, whose schema is at hand. */
function patched(object: JsonObject, patch: unknown): JsonObject {
  return strategicMerge(object, JSON.parse(JSON.stringify(patch)));
}

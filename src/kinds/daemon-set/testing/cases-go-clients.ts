// The part of the shared table about how clients in Go write a set: fields that their types cannot leave out are there with zero values, and
// what is empty is left out or written, as it comes. The builder of the set comes from the other part.
import type { JsonObject } from "../../../core/json/json.ts";
import { accepted, aTemplate, type KindCase } from "../../testing/kind-case.ts";

type Build = (spec: JsonObject, version?: string) => JsonObject;

/** The rows. */
export function goClientCases(build: Build): readonly KindCase[] {
  return [...zeroes(build), ...sameSelectors(build)];
}

const zeroStatus: JsonObject = Object.freeze({
  ...{ currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  ...{ updatedNumberScheduled: 0, updateRevision: "" },
});

/** Go's clients write zero values that nobody meant. */
function typedTemplate(): JsonObject {
  return { ...aTemplate({ restartPolicy: "Always" }), metadata: { labels: { app: "agent" }, creationTimestamp: null } };
}

/** Texts that are empty and nulls stand for fields that are absent. */
function zeroes(build: Build): readonly KindCase[] {
  const hook = { labelsHandler: null, finalizersHandler: null, markPodNotReady: null };
  const absent = { maxUnavailable: null, maxSurge: null, partition: null, paused: null, selector: null };
  const patch = { selector: { matchLabels: { disk: "large" } }, patch: {}, priority: null };
  const nothing = { minReadySeconds: null, burstReplicas: null, revisionHistoryLimit: null, replicas: null };
  const specs: readonly (readonly [string, JsonObject])[] = [
    ["an empty type of strategy", { updateStrategy: { type: "" } }],
    ["an empty type of update", { updateStrategy: { type: "", rollingUpdate: { rollingUpdateType: "" } } }],
    ["nulls for fields of the spec", { ...nothing, patches: null, lifecycle: null, updateStrategy: null }],
    ["a null for the rolling update", { updateStrategy: { type: "RollingUpdate", rollingUpdate: null } }],
    ["nulls in the rolling update", { updateStrategy: { rollingUpdate: { ...absent, rollingUpdateType: null } } }],
    ["nulls for hooks", { lifecycle: { preDelete: null, inPlaceUpdate: null, preNormal: null } }],
    ["nulls in a hook", { lifecycle: { preDelete: hook } }],
    ["a null for the priority of a patch", { patches: [patch] }],
  ];
  return [
    ...specs.flatMap(([name, spec]) =>
      ["v1beta1", "v1alpha1"].map((version) => {
        return { name: `${name}, in ${version}`, object: build(spec, version), verdict: accepted };
      }),
    ),
    { name: "a null for scaling", object: build({ scaleStrategy: null }), verdict: accepted },
    {
      name: "a null in scaling",
      object: build({ scaleStrategy: { partitionedScaling: null } }),
      verdict: accepted,
    },
    { name: "an empty status", object: { ...build({}), status: {} }, verdict: accepted },
    {
      name: "a status as Kruise's clients send it",
      object: { ...build({}), status: zeroStatus },
      verdict: accepted,
    },
    { name: "a template of a typed client", object: build({ template: typedTemplate() }), verdict: accepted },
  ];
}

/** To Go nothing and an empty list or map are the same, so its clients leave out one or write the other. */
function sameSelectors(build: Build): readonly KindCase[] {
  const labels = { matchLabels: { app: "agent" } };
  const exists = (more: JsonObject) => ({ matchExpressions: [{ key: "app", operator: "Exists", ...more }] });
  const pairs: readonly (readonly [string, JsonObject, JsonObject])[] = [
    ["no expressions", labels, { ...labels, matchExpressions: [] }],
    ["no labels", exists({}), { ...exists({}), matchLabels: {} }],
    ["no values", exists({}), exists({ values: [] })],
    ["null for expressions", labels, { ...labels, matchExpressions: null }],
  ];
  return pairs.flatMap(([what, absent, empty]) =>
    ["v1beta1", "v1alpha1"].flatMap((version): readonly KindCase[] => {
      const plain = build({ selector: absent }, version);
      const spelt = build({ selector: empty }, version);
      return [
        { name: `a selector that now names ${what}, in ${version}`, old: plain, object: spelt, verdict: accepted },
        { name: `a selector that named ${what}, in ${version}`, old: spelt, object: plain, verdict: accepted },
      ];
    }),
  );
}

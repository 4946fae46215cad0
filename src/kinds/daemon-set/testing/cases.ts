// The shared table of the advanced DaemonSet, without its patches: valid and invalid objects of both versions.
import type { Json, JsonObject } from "../../../core/json/json.ts";
import { aContainer, accepted, acceptedWith, aTemplate, type KindCase, refused } from "../../testing/kind-case.ts";
import { badPatchCases } from "./cases-bad-patches.ts";
import { badTemplateCases } from "./cases-bad-templates.ts";
import { goClientCases } from "./cases-go-clients.ts";
import { patchCases } from "./cases-patches.ts";

/** A DaemonSet with these fields in its spec, in the stored version unless another is named. */
export function aDaemonSet(spec: JsonObject, version = "v1beta1"): JsonObject {
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind: "DaemonSet",
    metadata: { name: "agent", namespace: "default" },
    spec: { selector: { matchLabels: { app: "agent" } }, template: aTemplate(), ...spec },
  };
}

function rolling(rollingUpdate: JsonObject, version?: string): JsonObject {
  return aDaemonSet({ updateStrategy: { type: "RollingUpdate", rollingUpdate } }, version);
}

/** The rows. */
export function daemonSetCases(): readonly KindCase[] {
  return [
    ...validSets(),
    ...badBudgets(),
    ...badPartitions(),
    ...badFields(),
    ...badTemplates(),
    ...doubtfulSets(),
    ...changes(),
    ...goClientCases(aDaemonSet),
    ...patchCases(aDaemonSet),
    ...badTemplateCases(aDaemonSet),
    ...badPatchCases(aDaemonSet),
  ];
}

function validSets(): readonly KindCase[] {
  const everything = {
    updateStrategy: {
      type: "RollingUpdate",
      rollingUpdate: {
        ...{
          rollingUpdateType: "InPlaceIfPossible",
          maxUnavailable: "10%",
          maxSurge: 0,
          partition: "50%",
          paused: true,
        },
        ...{ selector: { matchLabels: { canary: "true" } }, strictAvailability: false },
      },
    },
    ...{ minReadySeconds: 5, burstReplicas: "30%", revisionHistoryLimit: 0 },
    lifecycle: {
      preDelete: { labelsHandler: { "example.com/hold": "true" }, finalizersHandler: ["example.com/wait"] },
      preNormal: { markPodNotReady: true },
    },
    scaleStrategy: { partitionedScaling: true },
  };
  return [
    { name: "the smallest set", object: aDaemonSet({}), verdict: accepted },
    { name: "the smallest set of v1alpha1", object: aDaemonSet({}, "v1alpha1"), verdict: accepted },
    { name: "every field at once", object: aDaemonSet(everything), verdict: acceptedWith("preNormal: has no effect") },
    {
      name: "an update when pods are deleted",
      object: aDaemonSet({ updateStrategy: { type: "OnDelete" } }),
      verdict: accepted,
    },
    ...idleBudgets(),
    { name: "an empty rolling update", object: rolling({}), verdict: accepted },
    { name: "a surge alone", object: rolling({ maxSurge: "20%" }), verdict: accepted },
    {
      name: "a surge beside an unavailability of none",
      object: rolling({ maxSurge: 1, maxUnavailable: 0 }),
      verdict: accepted,
    },
    { name: "v1alpha1's surging", object: rolling({ rollingUpdateType: "Surging" }, "v1alpha1"), verdict: accepted },
    {
      name: "v1alpha1's surging with its budgets",
      object: rolling({ rollingUpdateType: "Surging", maxSurge: 2, maxUnavailable: 0 }, "v1alpha1"),
      verdict: accepted,
    },
    { name: "a burst beyond all nodes", object: aDaemonSet({ burstReplicas: "150%" }), verdict: accepted },
    {
      name: "a burst beyond all nodes in v1alpha1",
      object: aDaemonSet({ burstReplicas: "1000%" }, "v1alpha1"),
      verdict: accepted,
    },
    { name: "a partition beyond all nodes", object: rolling({ partition: 100_000 }), verdict: accepted },
  ];
}

function badBudgets(): readonly KindCase[] {
  const at = (field: string) => `spec.updateStrategy.rollingUpdate.${field}`;
  const bad = (value: Json, by: "schema" | "cel"): KindCase => ({
    name: `an unavailability of ${JSON.stringify(value)}`,
    object: rolling({ maxUnavailable: value }),
    verdict: refused(by, at("maxUnavailable")),
  });
  return [
    ...[bad("101%", "schema"), bad("5", "schema"), bad("abc", "schema"), bad(-1, "schema"), bad(1.5, "schema")],
    ...[bad("1.5%", "schema"), bad(2 ** 31, "schema"), bad(0, "cel"), bad("0%", "cel"), bad("00%", "cel")],
    {
      name: "two budgets of none",
      object: rolling({ maxUnavailable: 0, maxSurge: "0%" }),
      verdict: refused("cel", at("maxUnavailable"), "no node could ever be updated"),
    },
    {
      name: "two budgets",
      object: rolling({ maxUnavailable: 1, maxSurge: 1 }),
      verdict: refused("cel", at("maxSurge"), "set the other to 0"),
    },
    {
      name: "a surge with an update in place",
      object: rolling({ rollingUpdateType: "InPlaceIfPossible", maxSurge: 1 }),
      verdict: refused("cel", at("maxSurge"), "InPlaceIfPossible"),
    },
    {
      name: "v1alpha1's surging with a surge of none",
      object: rolling({ rollingUpdateType: "Surging", maxSurge: 0 }, "v1alpha1"),
      verdict: refused("cel", at("maxUnavailable"), "no node could ever be updated"),
    },
    {
      name: "v1alpha1's surging with unavailability",
      object: rolling({ rollingUpdateType: "Surging", maxUnavailable: 1 }, "v1alpha1"),
      verdict: refused("cel", at("maxUnavailable"), "Surging"),
    },
  ];
}

function badPartitions(): readonly KindCase[] {
  const rollingUpdate = "spec.updateStrategy.rollingUpdate";
  return [
    {
      name: "a negative partition",
      object: rolling({ partition: -1 }),
      verdict: refused("schema", `${rollingUpdate}.partition`),
    },
    {
      name: "a partition above 100%",
      object: rolling({ partition: "150%" }),
      verdict: refused("schema", `${rollingUpdate}.partition`),
    },
    {
      name: "surging in v1beta1",
      object: rolling({ rollingUpdateType: "Surging" }),
      verdict: refused("schema", `${rollingUpdate}.rollingUpdateType`),
    },
    {
      name: "an unknown strategy",
      object: aDaemonSet({ updateStrategy: { type: "Recreate" } }),
      verdict: refused("schema", "spec.updateStrategy.type", "RollingUpdate, OnDelete"),
    },
    {
      name: "a canary selector with an odd operator",
      object: rolling({ selector: { matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] } }),
      verdict: refused("schema", `${rollingUpdate}.selector.matchExpressions[0].operator`),
    },
    {
      name: "a canary selector with a bad key",
      object: rolling({ selector: { matchLabels: { "a b": "c" } } }),
      verdict: refused("admission", `${rollingUpdate}.selector.matchLabels`),
    },
  ];
}

/** Kruise looks at a budget only where it is used. */
function idleBudgets(): readonly KindCase[] {
  const budgets = [
    { maxUnavailable: 0, maxSurge: 0 },
    { maxUnavailable: 1, maxSurge: 1 },
  ];
  return budgets.flatMap((rollingUpdate) =>
    ["v1beta1", "v1alpha1"].map((version) => ({
      name: `budgets of ${Object.values(rollingUpdate).join(" and ")} in ${version}, which OnDelete does not use`,
      object: aDaemonSet({ updateStrategy: { type: "OnDelete", rollingUpdate } }, version),
      verdict: accepted,
    })),
  );
}

function badFields(): readonly KindCase[] {
  const { selector, template, ...whole } = { ...aDaemonSet({}), selector: { matchLabels: {} }, template: aTemplate() };
  const withSpec = (spec: JsonObject): JsonObject => ({ ...whole, spec });
  return [
    { name: "no selector", object: withSpec({ template }), verdict: refused("schema", "spec.selector") },
    { name: "no template", object: withSpec({ selector }), verdict: refused("schema", "spec.template") },
    {
      name: "an empty selector",
      object: aDaemonSet({ selector: {} }),
      verdict: refused("admission", "spec.selector", "every pod"),
    },
    {
      name: "a negative delay",
      object: aDaemonSet({ minReadySeconds: -1 }),
      verdict: refused("schema", "spec.minReadySeconds"),
    },
    {
      name: "a negative history",
      object: aDaemonSet({ revisionHistoryLimit: -1 }),
      verdict: refused("schema", "spec.revisionHistoryLimit"),
    },
    {
      name: "a burst of none",
      object: aDaemonSet({ burstReplicas: 0 }),
      verdict: refused("cel", "spec.burstReplicas"),
    },
    {
      name: "a burst in words",
      object: aDaemonSet({ burstReplicas: "all" }),
      verdict: refused("schema", "spec.burstReplicas"),
    },
    {
      name: "the hook that Kruise forbids",
      object: aDaemonSet({ lifecycle: { inPlaceUpdate: { markPodNotReady: true } } }),
      verdict: refused("cel", "spec.lifecycle.inPlaceUpdate", "preDelete"),
    },
    {
      name: "a hook with a label that is no text",
      object: aDaemonSet({ lifecycle: { preDelete: { labelsHandler: { hold: true } } } }),
      verdict: refused("schema", "spec.lifecycle.preDelete.labelsHandler"),
    },
  ];
}

function badTemplates(): readonly KindCase[] {
  const row = (name: string, spec: JsonObject, at: string, says?: string): KindCase => ({
    name,
    object: aDaemonSet({ template: aTemplate(spec) }),
    verdict: refused("admission", `spec.template.spec.${at}`, says),
  });
  return [
    row("a template that is restarted never", { restartPolicy: "Never" }, "restartPolicy", "Always"),
    row("a template with a deadline", { activeDeadlineSeconds: 5 }, "activeDeadlineSeconds"),
    row("a template with ephemeral containers", { ephemeralContainers: [aContainer("x")] }, "ephemeralContainers"),
    row("an init container named as another", { initContainers: [aContainer("agent")] }, "initContainers[0].name"),
    row("a container without image", { containers: [{ name: "agent" }] }, "containers[0].image", "no image"),
    row(
      "an image with a scheme",
      { containers: [aContainer("agent", { image: "docker://a:1" })] },
      "containers[0].image",
    ),
    row(
      "a toleration with an odd operator",
      { tolerations: [{ key: "a", operator: "Like" }] },
      "tolerations[0].operator",
    ),
    row(
      "a GPU without a limit",
      { containers: [aContainer("agent", { resources: { requests: { "nvidia.com/gpu": 1 } } })] },
      "containers[0].resources.requests",
      "equal limit",
    ),
    {
      name: "labels that the selector does not match",
      object: aDaemonSet({ template: aTemplate({}, { app: "other" }) }),
      verdict: refused("admission", "spec.template.metadata.labels", "spec.selector"),
    },
    {
      name: "no containers at all",
      object: aDaemonSet({ template: aTemplate({ containers: [] }) }),
      verdict: refused("schema", "spec.template.spec.containers"),
    },
    {
      name: "two containers of one name",
      object: aDaemonSet({ template: aTemplate({ containers: [aContainer("a"), aContainer("a")] }) }),
      verdict: refused("schema", "spec.template.spec.containers[1]"),
    },
  ];
}

function doubtfulSets(): readonly KindCase[] {
  const ports = [aContainer("agent", { ports: [{ containerPort: 80, hostPort: 80 }] })];
  return [
    {
      name: "a partition that nobody looks at",
      object: aDaemonSet({ updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } }),
      verdict: acceptedWith("partition: has no effect"),
    },
    {
      name: "a surge over a host port",
      object: aDaemonSet({
        template: aTemplate({ containers: ports }),
        updateStrategy: { rollingUpdate: { maxSurge: 1 } },
      }),
      verdict: acceptedWith("host port"),
    },
  ];
}

function changes(): readonly KindCase[] {
  const old = aDaemonSet({});
  const selector = { matchLabels: { app: "agent", tier: "node" } };
  const labels = { app: "agent", tier: "node" };
  return [
    {
      name: "another selector",
      old,
      object: aDaemonSet({ selector, template: aTemplate({}, labels) }),
      verdict: refused("cel", "spec.selector", "cannot be changed"),
    },
    {
      name: "another selector, by its condition",
      old: aDaemonSet({ selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } }),
      object: aDaemonSet({ selector: { matchExpressions: [{ key: "app", operator: "In", values: ["agent"] }] } }),
      verdict: refused("cel", "spec.selector", "cannot be changed"),
    },
    {
      name: "another selector of the same meaning",
      old: aDaemonSet({ selector: { matchExpressions: [{ key: "app", operator: "In", values: ["agent"] }] } }),
      object: aDaemonSet({ selector: { matchLabels: { app: "agent" }, matchExpressions: [] } }),
      verdict: refused("cel", "spec.selector", "cannot be changed"),
    },
    { name: "another template", old, object: aDaemonSet({ template: aTemplate({}, labels) }), verdict: accepted },
    { name: "a pause, as plug-ins set it", old, object: rolling({ paused: true }), verdict: accepted },
  ];
}

import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { installObjects } from "./install.ts";
import { NAMESPACE } from "./names.ts";
import { clusterRules, ownRules, patchesRules } from "./rbac.ts";

const objects: readonly JsonObject[] = JSON.parse(JSON.stringify(installObjects()));
const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
const text = (object: unknown) => JSON.stringify(object);

describe("rights", () => {
  test("nothing is allowed by a wildcard", () => {
    for (const { apiGroups, resources, verbs } of [...clusterRules, ...ownRules, ...patchesRules]) {
      expect([...apiGroups, ...resources, ...verbs]).not.toContain("*");
    }
  });

  test("no Secret is readable outside the operator's own namespace, and there only its own one", () => {
    expect(clusterRules.filter(({ resources }) => resources.includes("secrets"))).toEqual([]);
    const [secrets] = ownRules.filter(({ resources }) => resources.includes("secrets"));
    expect(secrets?.resourceNames).toEqual(["farrier-certificates"]);
  });

  test.each(["escalate", "bind", "impersonate", "deletecollection"])("the verb %s is not given", (verb) => {
    expect([...clusterRules, ...ownRules].filter(({ verbs }) => verbs.includes(verb))).toEqual([]);
  });

  test.each(["pods/exec", "nodes/proxy", "nodes/status", "serviceaccounts/token", "secrets"])(
    "%s is out of reach in the cluster",
    (resource) => {
      expect(clusterRules.filter(({ resources }) => resources.includes(resource))).toEqual([]);
    },
  );

  test("ConfigMaps are read by those who know their names, and are neither listed, watched nor written", () => {
    const rules = clusterRules.filter(({ resources }) => resources.includes("configmaps"));
    expect(rules.map(({ verbs }) => verbs)).toEqual([["get"]]);
  });

  test("the role of the proposal is there by its name, for whoever wants to be bound to it", () => {
    const name = "kruise-daemonset-patches-controller";
    const [role] = ofKind("ClusterRole").filter(({ metadata }) => Object(metadata).name === name);
    expect(role?.rules).toEqual([
      { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
      {
        apiGroups: ["apps.kruise.io"],
        resources: ["daemonsets"],
        verbs: ["get", "list", "watch", "update", "patch"],
      },
    ]);
    expect(ofKind("ClusterRoleBinding").filter(({ roleRef }) => Object(roleRef).name === name)).toEqual([]);
  });

  test("what other people own by name, the operator may touch by that name alone", () => {
    const named = clusterRules.filter(({ apiGroups }) =>
      apiGroups.some((group) => ["admissionregistration.k8s.io", "apiextensions.k8s.io"].includes(group)),
    );
    expect(named.length).toBeGreaterThanOrEqual(3);
    for (const { resourceNames } of named) expect(resourceNames?.length).toBeGreaterThan(0);
  });
});

describe("webhooks", () => {
  const webhooks = [...ofKind("ValidatingWebhookConfiguration"), ...ofKind("MutatingWebhookConfiguration")].flatMap(
    (configuration) => (Array.isArray(configuration.webhooks) ? configuration.webhooks.filter(isJsonObject) : []),
  );

  test("the validator of the proposal is there by its names", () => {
    const [validator] = ofKind("ValidatingWebhookConfiguration").filter((one) =>
      text(one.metadata).includes("daemonset-patches-validator"),
    );
    expect(validator).toMatchObject({
      webhooks: [
        {
          name: "daemonset-patches.kruise.io",
          clientConfig: { service: { path: "/validate-daemonset-patches" } },
          rules: [{ apiGroups: ["apps.kruise.io"], operations: ["CREATE", "UPDATE"], resources: ["daemonsets"] }],
        },
      ],
    });
  });

  test("only writes of our own kinds are sent to us, for a short while, and nothing happens by asking", () => {
    const groups = new Set(
      webhooks.flatMap(({ rules }) => JSON.parse(text(rules)).flatMap((r: JsonObject) => r.apiGroups)),
    );
    expect([...groups].sort()).toEqual(["apps.kruise.io", "farrier.dev", "kmm.sigs.x-k8s.io"]);
    for (const webhook of webhooks) expect(webhook).toMatchObject({ sideEffects: "None", timeoutSeconds: 5 });
  });

  test("every path that is named is served by a Service of the installation", () => {
    const installed = ofKind("Service").map(({ metadata }) => Object(metadata).name);
    for (const webhook of webhooks) expect(installed).toContain(Object(webhook.clientConfig).service.name);
  });
});

test("the definition with two versions is converted by us, the others need nobody", () => {
  const strategies = ofKind("CustomResourceDefinition").map(({ metadata, spec }) => [
    ...[Object(metadata).name, Object(spec).conversion.strategy],
  ]);
  expect(Object.fromEntries(strategies)).toEqual({
    ...{
      "daemonsets.apps.kruise.io": "Webhook",
      "modules.kmm.sigs.x-k8s.io": "None",
      "variantsets.farrier.dev": "None",
    },
  });
});

test("the operator and all it needs lie in its namespace, which takes restricted pods alone", () => {
  const namespaced = objects.filter(({ metadata }) => Object(metadata).namespace !== undefined);
  expect(namespaced.map(({ metadata }) => Object(metadata).namespace)).toEqual(namespaced.map(() => NAMESPACE));
  const [deployment] = ofKind("Deployment");
  expect(Object(deployment?.spec).replicas).toBe(2);
  expect(Object(deployment?.spec).template.spec.containers[0].securityContext).toEqual({
    ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
  });
});

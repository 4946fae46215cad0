import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../core/json/json.ts";
import { ALL_DEFINITIONS } from "../kinds/all-definitions.ts";
import { customResourceDefinition } from "../kinds/schema/crd.ts";
import { play, stageCluster, stageNode, stageSet } from "./testing/cli-stage.ts";

const aLease = (namespace: string, name: string, renewTime: string): JsonObject => ({
  ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace, name } },
  spec: { holderIdentity: `${name}-0`, renewTime },
});
const aWebhook = (name: string, caBundle: string): JsonObject => ({
  ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration", metadata: { name } },
  webhooks: [{ name: "x", clientConfig: { caBundle } }],
});
/** Copies of ours, as a server answers them, with what a test makes of the versions of one. */
const definitionsWith = (name: string, change: (version: JsonObject) => JsonObject): readonly JsonObject[] =>
  ALL_DEFINITIONS.map((source) => {
    const definition = customResourceDefinition(source);
    const spec = isJsonObject(definition.spec) ? definition.spec : {};
    const versions = Array.isArray(spec.versions) ? spec.versions.filter(isJsonObject) : [];
    const isMeant = `${source.names.plural}.${source.names.group}` === name;
    return { ...definition, spec: { ...spec, versions: isMeant ? versions.map(change) : versions } };
  });
const definitions = definitionsWith("none", (version) => version);
const lease = aLease("farrier-system", "farrier", "2025-12-31T23:59:57.000000Z");
const well = [stageNode("edge-1"), stageNode("edge-2"), ...definitions, lease, aWebhook("farrier-validator", "Q0E=")];

type World = { readonly minor?: string; readonly mayNot?: string };

async function examine(line: string, objects: readonly JsonObject[], { minor = "31", mayNot = "" }: World = {}) {
  const review = (body: unknown): JsonObject => {
    const asked = JSON.stringify(isJsonObject(body) ? body.spec : "");
    return { status: { allowed: mayNot === "" || !asked.includes(mayNot) } };
  };
  const { connect } = stageCluster(objects, {
    "/version": () => ({ major: "1", minor, gitVersion: `v1.${minor}.0` }),
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": review,
  });
  return play(line, {}, { connect });
}

describe("doctor", () => {
  test("judges the nodes and objects of a snapshot, and says that it tells of no more", async () => {
    const stalled = [{ type: "Stalled", status: "True", reason: "SelectorConflict", message: "another set has them" }];
    const files = { "s.json": [stageNode("edge-1"), stageSet({ status: { conditions: stalled } })] };
    const { code, out, err } = await play("doctor --from s.json", files);
    expect([code, err]).toEqual([1, ""]);
    expect(out).toContain("‼ a snapshot tells only of nodes and objects");
    expect(out).toContain("√ kernel reported by 1 of 1 node");
    expect(out).toContain("× daemonset/storage/agent: SelectorConflict: another set has them");
    expect(out).not.toContain("Lease");
  });

  test("finds nothing where all is well", async () => {
    const { code, out, err } = await examine("doctor", well);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatchInlineSnapshot(`
      "https://stage
      cluster
        √ Kubernetes v1.31.0 is supported (1.29 or newer)
        √ kernel reported by 2 of 2 nodes
        √ you may do what the operator does (18 rights asked)
        √ no other operator serves these kinds
      operator
        √ modules.kmm.sigs.x-k8s.io is installed (v1beta1)
        √ variantsets.farrier.dev is installed (v1alpha1)
        √ daemonsets.apps.kruise.io is installed (v1alpha1, v1beta1)
        √ farrier-0 leads, renewed 3 s ago
        √ farrier-validator has its certificate authority
      objects
        √ 0 objects, none in trouble
      Result: 0 errors, 0 warnings.
      "
    `);
  });

  test("names the fields that another operator's definition lacks, and the file that has them", async () => {
    const withoutPatches = (version: JsonObject): JsonObject =>
      JSON.parse(JSON.stringify(version), (key, value) => (key === "patches" ? undefined : value));
    const kruise = definitionsWith("daemonsets.apps.kruise.io", withoutPatches);
    const { code, out } = await examine("doctor", [...without("CustomResourceDefinition"), ...kruise]);
    expect(code).toBe(1);
    expect(out.slice(out.indexOf("operator\n"), out.indexOf("objects\n"))).toMatchInlineSnapshot(`
      "operator
        √ modules.kmm.sigs.x-k8s.io is installed (v1beta1)
        √ variantsets.farrier.dev is installed (v1alpha1)
        × daemonsets.apps.kruise.io is not ours: v1beta1 lacks 2 fields: spec.patches, status.patches
            kubectl apply --server-side -f deploy/crds/daemonsets.apps.kruise.io.yaml
        × daemonsets.apps.kruise.io is not ours: v1alpha1 lacks 2 fields: spec.patches, status.patches
            kubectl apply --server-side -f deploy/crds/daemonsets.apps.kruise.io.yaml
        √ farrier-0 leads, renewed 3 s ago
        √ farrier-validator has its certificate authority
      "
    `);
  });

  const clone = (name: string) => {
    const node = stageNode(name);
    const status = isJsonObject(node.status) ? node.status : {};
    const nodeInfo = isJsonObject(status.nodeInfo) ? status.nodeInfo : {};
    return { ...node, status: { ...status, nodeInfo: { ...nodeInfo, bootID: "same" } } };
  };
  const stalled = stageSet({
    status: { conditions: [{ type: "Stalled", status: "True", reason: "InvalidSpec", message: "spec.template" }] },
  });
  const waiting = stageSet({ status: { conditions: [{ type: "Ready", status: "False", reason: "BudgetSpent" }] } });
  const without = (kind: string) => well.filter((object) => object.kind !== kind);
  const old = aLease("farrier-system", "farrier", "2025-12-31T20:00:00Z");

  test.each<readonly [string, number, readonly JsonObject[], World, string]>([
    ["a server that is too old", 1, well, { minor: "28" }, "× Kubernetes v1.28.0 is too old"],
    ["a version that tells nothing", 0, well, { minor: "?" }, "‼ Kubernetes v1.?.0 has a version that tells nothing"],
    ["a missing right", 0, well, { mayNot: '"nodes"' }, "‼ you may not patch nodes"],
    [
      "a node without a kernel",
      0,
      [...well, stageNode("edge-3", { kernel: "" })],
      {},
      "‼ 1 node without a kernel: edge-3",
    ],
    ["cloned machines", 0, [...well, clone("a"), clone("b")], {}, "‼ 2 nodes share one bootID: a, b"],
    [
      "a kind that is not installed",
      1,
      without("CustomResourceDefinition"),
      {},
      "× variantsets.farrier.dev is not installed",
    ],
    [
      "a version that is not served",
      1,
      [
        ...without("CustomResourceDefinition"),
        ...definitionsWith("daemonsets.apps.kruise.io", (version) => ({
          ...version,
          served: version.name === "v1alpha1",
        })),
      ],
      {},
      "× daemonsets.apps.kruise.io serves v1alpha1, not v1beta1",
    ],
    [
      "a definition without any field",
      1,
      [
        ...without("CustomResourceDefinition"),
        ...definitionsWith("variantsets.farrier.dev", (version) => ({ ...version, schema: { openAPIV3Schema: {} } })),
      ],
      {},
      "× variantsets.farrier.dev is not ours: v1alpha1 lacks 2 fields: spec, status",
    ],
    ["no operator", 0, without("Lease"), {}, "‼ there is no Lease farrier-system/farrier"],
    ["an operator that stopped", 1, [...without("Lease"), old], {}, "× nobody leads: Lease farrier-system/farrier"],
    [
      "a webhook nobody can trust",
      1,
      [...well, aWebhook("farrier-x", "")],
      {},
      "× farrier-x has 1 webhook without a CA bundle",
    ],
    [
      "another operator",
      1,
      [...well, aLease("kruise-system", "kruise-manager", "2025-12-31T23:59:50Z")],
      {},
      "× another operator is live: Kruise (Lease kruise-system/kruise-manager)",
    ],
    [
      "what another operator left",
      0,
      [...well, aWebhook("kruise-validating", "x")],
      {},
      "‼ webhooks of Kruise are configured",
    ],
    ["an object that stalls", 1, [...well, stalled], {}, "× daemonset/storage/agent: InvalidSpec: spec.template"],
    ["an object that is not ready", 0, [...well, waiting], {}, "‼ daemonset/storage/agent: BudgetSpent"],
  ])("%s is found", async (_, code, objects, world, line) => {
    const seen = await examine("doctor", objects, world);
    expect([seen.code, seen.out]).toEqual([code, expect.stringContaining(line)]);
    expect(seen.out).toMatch(/\nResult: \d+ errors?, \d+ warnings?[.]\n$/);
  });

  test("--pre asks only for what must hold before an installation, and takes a missing right for an error", async () => {
    const seen = await examine("doctor --pre -o json", [stageNode("edge-1")], { mayNot: '"pods"' });
    expect(seen.code).toBe(1);
    expect(JSON.parse(seen.out)).toMatchObject({ formatVersion: "1.0", errors: 4, groups: [{ group: "cluster" }] });
  });

  test("what cannot be read is told with its cause, and nothing is claimed of it", async () => {
    const refusal = () => ({ kind: "Status", status: "Failure" });
    const { connect } = stageCluster(well, {
      ...{ "/version": () => ({ major: "1", minor: "31", gitVersion: "v1.31.0" }), "/api/v1/nodes": refusal },
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": () => ({ status: { allowed: true } }),
    });
    const { code, out } = await play("doctor", {}, { connect });
    expect([code, out]).toEqual([0, expect.stringMatching(/‼ nodes and objects could not be read: .{5,}/)]);
    expect(out).not.toMatch(/kernel reported|in trouble/);
  });

  test("ends with 2 where it cannot check", async () => {
    const { code, err } = await play("doctor");
    expect([code, err]).toEqual([2, "no cluster here"]);
  });

  test("helps, with examples", async () => {
    expect((await play("doctor --help")).out).toContain("Examples:\n  farrier doctor");
  });
});

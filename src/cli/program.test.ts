import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { JsonObject } from "../core/json/json.ts";
import { type Files, play, stageNode, stageSet } from "./testing/cli-stage.ts";

const cluster = [stageNode("edge-1", { labels: { disk: "large" } }), stageNode("edge-2"), stageNode("edge-3")];
const labels = { app: "agent" };
/** The set as somebody writes it, before it is stored. */
const agent = (spec: JsonObject = {}): JsonObject => {
  const { status: _, metadata, ...written } = stageSet({ spec });
  return { ...written, metadata: { name: metadata.name, namespace: metadata.namespace } };
};

const run = (line: string, files: Files = {}) =>
  play(
    line,
    { "cluster.yaml": cluster, "agent.yaml": [agent()], ...files },
    { readInput: async () => stringify(agent()) },
  );

describe("plan", () => {
  test("says what a new object would do, and exits as a diff does", async () => {
    const { code, out, err } = await run("plan -f agent.yaml --from cluster.yaml");
    expect([code, err]).toEqual([1, ""]);
    expect(out).toMatchInlineSnapshot(`
      "agent.yaml against cluster.yaml (3 nodes)
        + create   ~ change   - delete   ! build first   x no fit   … held back

      DaemonSet storage/agent
        + template   pods: 2 more
        + template + patches 0   pods: 1 more

      Disruption: 0 pods replaced, 0 nodes unavailable at the peak.
      Plan: 0 to create, 0 to change, 0 to delete; 3 pods more, 0 untouched.
      "
    `);
  });

  test("names what each DaemonSet of a VariantSet runs, and on how many nodes", async () => {
    const set = {
      ...{ apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet", metadata: { name: "csi", namespace: "storage" } },
      spec: {
        template: { spec: { containers: [{ name: "node", image: "node:1" }] } },
        variants: [{ name: "6.x", match: { kernel: "6.x" }, images: { node: "node-6:1" } }],
      },
    };
    const { out } = await run("plan -f set.yaml --from cluster.yaml", { "set.yaml": [set] });
    expect(out).toMatch(/^ {2}[+] DaemonSet csi-6-x-… {3}3 nodes {3}node-6:1$/m);
    expect(out).toContain("labels of 3 nodes");
  });

  test("reads standard input", async () => {
    expect((await run("plan -f - --from cluster.yaml")).out).toContain("- against cluster.yaml (3 nodes)");
  });

  test("prints JSON with the version of its format", async () => {
    const { out } = await run("plan -f agent.yaml --from cluster.yaml -o json");
    expect(JSON.parse(out)).toMatchObject({
      formatVersion: "1.0",
      kind: "Plan",
      plans: [{ pods: { gained: 3, replaced: 0 } }],
    });
  });

  test.each<readonly [string, string, Readonly<Record<string, string | readonly JsonObject[]>>, string]>([
    ["nothing to plan for", "plan --from cluster.yaml", {}, "nothing to plan: give manifests with -f"],
    ["a file that is not there", "plan -f x.yaml --from cluster.yaml", {}, "x.yaml: no such file"],
    [
      "an object that would be refused",
      "plan -f bad.yaml --from cluster.yaml",
      { "bad.yaml": [agent({ minReadySeconds: -1 })] },
      "spec.minReadySeconds",
    ],
    ["a file with a fault", "plan -f bad.yaml --from cluster.yaml", { "bad.yaml": "a: [" }, "bad.yaml:1"],
    [
      "no object of ours",
      "plan -f n.yaml --from cluster.yaml",
      { "n.yaml": [stageNode("x")] },
      "no object of Module, VariantSet, DaemonSet is there to plan for",
    ],
    ["a change for no node", "plan --label node/nobody a=b --from cluster.yaml", {}, "no node of the cluster is meant"],
    ["labels that are none", "plan --label node/edge-1 a --from cluster.yaml", {}, '"a" is neither key=value nor key-'],
    ["a selector that is none", "plan --kernel 6.1 --nodes a(b --from cluster.yaml", {}, "--nodes"],
    ["no cluster", "plan -f agent.yaml", {}, "no cluster here"],
    ["an unknown option", "plan --wrong", {}, "unknown option '--wrong'"],
    ["an unknown format", "plan -f agent.yaml -o xml", {}, "Allowed choices are text, json, yaml"],
  ])("%s is told on standard error, with exit code 2", async (_, line, files, message) => {
    const { code, out, err } = await run(line, files);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
  });
});

describe("explain", () => {
  test("says where each field comes from, and what stood there before", async () => {
    const env = (value: string) => ({ spec: { containers: [{ name: "main", env: [{ name: "CACHE", value }] }] } });
    const large = { matchLabels: { disk: "large" } };
    const patches = [
      { selector: large, patch: env("2Ti") },
      { selector: {}, patch: env("1Ti"), priority: -1 },
      { selector: { matchLabels: { gpu: "yes" } }, patch: env("0") },
    ];
    const set = agent({ patches });
    const files = { "all.yaml": [...cluster, { ...set, metadata: { name: "agent", namespace: "storage", uid: "u" } }] };
    const { out } = await run("explain node edge-1 --fields --from all.yaml", files);
    expect(out).toMatchInlineSnapshot(`
      "DaemonSet storage/agent   gets template + patches 1,0
      FIELD                                             VALUE    FROM        WAS
      spec.containers[name=main].env[name=CACHE].name   "CACHE"  patches[1]  –
      spec.containers[name=main].env[name=CACHE].value  "2Ti"    patches[0]  "1Ti" (patches[1])
      Every other field is as the template has it.
      Skipped: patches[2], since label gpu is absent, but gpu=yes is asked.
      "
    `);
  });

  test("says which variant, which image and which part of ours a field of a VariantSet's pod comes from", async () => {
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "agent:1" }] } };
    const patch = { spec: { hostNetwork: true, containers: [{ name: "main", image: "agent:2" }] } };
    const variants = [{ name: "6.x", match: { kernel: "6.x" }, images: { main: "agent:6" }, patch }];
    const set = {
      ...{ apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet" },
      ...{ metadata: { name: "csi", namespace: "storage", uid: "u" }, spec: { template, variants } },
    };
    const { out } = await run("explain node edge-1 --fields --from all.yaml", { "all.yaml": [...cluster, set] });
    expect(out).toMatchInlineSnapshot(`
      "VariantSet storage/csi   gets 6.x
      FIELD                                                 VALUE                               FROM                     WAS
      spec.hostNetwork                                      true                                spec.variants[0].patch   –
      spec.containers[name=main].image                      "agent:6"                           spec.variants[0].images  "agent:2" (spec.variants[0].patch), "agent:1" (template)
      metadata.labels["farrier.dev/workload"]               "csi-6-x-blp28ktn8dp7v8x5p8rkpjmh"  farrier                  –
      spec.nodeSelector["variant.farrier.dev/storage.csi"]  "6.x"                               farrier                  –
      Every other field is as the template has it.
      "
    `);
  });

  test("says which mapping the image of a driver comes from", async () => {
    const kernelMappings = [
      { literal: "5.4.0", containerImage: "kmod:5" },
      { regexp: "^6", containerImage: "kmod:6" },
    ];
    const module = {
      ...{ apiVersion: "kmm.sigs.x-k8s.io/v1beta1", kind: "Module" },
      metadata: { name: "kmod", namespace: "storage", uid: "u" },
      spec: { selector: {}, kernelMappings, driverContainer: { name: "driver", image: "kmod:old" } },
    };
    const { out } = await run("explain node edge-1 --fields --from all.yaml", { "all.yaml": [...cluster, module] });
    expect(out).toMatchInlineSnapshot(`
      "Module storage/kmod   gets kmod:6
      FIELD                                                 VALUE                   FROM                    WAS
      spec.containers[name=driver].image                    "kmod:6"                spec.kernelMappings[1]  "kmod:old" (spec.driverContainer)
      spec.nodeSelector["module.farrier.dev/storage.kmod"]  "6.1.97"                farrier                 –
      spec.priorityClassName                                "system-node-critical"  farrier                 –
      Every other field is as the Module has it.
      "
    `);
  });

  test("has no fields to tell of where a node gets nothing", async () => {
    const template = {
      metadata: { labels },
      spec: { nodeSelector: { gpu: "yes" }, containers: [{ name: "main", image: "a:1" }] },
    };
    const set = { ...agent({ template, patches: [] }), metadata: { name: "agent", namespace: "storage", uid: "u" } };
    const { out } = await run("explain node edge-1 --fields --from all.yaml", { "all.yaml": [...cluster, set] });
    expect(out).toMatch(/^DaemonSet storage\/agent {3}\w+: .*\nNo pod, no fields[.]\n/);
  });

  test("says the same of a manifest in another version that is served", async () => {
    const rollingUpdate = { rollingUpdateType: "Surging" };
    const older = { ...agent({ updateStrategy: { rollingUpdate } }), apiVersion: "apps.kruise.io/v1alpha1" };
    const { out } = await run("explain node edge-1 --from all.yaml", { "all.yaml": [...cluster, older] });
    expect(out).toContain("DaemonSet storage/agent   gets template + patches 0;");
  });

  test("names the field of a stored object that breaks a rule, and does not pass the object over", async () => {
    const stored = (apiVersion: string, kind: string, spec: JsonObject) => {
      return { apiVersion, kind, metadata: { name: "bad", namespace: "storage", uid: kind }, spec };
    };
    const bad = [
      { ...agent({ minReadySeconds: "5" }), metadata: { name: "bad", namespace: "storage", uid: "u" } },
      stored("farrier.dev/v1alpha1", "VariantSet", { template: "x" }),
      stored("kmm.sigs.x-k8s.io/v1beta1", "Module", { selector: "x" }),
    ];
    const { out } = await run("explain node edge-1 --from all.yaml", { "all.yaml": [...cluster, ...bad] });
    expect(out).toContain("✖ DaemonSet storage/bad   InvalidSpec: spec.minReadySeconds: must be a whole number");
    expect(out).toMatch(/✖ VariantSet storage\/bad {3}InvalidSpec: spec/);
    expect(out).toMatch(/✖ Module storage\/bad {3}InvalidSpec: spec/);
    expect(out).toContain("Selected by 3 objects, fitted by 0.");
    const rendered = await run("render edge-1 --of daemonset/bad --from all.yaml", {
      "all.yaml": [...cluster, ...bad],
    });
    expect(rendered.err).toContain("InvalidSpec: spec.minReadySeconds");
  });

  test("says why a node gets what it gets", async () => {
    const { code, out } = await run("explain node edge-1 --from all.yaml", { "all.yaml": [...cluster, agent()] });
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "Node edge-1   kernel 6.1.97   Debian GNU/Linux 12 (bookworm) amd64   Ready

        … DaemonSet storage/agent   gets template + patches 0; RolloutInProgress: the pod that it should run is not there yet
          ✔ patches[0]   the labels meet disk=large
          ✔ tolerations   node edge-1 has no taints
            revision                                          5b898dd647
            rendered                                          w9t5b7sm2rpb5xzm8mgcwcqq
            spec.containers[name=main].env[name=CACHE].name   "CACHE" (patches[0])
            spec.containers[name=main].env[name=CACHE].value  "2Ti" (patches[0])

      Selected by 1 object, fitted by 0.
      "
    `);
  });

  test.each<readonly [string, string, string]>([
    [
      "a node that is not there",
      "explain node edge --from cluster.yaml",
      'node "edge" is not in cluster.yaml; it has edge-1, edge-2, edge-3',
    ],
    ["a pod that is not there", "explain pod a/b --from cluster.yaml", 'there is no pod "b" in namespace "a"'],
    [
      "something else",
      "explain cluster x --from cluster.yaml",
      '"cluster" cannot be explained; ask for a node or a pod',
    ],
  ])("%s", async (_, line, message) => {
    const { code, err } = await run(line);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("snapshot", () => {
  test("is what the other commands read, without what tells nothing", async () => {
    const noisy = {
      ...stageNode("edge-4"),
      metadata: {
        name: "edge-4",
        managedFields: [{ manager: "x" }],
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
      },
    };
    const { out } = await run("snapshot --from noisy.yaml", { "noisy.yaml": [...cluster, noisy] });
    expect(out).not.toMatch(/managedFields|last-applied/);
    const again = await run("plan -f agent.yaml --from s.json -o json", { "s.json": out });
    expect(JSON.parse(again.out).plans[0].pods.gained).toBe(4);
  });
});

const cases = ["plan -f agent.yaml", "explain node edge-1", "render edge-1 --of agent", "status", "doctor", "snapshot"];
describe.each([...cases, "rollout status agent", "rollout history agent"])("farrier %s", (line) => {
  const stored = [...cluster, stageSet()];
  const files = { "cluster.yaml": stored, "dir/nodes.yaml": cluster, "dir/set.yaml": [stageSet()] };
  const ask = (from: string, format: string) =>
    play(
      `${line} --from ${from} -o ${format}`,
      { ...files, "agent.yaml": [agent()] },
      {
        readInput: async () => stringify({ apiVersion: "v1", kind: "List", items: stored }),
        listFiles: async (path) => (path === "dir" ? ["dir/nodes.yaml", "dir/set.yaml"] : [path]),
      },
    );

  test("answers the same from a snapshot, a folder and standard input", async () => {
    const { code, out, err } = await ask("cluster.yaml", "json");
    expect([code < 2, err, JSON.parse(out).kind]).toEqual([true, "", expect.stringMatching(/./)]);
    for (const from of ["dir", "-"]) expect(await ask(from, "json")).toEqual({ code, out, err });
  });

  test("says the same in YAML as in JSON", async () => {
    expect(parse((await ask("dir", "yaml")).out)).toEqual(JSON.parse((await ask("dir", "json")).out));
  });
});

const lines = ["", ...cases.map((line) => line.split(" ")[0] ?? ""), "rollout", "rollout status", "rollout history"];
test.each([...lines, "rollout undo", "rollout pause", "rollout resume"])(
  "farrier %s --help helps, with examples",
  async (line) => {
    const { code, out } = await run(`${line} --help`.trim());
    expect([code, out]).toEqual([0, expect.stringMatching(/^Usage: farrier[\s\S]*^Examples:$/m)]);
    expect(out).toContain(`  farrier ${line}`.trimEnd());
  },
);

import { describe, expect, test } from "vitest";
import type { JsonObject } from "../core/json/json.ts";
import { play, stageNode, stagePod, stageSet } from "./testing/cli-stage.ts";

const tainted = (name: string): JsonObject => ({
  ...stageNode(name),
  spec: { taints: [{ key: "edge", effect: "NoSchedule" }] },
});
const nodes = [
  stageNode("rack-1"),
  stageNode("rack-2", { labels: { disk: "large" } }),
  tainted("edge-1"),
  tainted("edge-2"),
];
const platformMap = {
  ...{ apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet" },
  metadata: { name: "csi", namespace: "storage", uid: "u-csi", generation: 1 },
  spec: {
    template: { spec: { containers: [{ name: "node", image: "node:1" }] } },
    variants: [{ name: "6.x", match: { kernel: "6.x" } }],
    default: "None",
  },
};

test("nodes with the same trouble are one group, though each sentence names its node", async () => {
  const { out } = await play("plan -f set.yaml --from cluster.yaml", {
    "cluster.yaml": nodes,
    "set.yaml": [stageSet()],
  });
  expect(out).toContain(
    "x 2 nodes   TaintNotTolerated: no toleration covers taint edge:NoSchedule of the node\n      edge-1 edge-2",
  );
});

test("nodes that stay without a pod because their patches do not go together are told once", async () => {
  const labels = { app: "agent" };
  const template = {
    metadata: { labels },
    spec: { volumes: [{ name: "v", emptyDir: {} }], containers: [{ name: "main", image: "agent:1" }] },
  };
  const mount = { containers: [{ name: "main", volumeMounts: [{ name: "v", mountPath: "/v" }] }] };
  const patches = [
    { selector: { matchLabels: { disk: "large" } }, patch: { spec: { volumes: [{ name: "v", $patch: "delete" }] } } },
    { selector: { matchLabels: { disk: "large" } }, patch: { spec: mount } },
  ];
  const { out } = await play("plan -f s.yaml --from c.yaml", {
    "c.yaml": nodes,
    "s.yaml": [stageSet({ spec: { template, patches } })],
  });
  expect(out.match(/^ {2}. 1 node {3}PatchRejected: .*\n {6}rack-2$/gm)).toEqual([
    expect.stringContaining("  x 1 node"),
  ]);
});

test("an object that selects no node is told as such", async () => {
  const set = { ...platformMap, spec: { ...platformMap.spec, nodeSelector: { matchLabels: { gpu: "yes" } } } };
  const { code, out } = await play("plan -f s.yaml --from c.yaml", { "c.yaml": nodes, "s.yaml": [set] });
  expect([code, out]).toEqual([0, expect.stringContaining("\n    no node of the cluster is meant by it\n")]);
  const { out: other } = await play("plan -f s.yaml --from c.yaml", { "c.yaml": nodes, "s.yaml": [platformMap] });
  expect(other).not.toContain("is meant by it");
});

test("a question about nodes tells of those nodes only, and names the objects that do not care", async () => {
  const labels = { app: "agent" };
  const template = {
    metadata: { labels },
    spec: { nodeSelector: { gpu: "yes" }, containers: [{ name: "main", image: "agent:1" }] },
  };
  const cluster = [...nodes, stageSet({ spec: { template } }), platformMap];
  const { out } = await play("plan --kernel 5.4.0 --nodes disk=large --from cluster.yaml", { "cluster.yaml": cluster });
  expect(out).toContain("kernel 5.4.0 on 1 node against cluster.yaml (4 nodes)");
  expect(out).toContain("x 1 node   NoVariant");
  expect(out).not.toContain("edge-1");
  expect(out).not.toContain("TaintNotTolerated");
  expect(out).toContain("Nothing changes for DaemonSet storage/agent.\n");
});

test("what a new object makes is named without what follows from its UID; the file cannot know it either", async () => {
  const planned = (...cluster: readonly JsonObject[]) =>
    play("plan -f set.yaml --from cluster.yaml", { "cluster.yaml": [...nodes, ...cluster], "set.yaml": [platformMap] });
  expect((await planned()).out).toMatch(/^ {2}\+ DaemonSet csi-6-x-… {3}2 nodes/m);
  expect((await planned(platformMap)).out).toMatch(/^ {2}\+ DaemonSet csi-6-x-[a-z0-9]{24} {3}2 nodes/m);
});

describe("an image that the Module would build", () => {
  const module = {
    ...{ apiVersion: "kmm.sigs.x-k8s.io/v1beta1", kind: "Module", metadata: { name: "kmod" } },
    spec: {
      selector: {},
      kernelMappings: [
        { regexp: "^6", containerImage: "reg.example.com/kmod:1", build: { dockerfileConfigMap: { name: "d" } } },
      ],
      driverContainer: { name: "driver" },
    },
  };
  const dockerfile = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "d" }, data: { dockerfile: "FROM a\n" } };
  const planned = (...more: readonly JsonObject[]) =>
    play("plan -f m.yaml --from cluster.yaml", { "cluster.yaml": [...nodes, ...more], "m.yaml": [dockerfile, module] });
  const DAEMON_SET = /^ {2}\+ DaemonSet kmod-… {3}2 nodes {3}reg[.]example[.]com\/kmod:1/m;

  test("is built first", async () => {
    const { out } = await planned();
    expect(out).toMatch(/^ {2}! Job kmod-build-… /m);
    expect(out).toMatch(DAEMON_SET);
  });

  test("is there already where a pod runs it, by its tag or pinned to its digest", async () => {
    for (const image of ["reg.example.com/kmod:1", `reg.example.com/kmod:1@sha256:${"a".repeat(64)}`]) {
      const pod = stagePod("rack-1", "somebody");
      const { out } = await planned({ ...pod, spec: { ...pod.spec, containers: [{ name: "driver", image }] } });
      expect(out).not.toContain("Job");
      expect(out).toMatch(DAEMON_SET);
    }
  });
});

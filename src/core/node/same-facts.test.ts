import { expect, test } from "vitest";
import { parseNodeFacts } from "./node-facts.ts";
import { changedLabels, hasSameSystem } from "./same-facts.ts";

const nodeInfo = {
  ...{ kernelVersion: "5.14.0-427.el9.x86_64", osImage: "Rocky Linux 9.4 (Blue Onyx)" },
  ...{ architecture: "amd64", operatingSystem: "linux", containerRuntimeVersion: "containerd://2.0.1", bootID: "b-1" },
};
const aNode = (info: object = {}, labels: object = { pool: "gpu" }, more: object = {}) =>
  parseNodeFacts({ metadata: { name: "a", labels }, status: { nodeInfo: { ...nodeInfo, ...info } }, ...more });

test.each<readonly [string, ReturnType<typeof aNode>]>([
  ["a copy", aNode()],
  ["another boot", aNode({ bootID: "b-2" })],
  ["a taint", aNode({}, { pool: "gpu" }, { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } })],
])("%s is the same node to every rule", (_, other) => {
  expect([hasSameSystem(aNode(), other), changedLabels(aNode(), other)]).toEqual([true, []]);
});

test.each<readonly [string, ReturnType<typeof aNode>]>([
  ["another kernel", aNode({ kernelVersion: "6.1.0" })],
  ["a kernel that nobody can read", aNode({ kernelVersion: "???" })],
  ["no kernel", aNode({ kernelVersion: "" })],
  ["another operating system", aNode({ osImage: "Ubuntu 24.04.1 LTS" })],
  ["another runtime", aNode({ containerRuntimeVersion: "cri-o://1.31.0" })],
  ["another architecture", aNode({ architecture: "arm64" })],
  ["another family of systems", aNode({ operatingSystem: "windows" })],
])("%s makes it another", (_, other) => {
  expect([hasSameSystem(aNode(), other), changedLabels(aNode(), other)]).toEqual([false, []]);
});

test.each<readonly [string, object, readonly string[]]>([
  ["a label more", { pool: "gpu", zone: "a" }, ["zone"]],
  ["a label less", {}, ["pool"]],
  ["another value", { pool: "cpu" }, ["pool"]],
  ["another key", { puddle: "gpu" }, ["pool", "puddle"]],
  ["a key that objects are born with", { pool: "gpu", constructor: "x" }, ["constructor"]],
])("%s is told by its key", (_, labels, keys) => {
  const other = aNode({}, labels);
  expect([hasSameSystem(aNode(), other), changedLabels(aNode(), other)]).toEqual([true, keys]);
});

test("what cannot be read stays the same while it cannot be read", () => {
  const silent = { kernelVersion: "", osImage: "", containerRuntimeVersion: "", architecture: "", operatingSystem: "" };
  expect(hasSameSystem(aNode(silent), aNode({ ...silent, architecture: 7, kernelVersion: 7 }))).toBe(true);
});

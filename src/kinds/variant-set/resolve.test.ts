import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { type NodeFacts, parseNodeFacts } from "../../core/node/node-facts.ts";
import { aTemplate } from "../testing/kind-case.ts";
import { parseVariantSet } from "./api/parse.ts";
import type { VariantSet } from "./api/spec.ts";
import { resolveNode } from "./resolve.ts";
import { csiBaremetalSet } from "./testing/cases.ts";

function aSet(spec: JsonObject): VariantSet {
  const metadata = { name: "agent", namespace: "default" };
  return parsed({
    apiVersion: "farrier.dev/v1alpha1",
    kind: "VariantSet",
    metadata,
    spec: { template: aTemplate(), ...spec },
  });
}

function parsed(object: JsonObject): VariantSet {
  const set = parseVariantSet(object);
  if (!set.ok) throw new Error(JSON.stringify(set.problems));
  return set.value;
}

function aNode(info: JsonObject, labels: JsonObject = {}, metadata: JsonObject = {}): NodeFacts {
  const nodeInfo = {
    kernelVersion: "5.14.0-427.13.1.el9_4.x86_64",
    osImage: "Ubuntu 22.04.4 LTS",
    operatingSystem: "linux",
    architecture: "amd64",
    containerRuntimeVersion: "containerd://1.7.13",
    ...info,
  };
  return parseNodeFacts({ metadata: { name: "w-1", labels, ...metadata }, status: { nodeInfo } });
}

/** `5.x Fitted`, `nothing NoVariant`, `same FactUnknown`. */
function answerOf(set: VariantSet, node: NodeFacts): string {
  const { gets, reason } = resolveNode(set, node);
  return `${gets.kind === "variant" ? gets.variant.name : gets.kind} ${reason}`;
}

describe("the csi-baremetal map", () => {
  test.each([
    { kernel: "4.18.0-193.41.1.el8_2.x86_64", answer: "default DefaultUsed" },
    { kernel: "5.3.18-57-default", answer: "5.x Fitted" },
    { kernel: "5.4.0-66-generic", answer: "5.x Fitted" },
    { kernel: "5.12.0", answer: "5.x Fitted" },
    { kernel: "6.1.0-25-amd64", answer: "default DefaultUsed" },
    { kernel: "corrupted", answer: "same FactUnknown" },
    { kernel: "", answer: "same FactUnknown" },
  ])("gives a node with kernel $kernel: $answer", ({ kernel, answer }) => {
    expect(answerOf(parsed(csiBaremetalSet()), aNode({ kernelVersion: kernel }))).toBe(answer);
  });
});

describe("each part of a match", () => {
  const set = (match: JsonObject) => aSet({ variants: [{ name: "v", match }] });
  test.each([
    { match: { kernel: ">=5.14 <6" }, yes: {}, no: { kernelVersion: "6.1.0" }, unread: { kernelVersion: "x" } },
    { match: { kernel: "/el9/" }, yes: {}, no: { kernelVersion: "nothing like it" }, unread: { kernelVersion: "" } },
    {
      match: { os: { id: "ubuntu" } },
      yes: {},
      no: { osImage: "Debian GNU/Linux 12 (bookworm)" },
      unread: { osImage: "?" },
    },
    {
      match: { os: { id: "ubuntu", version: ">=22.04" } },
      yes: {},
      no: { osImage: "Ubuntu 20.04.6 LTS" },
      unread: { osImage: "Ubuntu" },
    },
    { match: { osImage: "22\\.04" }, yes: {}, no: { osImage: "Home-made Linux" }, unread: { osImage: "" } },
    { match: { arch: "amd64" }, yes: {}, no: { architecture: "arm64" }, unread: { architecture: "" } },
    {
      match: { runtime: "containerd" },
      yes: {},
      no: { containerRuntimeVersion: "cri-o://1.30.1" },
      unread: { containerRuntimeVersion: "" },
    },
  ])("$match", ({ match, yes, no, unread }) => {
    expect(answerOf(set(match), aNode(yes))).toBe("v Fitted");
    expect(answerOf(set(match), aNode(no))).toBe("nothing NoVariant");
    expect(answerOf(set(match), aNode(unread))).toBe("same FactUnknown");
  });

  test("labels, which every node has or has not", () => {
    const gpu = set({ labels: { matchLabels: { gpu: "yes" } } });
    expect(answerOf(gpu, aNode({}, { gpu: "yes" }))).toBe("v Fitted");
    expect(answerOf(gpu, aNode({}))).toBe("nothing NoVariant");
  });
});

describe("rules together", () => {
  const variants = [
    { name: "new-arm", match: { kernel: ">=6", arch: "arm64" } },
    { name: "new", match: { kernel: ">=6" } },
    { name: "gpu", match: { labels: { matchLabels: { gpu: "yes" } } } },
  ];

  test("the first that matches wins, and the trail names all that were tried", () => {
    const outcome = resolveNode(aSet({ variants }), aNode({ kernelVersion: "6.1.0" }, { gpu: "yes" }));
    expect(outcome.gets).toMatchObject({ kind: "variant", variant: { name: "new" } });
    expect(outcome.trail).toEqual([
      { rule: "nodeSelector", matched: true, because: "the operating system is linux" },
      { rule: 'variants["new-arm"]', matched: false, because: "the architecture is amd64, not arm64" },
      { rule: 'variants["new"]', matched: true, because: "6.1.0 matches >=6" },
    ]);
  });

  test("a part that says no decides also where another part cannot be read", () => {
    const node = aNode({ kernelVersion: "", architecture: "amd64" });
    const armOnly = aSet({ variants: [variants[0] ?? {}], default: {} });
    expect(answerOf(armOnly, node)).toBe("default DefaultUsed");
  });

  test.each([
    { onUnknown: "Hold", answer: "same FactUnknown" },
    { onUnknown: "None", answer: "nothing FactUnknown" },
    { onUnknown: "Default", answer: "default DefaultUsed" },
  ])("a rule that cannot be read might have won before a later match: $onUnknown", ({ onUnknown, answer }) => {
    const set = aSet({ variants, default: {}, onUnknown });
    expect(answerOf(set, aNode({ kernelVersion: "" }, { gpu: "yes" }))).toBe(answer);
  });

  test.each([
    { fallback: "None", answer: "nothing NoVariant" },
    { fallback: "Hold", answer: "same NoVariant" },
  ])("without a match the default decides: $fallback", ({ fallback, answer }) => {
    expect(answerOf(aSet({ variants, default: fallback }), aNode({}))).toBe(answer);
  });
});

describe("scope", () => {
  test("without a selector it is all Linux nodes, by report or by label; a node that says neither is kept as it is", () => {
    const set = aSet({ default: {} });
    expect(answerOf(set, aNode({}))).toBe("default DefaultUsed");
    expect(answerOf(set, aNode({ operatingSystem: "windows" }))).toBe("nothing NotSelected");
    expect(answerOf(set, aNode({ operatingSystem: "" }, { "kubernetes.io/os": "linux" }))).toBe("default DefaultUsed");
    for (const onUnknown of ["Hold", "Default", "None"]) {
      expect(answerOf(aSet({ default: {}, onUnknown }), aNode({ operatingSystem: "" }))).toBe("same FactUnknown");
    }
  });

  test("a selector draws it by labels, and a node that leaves the cluster is out of it", () => {
    const set = aSet({ default: {}, nodeSelector: { matchLabels: { role: "storage" } } });
    expect(answerOf(set, aNode({}, { role: "storage" }))).toBe("default DefaultUsed");
    expect(resolveNode(set, aNode({}))).toMatchObject({ isExcluded: true, reason: "NotSelected" });
    const leaving = aNode({}, { role: "storage" }, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(resolveNode(set, leaving)).toMatchObject({ isExcluded: true, reason: "NodeLeaving" });
  });
});

test("a node of any shape gets one answer with a reason", () => {
  const set = parsed(csiBaremetalSet());
  fc.assert(
    fc.property(fc.jsonValue(), (node) => {
      const { because, trail } = resolveNode(set, parseNodeFacts(node));
      expect(because).not.toBe("");
      expect(trail.length).toBeLessThanOrEqual(set.variants.length + 1);
    }),
  );
});

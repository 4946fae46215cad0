// What the parsed VariantSet says, and how its node label is named.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import { labelKeyFault } from "../../../core/labels/label-syntax.ts";
import { aTemplate } from "../../testing/kind-case.ts";
import { ownNodeLabel } from "../set-labels.ts";
import { csiBaremetalSet } from "../testing/cases.ts";
import { parseVariantSet } from "./parse.ts";
import type { VariantSet } from "./spec.ts";

function parsed(object: JsonObject): VariantSet {
  const answer = parseVariantSet(object);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
  return answer.value;
}

const ofSpec = (spec: JsonObject) =>
  parsed({ metadata: { name: "agent", namespace: "storage" }, spec: { template: aTemplate(), ...spec } });

test("a long name of a container does not make a long message", () => {
  const template = { spec: { containers: [{ name: "x".repeat(5_000), image: "i" }] } };
  const variants = [{ name: "a", match: { arch: "amd64" }, images: { other: "i:1" } }];
  const answer = parseVariantSet({ metadata: { name: "agent", namespace: "storage" }, spec: { template, variants } });
  const messages = answer.ok ? [] : answer.problems.map(({ message }) => message);
  expect(messages).toContainEqual(expect.stringContaining('the template has no container "other"; it has'));
  for (const message of messages) expect(message.length).toBeLessThan(300);
});

describe("parseVariantSet()", () => {
  test("reads the csi-baremetal map entry by entry", () => {
    const { variants, fallback, nodeLabel } = parsed(csiBaremetalSet());
    expect(nodeLabel).toBe("node-daemonset-image");
    expect(variants).toMatchObject([
      {
        name: "5.x",
        daemonSetName: "csi-baremetal-node-kernel-5.x",
        place: "spec.variants[0]",
        match: { kernel: { text: "5.x" } },
      },
    ]);
    expect(variants[0]?.images.get("node")?.text).toBe("registry.example.com/node-kernel-5.x:1.2");
    expect(fallback).toMatchObject({
      kind: "variant",
      variant: { name: "default", daemonSetName: "csi-baremetal-node" },
    });
  });

  test("fills in what was not written", () => {
    expect(ofSpec({})).toMatchObject({
      ...{ scope: { kind: "all-linux" }, variants: [], fallback: { kind: "none" }, onUnknown: "Hold" },
      ...{ nodeLabel: "variant.farrier.dev/storage.agent", pruneAfterMs: 600_000, isImageRequired: false },
      updateStrategy: {
        maxUnavailable: { kind: "count", count: 1 },
        maxParallel: { kind: "count", count: 1 },
        isPaused: false,
      },
    });
  });

  test("lets as many nodes move at once as may be unavailable, unless told otherwise", () => {
    const strategyOf = (updateStrategy: JsonObject) => ofSpec({ updateStrategy }).updateStrategy;
    expect(strategyOf({ maxUnavailable: "20%" }).maxParallel).toEqual({ kind: "percent", percent: 20 });
    expect(strategyOf({ maxUnavailable: "20%", maxParallel: 2 }).maxParallel).toEqual({ kind: "count", count: 2 });
  });

  test.each([
    ["None", { kind: "none" }],
    ["Hold", { kind: "hold" }],
    [{}, { kind: "variant", variant: { name: "default", place: "spec.default" } }],
  ])("reads the default %j", (written, fallback) => {
    expect(ofSpec({ default: written }).fallback).toMatchObject(fallback);
  });

  test("compiles every part of a match", () => {
    const match = { os: { id: "sles", version: "15.3" }, osImage: "SUSE", labels: { matchLabels: { disk: "nvme" } } };
    expect(ofSpec({ variants: [{ name: "a", match }] }).variants[0]?.match).toMatchObject({
      os: { id: "sles", version: { intervals: [{ low: [15, 3], high: [15, 4] }] } },
      osImage: { pattern: "SUSE" },
      labels: { kind: "all-of", requirements: [{ key: "disk" }] },
      kernel: undefined,
    });
  });

  test("tells all problems of an object at once", () => {
    const variants = [
      { name: "a", match: { kernel: "5.4*" } },
      { name: "b", match: { osImage: "(" } },
    ];
    const answer = parseVariantSet({ metadata: {}, spec: { template: aTemplate(), variants, nodeLabel: "k8s.io/x" } });
    expect(answer).toMatchObject({
      problems: [
        ...[
          { path: "spec.variants[0].match.kernel" },
          { path: "spec.variants[1].match.osImage" },
          { path: "spec.nodeLabel" },
        ],
      ],
    });
  });
});

describe("ownNodeLabel()", () => {
  test("is readable where it fits, and valid and its own where it does not", () => {
    const long = ownNodeLabel({ namespace: "n".repeat(63), name: "x".repeat(253) });
    const other = ownNodeLabel({ namespace: "n".repeat(63), name: `${"x".repeat(252)}y` });
    expect(ownNodeLabel({ namespace: "storage", name: "agent" })).toBe("variant.farrier.dev/storage.agent");
    expect(labelKeyFault(long)).toBeUndefined();
    expect(long).not.toBe(other);
  });

  test("is a label key for every name, and one set's alone", () => {
    const word = fc.string({ minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(word, word, word, (namespace, name, otherName) => {
        const label = ownNodeLabel({ namespace, name });
        expect(labelKeyFault(label)).toBeUndefined();
        if (name !== otherName) expect(ownNodeLabel({ namespace, name: otherName })).not.toBe(label);
      }),
    );
  });
});

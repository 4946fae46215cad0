// What a VariantSet's kind remembers must not show: whatever happened before, it decides and explains as one that has just started.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { failPods, withoutNodes } from "../forecast/testing/paper-mishaps.ts";
import { aTemplate } from "../testing/kind-case.ts";
import { aNodeObject, aSetObject, PaperSet } from "./testing/paper-set.ts";
import { createVariantSetKind } from "./variant-set-kind.ts";

const NAMES = ["n1", "n2", "n3", "n4"] as const;
const KERNELS = ["4.18.0-193.el8", "5.4.0-66-generic", "5.12.0", "6.1.0-25-amd64", "corrupted", ""] as const;
const variants = (tag: string, five = "five"): readonly JsonObject[] => [
  { name: "four", match: { kernel: "4.x" }, images: { agent: `registry.example.com/agent:four-${tag}` } },
  {
    ...{ name: five, match: { kernel: "5.x" }, daemonSetName: "agent-five" },
    images: { agent: `registry.example.com/agent:five-${tag}` },
  },
];
const edits: readonly JsonObject[] = [
  { variants: variants("2") },
  { variants: variants("1", "renamed") },
  { variants: variants("1").slice(1), default: {} },
  { variants: [...variants("1")].reverse(), default: "Hold" },
  { default: "None", onUnknown: "None" },
  { nodeSelector: { matchLabels: { pool: "gpu" } } },
  { nodeSelector: null },
  { template: aTemplate({ priorityClassName: "high" }) },
  { updateStrategy: { maxUnavailable: "100%" }, prune: { after: "1s" } },
];

const anyForm = fc.record({
  ...{ kernel: fc.constantFrom(...KERNELS), isReady: fc.boolean() },
  labels: fc.constantFrom({}, { pool: "gpu" }),
  taints: fc.constantFrom([], [{ key: "a", effect: "NoSchedule" }], [{ key: "a", effect: "NoExecute" }]),
});

const happening = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant("node" as const), name: fc.constantFrom(...NAMES), form: anyForm }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant("rounds" as const), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("edit" as const), spec: fc.constantFrom(...edits) }) },
  fc.record({ does: fc.constant("pods" as const), name: fc.constantFrom(...NAMES), isGone: fc.boolean() }),
  fc.record({ does: fc.constant("leave" as const), names: fc.subarray([...NAMES]) }),
  fc.record({ does: fc.constant("flap" as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ does: fc.constant("wait" as const), forMs: fc.constantFrom(1, 12_000, 90_000) }),
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

test("a set is decided about and explained as if nothing were remembered", () => {
  fc.assert(
    fc.property(fc.array(happening, { minLength: 5, maxLength: 15 }), (story) => {
      const nodes = NAMES.map((name) => aNodeObject(name, { kernel: "5.12.0" }));
      const world = new PaperSet(nodes, aSetObject({ variants: variants("1") })).settle();
      let gone: ReadonlySet<string> = new Set();
      for (const one of story) {
        if (one.does === "leave") gone = new Set(one.names);
        else happen(world, one);
        expectNothingRemembered(world, gone);
      }
    }),
    { numRuns: 15 },
  );
});

function happen(world: PaperSet, one: Exclude<Happening, { does: "leave" }>): void {
  switch (one.does) {
    case "node":
      world.change(one.name, one.form);
      return;
    case "rounds":
      for (let round = 0; round < one.count; round++) {
        world.act();
        world.follow();
      }
      return;
    case "pods":
      failPods(world.cluster, one.name, one);
      return;
    case "edit":
      world.edit(one.spec);
      return;
    case "flap":
      world.youngSinceMs.set(one.name, world.nowMs);
      return;
    case "wait":
      world.nowMs += one.forMs;
      return;
  }
}

function expectNothingRemembered(world: PaperSet, gone: ReadonlySet<string>): void {
  const snapshot = withoutNodes(world.cluster, gone);
  const [old, fresh] = [world.kind, createVariantSetKind()].map((kind) => {
    const observation = kind.observe(snapshot, world.stored);
    return { decision: observation.decide(world.nowMs), explained: observation.explain(NAMES[0], world.nowMs) };
  });
  expect(JSON.stringify(old)).toBe(JSON.stringify(fresh));
}

// What a Module's kind remembers must not show: whatever happened before, it decides and explains as one that has just started.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { failPods, withoutNodes } from "../forecast/testing/paper-mishaps.ts";
import { createModuleKind } from "./module-kind.ts";
import { readyLabel, wantedVersionLabel } from "./module-labels.ts";
import { EL8, EL9, loaderModule, mappedModule, type NodeWishes, UBUNTU, WORKER } from "./testing/module-builders.ts";
import { imagesAsTheyAre, ModuleStage } from "./testing/module-stage.ts";

const MODULE = { namespace: "default", name: "my-kmod" };
const NAMES = ["n1", "n2", "n3", "n4"] as const;
const devicePlugin = { container: { image: "registry.example.com/plugin:1" } };
const mappings = (tag: string): readonly JsonObject[] => [
  { regexp: "el9", arch: "amd64", containerImage: `registry.example.com/kmod:el9-${tag}` },
  { regexp: "generic$", containerImage: `registry.example.com/kmod:\${KERNEL_FULL_VERSION}-${tag}` },
];
const objects: readonly JsonObject[] = [
  mappedModule(mappings("v1")),
  mappedModule(mappings("v2")),
  mappedModule(mappings("v1").slice(1), { selector: { [WORKER]: "", pool: "gpu" } }),
  mappedModule(mappings("v2"), { updateStrategy: { maxUnavailable: "100%" } }),
  loaderModule({}, { devicePlugin }),
  loaderModule({ version: "7" }, { devicePlugin }),
];

const anyNode = fc.record({
  ...{ name: fc.constantFrom(...NAMES), kernel: fc.constantFrom(EL9, EL8, UBUNTU, "", null) },
  ...{ arch: fc.constantFrom("amd64", "arm64"), ready: fc.constantFrom("True", "False"), isLeaving: fc.boolean() },
  labels: fc.constantFrom({}, { pool: "gpu" }, { [readyLabel(MODULE)]: "" }, { [wantedVersionLabel(MODULE)]: "7" }),
  taints: fc.constantFrom([], [{ key: "a", effect: "NoSchedule" }], [{ key: "a", effect: "NoExecute" }]),
}) satisfies fc.Arbitrary<NodeWishes>;

const happening = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant("node" as const), node: anyNode }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant("rounds" as const), count: fc.integer({ min: 1, max: 4 }) }) },
  fc.record({ does: fc.constant("edit" as const), object: fc.constantFrom(...objects) }),
  fc.record({ does: fc.constant("pods" as const), name: fc.constantFrom(...NAMES), isGone: fc.boolean() }),
  fc.record({ does: fc.constant("leave" as const), names: fc.subarray([...NAMES]) }),
  fc.record({ does: fc.constant("break" as const), isBroken: fc.boolean() }),
  fc.record({ does: fc.constant("wait" as const), forMs: fc.constantFrom(1, 12_000, 90_000) }),
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

test("a Module is decided about and explained as if nothing were remembered", () => {
  fc.assert(
    fc.property(fc.array(happening, { minLength: 5, maxLength: 15 }), (story) => {
      const stage = new ModuleStage(NAMES.map((name) => ({ name, kernel: EL9 })));
      let gone: ReadonlySet<string> = new Set();
      stage.store(mappedModule(mappings("v1"))).settle();
      for (const one of story) {
        if (one.does === "leave") gone = new Set(one.names);
        else happen(stage, one);
        expectNothingRemembered(stage, gone);
      }
    }),
    { numRuns: 15 },
  );
});

function happen(stage: ModuleStage, one: Exclude<Happening, { does: "leave" }>): void {
  switch (one.does) {
    case "node":
      stage.node(one.node);
      return;
    case "rounds":
      for (let round = 0; round < one.count; round++) stage.round();
      return;
    case "pods":
      failPods(stage.cluster, one.name, one);
      return;
    case "edit":
      stage.store(one.object);
      return;
    case "break":
      if (one.isBroken) stage.broken.add("el9-v2");
      else stage.broken.clear();
      return;
    case "wait":
      stage.nowMs += one.forMs;
      return;
  }
}

function expectNothingRemembered(stage: ModuleStage, gone: ReadonlySet<string>): void {
  const snapshot = withoutNodes(stage.cluster, gone);
  const [old, fresh] = [stage.kind, createModuleKind({ planBuilds: imagesAsTheyAre })].map((kind) => {
    const observation = kind.observe(snapshot, stage.stored());
    return { decision: observation.decide(stage.nowMs), explained: observation.explain(NAMES[0], stage.nowMs) };
  });
  expect(JSON.stringify(old)).toBe(JSON.stringify(fresh));
}

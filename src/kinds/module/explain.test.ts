// Why a node has the driver that it has, or has none.
import { describe, expect, test } from "vitest";
import type { Explanation } from "../kind.ts";
import { EL8, EL9, loaderModule, mappedModule, UBUNTU } from "./testing/module-builders.ts";
import { ModuleStage } from "./testing/module-stage.ts";

const image = (tag: string) => `registry.example.com/kmod:${tag}`;
const module = mappedModule([
  { regexp: "el9", containerImage: image("el9") },
  { kernel: ">=6.9", containerImage: image("new") },
]);

function explained(stage: ModuleStage, node: string): Explanation {
  const explanation = stage.kind.observe(stage.cluster, stage.stored()).explain(node, stage.nowMs);
  if (explanation === undefined) throw new Error(`nobody knows ${node}`);
  return explanation;
}

/** An explanation as a person would read it. */
function printed({ node, reason, because, trail, gets, runs, facts }: Explanation): readonly string[] {
  return [
    `${node}: ${reason}, because ${because}`,
    ...trail.map((verdict) => `  ${verdict.matched ? "yes" : "no "} ${verdict.rule}: ${verdict.because}`),
    `  gets ${gets === "" ? "nothing" : gets}; runs ${runs.replace(/[a-z0-9]{24}/, "…") || "nothing"}`,
    ...Object.entries(facts).map(([name, value]) => `  ${name}: ${value}`.replaceAll(/[a-z0-9]{24}/g, "…")),
  ];
}

describe("explaining a node", () => {
  test("that has its driver names every rule, the image, the DaemonSet and the pod", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module).settle();
    expect(printed(explained(stage, "a"))).toEqual([
      `a: Fitted, because ${EL9} matches /el9/`,
      "  yes selector: the labels meet node-role.kubernetes.io/worker=",
      "  yes tolerations: there are no taints",
      `  yes spec.kernelMappings[0]: ${EL9} matches /el9/`,
      `  gets ${image("el9")}; runs my-kmod-…-on-a`,
      `  kernel: ${EL9}`,
      "  mapping: spec.kernelMappings[0]",
      `  image: ${image("el9")}`,
      "  image state: ready",
      `  bound to: ${EL9}`,
      "  DaemonSet: my-kmod-…, 1 of 1 pods ready",
      "  pod my-kmod-…-on-a: of the newest template, ready",
    ]);
  });

  test("without a mapping names each of them and the nearest miss", () => {
    const stage = new ModuleStage([{ name: "a", kernel: UBUNTU }]).store(module).settle();
    expect(printed(explained(stage, "a"))).toEqual([
      `a: KernelUnmapped, because kernel ${UBUNTU} matches none of the 2 mappings; the nearest miss: ${UBUNTU} is below >=6.9 of spec.kernelMappings[1].kernel by a minor version`,
      "  yes selector: the labels meet node-role.kubernetes.io/worker=",
      "  yes tolerations: there are no taints",
      `  no  spec.kernelMappings[0]: ${UBUNTU} does not match /el9/`,
      `  no  spec.kernelMappings[1]: ${UBUNTU} is below >=6.9`,
      "  gets nothing; runs nothing",
    ]);
  });

  test("whose image is missing says what it waits for", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module);
    stage.images.set(image("el9"), { is: "missing", askedMs: 0 });
    stage.settle();
    const because = `the registry does not have ${image("el9")}`;
    const { reason, facts } = explained(stage, "a");
    expect(reason).toBe("ImageMissing");
    expect(facts).toMatchObject({
      ...{
        "image state": `missing: ${because}`,
        DaemonSet: "does not exist yet",
        "waits for": `ImageMissing: ${because}`,
      },
    });
  });

  test("that waits for its turn says for whom", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b" }]).store(module).settle();
    stage.broken.add("el9-2");
    stage.store(mappedModule([{ regexp: "el9", containerImage: image("el9-2") }])).settle();
    expect(explained(stage, "a")).toMatchObject({ reason: "Progressing", because: "its pod is not ready" });
    expect(explained(stage, "b")).toMatchObject({
      reason: "BudgetSpent",
      because: "1 node is unavailable, and 1 may be at once",
    });
  });

  test.each([
    [
      "a taint",
      { taints: [{ key: "db", effect: "NoExecute" }] },
      "TaintNotTolerated",
      "no toleration covers taint db:NoExecute",
    ],
    ["another selector", { labels: { "node-role.kubernetes.io/worker": "no" } }, "NotSelected", "is asked"],
    ["no kernel", { kernel: null }, "FactUnknown", "the node reports no kernel release"],
  ])("outside for %s says so", (_name, wishes, reason, because) => {
    const stage = new ModuleStage([{ name: "a", ...wishes }]).store(module);
    expect(explained(stage, "a")).toMatchObject({ reason, because: expect.stringContaining(because) });
  });

  test("in the middle of a hand-over says which pod is in the way", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(loaderModule()).settle();
    stage.node({ name: "a", kernel: EL8 });
    stage.isAlive = false;
    for (let round = 0; round < 15; round++) stage.round();
    const { reason, facts } = explained(stage, "a");
    expect(reason).toBe("HandOver");
    expect(Object.values(facts)).toContain(`for kernel ${EL9}, which does not run`);
  });

  test("that is not there is nobody's business", () => {
    const stage = new ModuleStage().store(module);
    expect(stage.kind.observe(stage.cluster, stage.stored()).explain("ghost", stage.nowMs)).toBeUndefined();
  });
});

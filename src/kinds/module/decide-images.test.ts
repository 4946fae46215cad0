// What becomes of a Module when its images change: the DaemonSet of a kernel waits for its image, and only for that.
import { describe, expect, test } from "vitest";
import { stepId, targetOf } from "../../core/decision/step.ts";
import type { PlanBuilds } from "./decide.ts";
import { EL9, UBUNTU } from "./testing/module-builders.ts";
import { imagesAsTheyAre, ModuleStage } from "./testing/module-stage.ts";
import { byKernel, image, kernelsOf, UID } from "./testing/two-kernels.ts";

const isWorkloadStep = (step: Parameters<typeof targetOf>[0]) => targetOf(step).kind === "DaemonSet";

describe("a new image for a kernel", () => {
  test("updates the DaemonSet of that kernel and leaves the other alone", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b", kernel: UBUNTU }]).store(byKernel()).settle();
    const before = stage.cluster.workloadsOf(UID).map(({ name, generation }) => [name, generation]);
    stage.store(byKernel("el9-2")).settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9-2`, b: `${UBUNTU} ready kmod:ubuntu` });
    const after = stage.cluster.workloadsOf(UID).map(({ name, generation }) => [name, generation]);
    const [el9, ubuntu] = kernelsOf(stage).map((kernel) => (kernel === EL9 ? 0 : 1));
    expect([after.length, el9, ubuntu]).toEqual([2, 0, 1]);
    expect(after.map(([name]) => name)).toEqual(before.map(([name]) => name));
    expect(after.map(([, generation]) => generation).sort()).toEqual([1, 2]);
  });

  test("that needs a build waits for it: the DaemonSet keeps its old template until then", () => {
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "build-1", namespace: "default" } };
    const planBuilds: PlanBuilds = (input) => {
      const plain = imagesAsTheyAre(input);
      const missing = input.wanted.filter(({ image: each }) => plain.images.get(each)?.is === "missing");
      return {
        ...plain,
        steps: missing.length === 0 ? [] : [{ do: "create", object: job, why: "the image is missing" }],
        images: new Map(
          [...plain.images].map(([each, progress]) => [
            each,
            progress.is === "missing" ? { is: "building", reason: "BuildRunning", because: "build-1 runs" } : progress,
          ]),
        ),
      };
    };
    const stage = new ModuleStage([{ name: "a" }], planBuilds).store(byKernel()).settle();
    stage.images.set(image("el9-2"), { is: "missing", askedMs: 0 });
    stage.store(byKernel("el9-2"));
    expect(stage.decide().plan.steps.map(stepId)).toContain("create batch/v1 Job default/build-1");
    stage.round();
    expect(stage.log.filter(isWorkloadStep)).toHaveLength(1);
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9` });
    expect(stage.status()).toMatchObject({
      buildingCount: 1,
      kernels: [{ state: "Building", reason: "BuildRunning" }],
    });
    expect(stage.conditions()).toMatchObject({ Ready: "False BuildRunning", ImagesAvailable: "False BuildRunning" });
    // A node that joins meanwhile gets what there is.
    stage.node({ name: "b" });
    stage.round();
    stage.round();
    expect(stage.picture()).toMatchObject({ b: `${EL9} ready kmod:el9` });
    stage.images.delete(image("el9-2"));
    stage.settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9-2`, b: `${EL9} ready kmod:el9-2` });
  });

  test("whose build has failed for good stalls the Module, with the end of the log, and leaves the old driver", () => {
    const failed: PlanBuilds = (input) => {
      const plain = imagesAsTheyAre(input);
      const progress = { is: "failed", reason: "BuildFailed", because: "make: *** [kmod.ko] Error 2" } as const;
      return {
        ...plain,
        images: new Map([...plain.images].map(([each, is]) => [each, is.is === "missing" ? progress : is])),
      };
    };
    const stage = new ModuleStage([{ name: "a" }], failed).store(byKernel()).settle();
    stage.images.set(image("el9-2"), { is: "missing", askedMs: 0 });
    stage.store(byKernel("el9-2")).settle();
    expect(stage.conditions()).toMatchObject({ Ready: "False BuildFailed", Stalled: "True BuildFailed" });
    expect(stage.status()).toMatchObject({
      kernels: [{ state: "Failed", message: expect.stringContaining("Error 2") }],
    });
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9` });
  });

  test("that is missing for one kernel holds up no other kernel", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b", kernel: UBUNTU }]).store(byKernel());
    stage.images.set(image("ubuntu"), { is: "missing", askedMs: 0 });
    stage.settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready kmod:el9`, b: "-" });
    expect(stage.status()).toMatchObject({ problems: [{ reason: "ImageMissing", nodes: 1, examples: ["b"] }] });
  });
});

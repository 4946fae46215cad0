import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import { aWorld, build, changed, EL9_IMAGE, imageOf, states } from "../testing/build-story.ts";
import { BuildWorld, DIGEST } from "../testing/build-world.ts";
import { EL8, EL9, loaderModule } from "../testing/module-builders.ts";
import { KEEP_MS } from "./build-carry-out.ts";
import { BUILD_SITE } from "./build-site.ts";
import { TASKS_MAX } from "./plan-builds.ts";

describe("without a build", () => {
  test.each([
    ["unasked", { is: "unasked" }, "waiting WaitingForImage"],
    ["there", { is: "present", digest: DIGEST, askedMs: 0 }, "ready"],
    ["missing", { is: "missing", askedMs: 0 }, "missing ImageMissing"],
    ["not to be had", { is: "unreachable", because: "no answer", askedMs: 0 }, "unreachable ImageUnreachable"],
  ] as const)("an image that is %s", (_, state, expected) => {
    const world = new BuildWorld();
    const module = world.stored(loaderModule());
    world.registry.set(EL9_IMAGE, state);
    const plan = world.plan(module, [EL9]);
    expect(states(plan.images)).toEqual({ [EL9_IMAGE]: expected });
    expect(plan.steps).toEqual([]);
    expect(plan.asks).toEqual([{ image: EL9_IMAGE, pullSecrets: [], was: state }]);
  });

  test("the registry is asked with the secret and in the manner of the Module", () => {
    const registryTLS = { insecure: true, insecureSkipTLSVerify: true };
    const world = new BuildWorld();
    const module = world.stored(loaderModule({ registryTLS }, { imageRepoSecret: { name: "pull" } }));
    expect(world.plan(module, [EL9]).asks).toMatchObject([
      { pullSecrets: ["pull"], tls: { isPlain: true, skipsVerification: true } },
    ]);
  });

  test("an image that was there before counts as there while its registry cannot be asked, and not when it says no", () => {
    const world = new BuildWorld();
    const kernels = [{ kernel: EL9, image: EL9_IMAGE, digest: DIGEST }];
    const module = world.stored({ ...loaderModule(), status: { kernels } });
    const progress = () => world.plan(module, [EL9]).images.get(EL9_IMAGE);
    expect(progress()).toEqual({ is: "ready", digest: DIGEST });
    world.registry.set(EL9_IMAGE, { is: "unreachable", because: "timeout", askedMs: 1 });
    expect(progress()).toEqual({ is: "ready", digest: DIGEST });
    world.miss(EL9_IMAGE);
    expect(progress()).toMatchObject({ is: "missing" });
  });
});

describe("a build", () => {
  test("is not begun before the registry has said that the image is missing", () => {
    const world = new BuildWorld();
    const module = world.stored(loaderModule({ build }));
    expect(world.settle(module, [EL9]).images.get(EL9_IMAGE)).toMatchObject({
      is: "waiting",
      reason: "WaitingForImage",
    });
    world.registry.set(EL9_IMAGE, { is: "unreachable", because: "503", askedMs: world.nowMs });
    expect(world.settle(module, [EL9]).images.get(EL9_IMAGE)).toMatchObject({ is: "unreachable" });
    expect(world.jobs()).toEqual([]);
  });

  test("is a Job that waits for its turn, runs, and is ready when the registry has the image", () => {
    const { world, module } = aWorld();
    const first = world.plan(module, [EL9]);
    expect(states(first.images)).toEqual({ [EL9_IMAGE]: "waiting BuildQueued" });
    const running = world.settle(module, [EL9]);
    expect([world.jobs(), states(running.images)]).toEqual([
      [`my-kmod-build running ${EL9_IMAGE}`],
      { [EL9_IMAGE]: "building BuildRunning" },
    ]);
    world.nowMs += 60_000;
    world.end("succeeded");
    const ended = world.plan(module, [EL9]);
    expect(states(ended.images)).toEqual({ [EL9_IMAGE]: "waiting WaitingForImage" });
    expect(ended.asks).toMatchObject([{ image: EL9_IMAGE, newerThanMs: world.nowMs }]);
    world.answer(EL9_IMAGE);
    expect(world.plan(module, [EL9]).images.get(EL9_IMAGE)).toMatchObject({ is: "ready", digest: DIGEST });
  });

  test("that is over is told once and its Job goes after a while; then all is quiet", () => {
    const { world, module } = aWorld();
    world.settle(module, [EL9]);
    world.end("succeeded");
    world.answer(EL9_IMAGE);
    const told = world.plan(module, [EL9]);
    expect(told.steps.map((step) => [step.do, "reason" in step ? step.reason : ""])).toEqual([
      ["patch", ""],
      ["event", "BuildSucceeded"],
    ]);
    const settled = world.settle(module, [EL9]);
    expect([world.jobs().length, settled.lookAgainAtMs]).toEqual([1, world.nowMs + KEEP_MS]);
    world.nowMs += KEEP_MS;
    world.settle(module, [EL9]);
    expect(world.jobs()).toEqual([]);
    expect(world.plan(module, [EL9])).toMatchObject({ steps: [] });
  });

  test("the same decision twice names the same Job", () => {
    const { world, module } = aWorld();
    expect(world.plan(module, [EL9])).toEqual(world.plan(module, [EL9]));
  });

  test("a registry that lost the image has it built again", () => {
    const { world, module } = aWorld();
    world.answer(EL9_IMAGE);
    expect(world.settle(module, [EL9]).images.get(EL9_IMAGE)).toMatchObject({ is: "ready" });
    world.miss(EL9_IMAGE);
    world.settle(module, [EL9]);
    expect(world.jobs()).toEqual([`my-kmod-build running ${EL9_IMAGE}`]);
  });

  test("is not begun in a namespace that is being deleted", () => {
    const { world, module } = aWorld();
    world.cluster.put({ kind: "Namespace", metadata: { name: "default", deletionTimestamp: "2026-01-01T00:00:00Z" } });
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "waiting NamespaceTerminating" });
  });

  test("of a kernel that left the fleet is cancelled", () => {
    const { world, module } = aWorld();
    world.settle(module, [EL8, EL9]);
    expect(world.jobs()).toHaveLength(2);
    world.settle(module, [EL9]);
    expect(world.jobs()).toEqual([`my-kmod-build running ${EL9_IMAGE}`]);
  });

  test("is cancelled when the mapping builds no more", () => {
    const { world, module } = aWorld();
    world.settle(module, [EL9]);
    world.settle(changed(world, {}), [EL9]);
    expect(world.jobs()).toEqual([]);
  });

  test("a Job in the queue goes when somebody else has pushed the image", () => {
    const { world, module } = aWorld();
    world.site = { ...BUILD_SITE, runningMax: 0 };
    world.settle(module, [EL9]);
    expect(world.jobs()).toEqual([`my-kmod-build queued ${EL9_IMAGE}`]);
    world.answer(EL9_IMAGE);
    expect(world.settle(module, [EL9]).images.get(EL9_IMAGE)).toMatchObject({ is: "ready" });
    expect(world.jobs()).toEqual([]);
  });

  test("at most so many Jobs are made for one Module, however many kernels it has", () => {
    const { world, module } = aWorld();
    const kernels = Array.from({ length: 100 }, (_, index) => `5.14.0-${index}.el9.x86_64`);
    for (const kernel of kernels) world.miss(imageOf(kernel));
    const plan = world.settle(module, kernels);
    expect([world.jobs().length, plan.images.size]).toEqual([TASKS_MAX, 100]);
    expect(world.jobs().filter((job) => job.includes(" running "))).toHaveLength(BUILD_SITE.runningMax);
  });
});

describe("a build that fails", () => {
  const log = "\u001b[31mstep 3/4\u001b[0m\nmake: *** [driver.ko] Error 2\n";

  test("says how its log ended, once as an event, and stays failed without a write", () => {
    const { world, module } = aWorld();
    world.settle(module, [EL9]);
    world.end("failed", log);
    const plan = world.plan(module, [EL9]);
    const because = expect.stringMatching(
      /BackoffLimitExceeded.*its log ends:\nstep 3\/4\nmake: \*\*\* \[driver.ko\] Error 2$/s,
    );
    expect(plan.images.get(EL9_IMAGE)).toEqual({ is: "failed", reason: "BuildFailed", because });
    expect(plan.steps.filter((step) => step.do === "event")).toMatchObject([
      { reason: "BuildFailed", severity: "Warning" },
    ]);
    world.settle(module, [EL9]);
    world.nowMs += 24 * 3_600_000;
    world.miss(EL9_IMAGE);
    expect(world.plan(module, [EL9])).toMatchObject({ steps: [], images: new Map([[EL9_IMAGE, { is: "failed" }]]) });
    expect(world.jobs()).toEqual([`my-kmod-build failed ${EL9_IMAGE}`]);
  });

  test("harms no other kernel", () => {
    const { world, module } = aWorld();
    world.settle(module, [EL8, EL9]);
    for (const task of world.tasks()) world.endOf(task, task.image === EL9_IMAGE ? "failed" : "succeeded");
    world.answer(imageOf(EL8));
    expect(states(world.settle(module, [EL8, EL9]).images)).toEqual({
      ...{ [imageOf(EL8)]: "ready", [EL9_IMAGE]: "failed BuildFailed" },
    });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ["argument", { build: { ...build, buildArgs: [{ name: "DRIVER", value: "1.1" }] } }, {}],
    ["Dockerfile", { build: { ...build, dockerfileConfigMap: { name: "other" } } }, {}],
    ["time limit", { build: { ...build, timeout: "2h" } }, {}],
    ["push secret", { build }, { imageRepoSecret: { name: "push" } }],
    ["toleration", { build }, { tolerations: [{ key: "gpu", operator: "Exists" }] }],
    ["trigger", { build }, { imageRebuildTriggerGeneration: 1 }],
  ])("is begun anew by another %s", (_, container, spec) => {
    const { world, module } = aWorld();
    world.settle(module, [EL9]);
    world.end("failed");
    const [before] = world.tasks();
    world.settle(changed(world, container, spec), [EL9]);
    expect(world.jobs()).toEqual([`my-kmod-build running ${EL9_IMAGE}`]);
    expect(world.tasks()[0]?.name).not.toBe(before?.name);
  });

  test("is forgotten when somebody pushes the image", () => {
    const { world, module } = aWorld();
    world.settle(module, [EL9]);
    world.end("failed");
    world.answer(EL9_IMAGE);
    expect(world.settle(module, [EL9]).images.get(EL9_IMAGE)).toMatchObject({ is: "ready" });
    expect(world.jobs()).toEqual([]);
  });
});

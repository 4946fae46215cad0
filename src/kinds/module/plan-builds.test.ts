import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { StoredObject } from "../../core/snapshot.ts";
import { stepId } from "../../core/step.ts";
import { ATTEMPTS_MAX, GRACE_MS, KEEP_MS } from "./build-carry-out.ts";
import { BUILD_SITE } from "./build-site.ts";
import { BuildWorld, DIGEST } from "./build-world.ts";
import { EL8, EL9, loaderModule, UBUNTU } from "./module-builders.ts";
import { TASKS_MAX } from "./plan-builds.ts";

const build = { dockerfileConfigMap: { name: "dockerfile" }, buildArgs: [{ name: "DRIVER", value: "1.0" }] };
const sign = { keySecret: { name: "key" }, certSecret: { name: "cert" }, filesToSign: ["/opt/lib/modules/*/a.ko"] };
const imageOf = (kernel: string) => `registry.example.com/kmod:${kernel}`;
const EL9_IMAGE = imageOf(EL9);

/** A Module whose images are built, and a registry that has none of them. */
function aWorld(container: JsonObject = { build }, spec: JsonObject = {}) {
  const world = new BuildWorld();
  const module = world.stored(loaderModule(container, spec));
  for (const kernel of [EL8, EL9, UBUNTU]) world.miss(imageOf(kernel));
  return { world, module };
}

/** The module with a changed spec. */
function changed(
  world: BuildWorld,
  container: JsonObject,
  spec: JsonObject = {},
  status: JsonObject = {},
): StoredObject {
  return world.stored({ ...loaderModule(container, spec), status: { observedGeneration: 1, ...status } });
}

const states = (images: ReadonlyMap<string, { readonly is: string; readonly reason?: string }>) =>
  Object.fromEntries(
    [...images].map(([image, { is, reason }]) => [image, reason === undefined ? is : `${is} ${reason}`]),
  );

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
    expect(world.plan(module, [EL9]).images.get(EL9_IMAGE)).toEqual({ is: "ready", digest: DIGEST });
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

describe("a build that succeeds without an image", () => {
  test("is believed only after the registry has had time, then tried again after pauses that double, to a limit", () => {
    const { world, module } = aWorld();
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      world.settle(module, [EL9]);
      expect([attempt, world.jobs()]).toEqual([attempt, [`my-kmod-build running ${EL9_IMAGE}`]]);
      world.end("succeeded");
      world.miss(EL9_IMAGE);
      const soon = world.settle(module, [EL9]);
      expect(soon.asks[0]?.newerThanMs).toBe(world.nowMs + GRACE_MS);
      world.nowMs += GRACE_MS;
      world.miss(EL9_IMAGE);
      const later = world.settle(module, [EL9]);
      const pauseMs = 60_000 * 2 ** attempt;
      if (attempt + 1 < ATTEMPTS_MAX) expect(later.lookAgainAtMs).toBe(world.nowMs - GRACE_MS + pauseMs);
      world.nowMs += pauseMs;
      world.miss(EL9_IMAGE);
    }
    const plan = world.settle(module, [EL9]);
    expect(plan.images.get(EL9_IMAGE)).toMatchObject({
      is: "failed",
      because: expect.stringContaining("the registry has no"),
    });
    expect(plan.lookAgainAtMs).toBeUndefined();
  });
});

describe("inputs that change while a build runs", () => {
  const other = { build: { ...build, buildArgs: [{ name: "DRIVER", value: "2.0" }] } };

  test.each(["before", "after"])(
    "what the old build pushes right %s they are seen is not taken for the new one",
    (when) => {
      const { world, module } = aWorld();
      world.settle(module, [EL9]);
      const [old] = world.tasks();
      const next = changed(world, other);
      if (when === "before") world.answer(EL9_IMAGE);
      const plan = world.plan(next, [EL9]);
      expect(plan.steps.map((step) => step.do).sort()).toEqual(["create", "delete"]);
      // The new Job knows that such a push does not count, so it must be there before the old one goes.
      const [create, remove] = plan.steps.toSorted((a, b) => (a.do < b.do ? -1 : 1));
      expect(remove?.after).toEqual(create === undefined ? [] : [stepId(create)]);
      for (const step of plan.steps) world.cluster.perform(step, world.nowMs);
      world.answer(EL9_IMAGE);
      expect(states(world.settle(next, [EL9]).images)).toEqual({ [EL9_IMAGE]: "building BuildRunning" });
      expect(world.tasks().map(({ name }) => name)).not.toContain(old?.name);
      world.end("succeeded");
      world.answer(EL9_IMAGE);
      expect(states(world.settle(next, [EL9]).images)).toEqual({ [EL9_IMAGE]: "ready" });
    },
  );

  test("the new build does not start while the pods of the old one are there", () => {
    const { world, module } = aWorld();
    world.settle(module, [EL9]);
    const next = changed(world, other);
    for (const step of world.plan(next, [EL9]).steps)
      if (step.do === "create") world.cluster.perform(step, world.nowMs);
    expect(world.plan(next, [EL9]).steps.map((step) => step.do)).toEqual(["delete"]);
    expect(
      world
        .jobs()
        .map((job) => job.split(" ")[1])
        .sort(),
    ).toEqual(["queued", "running"]);
  });
});

describe("the rebuild trigger", () => {
  const triggered = (world: BuildWorld, value: number, done: number | undefined, container: JsonObject = { build }) =>
    changed(
      world,
      container,
      { imageRebuildTriggerGeneration: value },
      done === undefined ? {} : { imageRebuildTriggerGeneration: done },
    );

  test("with another value has an image that is there made anew, and is done when that has succeeded", () => {
    const { world } = aWorld();
    world.answer(EL9_IMAGE);
    const module = triggered(world, 2, 1);
    const plan = world.settle(module, [EL9]);
    expect([states(plan.images), plan.rebuiltFor, world.jobs()]).toEqual([
      ...[{ [EL9_IMAGE]: "building BuildRunning" }, 1, [`my-kmod-build running ${EL9_IMAGE}`]],
    ]);
    world.nowMs += 60_000;
    world.end("succeeded");
    expect(world.settle(module, [EL9]).rebuiltFor).toBe(1);
    world.answer(EL9_IMAGE);
    const done = world.settle(module, [EL9]);
    expect([states(done.images), done.rebuiltFor]).toEqual([{ [EL9_IMAGE]: "ready" }, 2]);
    const after = triggered(world, 2, 2);
    world.nowMs += KEEP_MS;
    world.settle(after, [EL9]);
    expect([world.jobs(), states(world.plan(after, [EL9]).images)]).toEqual([[], { [EL9_IMAGE]: "ready" }]);
  });

  test("of a new Module makes nothing anew", () => {
    const { world } = aWorld();
    world.answer(EL9_IMAGE);
    const module = world.stored(loaderModule({ build }, { imageRebuildTriggerGeneration: 7 }));
    const plan = world.settle(module, [EL9]);
    expect([states(plan.images), plan.rebuiltFor]).toEqual([{ [EL9_IMAGE]: "ready" }, 7]);
  });

  test("signs anew what it builds anew", () => {
    const { world } = aWorld({ build, sign });
    world.answer(EL9_IMAGE);
    const module = triggered(world, 2, 1, { build, sign });
    const unsigned = () =>
      world
        .plan(module, [EL9])
        .asks.map(({ image }) => image)
        .find((image) => image !== EL9_IMAGE) ?? "";
    expect(unsigned()).toMatch(/_unsigned_/);
    world.miss(unsigned());
    world.settle(module, [EL9]);
    expect(world.jobs()).toEqual([`my-kmod-build running ${unsigned()}`]);
    world.end("succeeded");
    world.answer(EL9_IMAGE, unsigned());
    world.settle(module, [EL9]);
    expect(world.jobs()).toContain(`my-kmod-sign running ${EL9_IMAGE}`);
    world.end("succeeded");
    world.answer(EL9_IMAGE, unsigned());
    expect(world.settle(module, [EL9]).rebuiltFor).toBe(2);
  });
});

describe("signing", () => {
  test("follows the build, which never pushes to the final name", () => {
    const { world, module } = aWorld({ build, sign });
    const [ask] = world.plan(module, [EL9]).asks.filter(({ image }) => image !== EL9_IMAGE);
    const unsigned = ask?.image ?? "";
    expect(unsigned).toMatch(/^registry\.example\.com\/kmod:.*_unsigned_/);
    world.miss(unsigned);
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "building BuildRunning" });
    expect(world.jobs()).toEqual([`my-kmod-build running ${unsigned}`]);
    world.end("succeeded");
    world.answer(unsigned);
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "signing BuildRunning" });
    expect(world.jobs()).toContain(`my-kmod-sign running ${EL9_IMAGE}`);
    world.end("succeeded");
    world.answer(unsigned, EL9_IMAGE);
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "ready" });
  });

  test("adding it to a Module that was built starts no loop: the image is there", () => {
    const { world } = aWorld();
    world.answer(EL9_IMAGE);
    expect(world.settle(changed(world, { build, sign }), [EL9])).toMatchObject({ steps: [] });
    expect(world.jobs()).toEqual([]);
  });

  test("goes on while nobody knows whether the unsigned image is there", () => {
    const { world, module } = aWorld({ sign: { ...sign, unsignedImage: "registry.example.com/raw:1" } });
    world.answer("registry.example.com/raw:1");
    world.settle(module, [EL9]);
    expect(world.jobs()).toEqual([`my-kmod-sign running ${EL9_IMAGE}`]);
    world.registry.clear();
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "signing BuildRunning" });
    expect(world.jobs()).toEqual([`my-kmod-sign running ${EL9_IMAGE}`]);
  });

  test("with another key starts anew, and what the old Job pushes at the last moment is not taken for it", () => {
    const raw = "registry.example.com/raw:1";
    const { world, module } = aWorld({ sign: { ...sign, unsignedImage: raw } });
    world.answer(raw);
    world.settle(module, [EL9]);
    world.answer(raw, EL9_IMAGE);
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "signing BuildRunning" });
    const next = changed(world, { sign: { ...sign, unsignedImage: raw, keySecret: { name: "new-key" } } });
    for (const step of world.plan(next, [EL9]).steps) world.cluster.perform(step, world.nowMs);
    expect(world.tasks()).toMatchObject([{ insists: true, state: { is: "queued" } }]);
    expect(states(world.settle(next, [EL9]).images)).toEqual({ [EL9_IMAGE]: "signing BuildRunning" });
  });

  test("that failed is not built instead", () => {
    const { world, module } = aWorld({ sign: { ...sign, unsignedImage: "registry.example.com/raw:1" } });
    world.answer("registry.example.com/raw:1");
    world.settle(module, [EL9]);
    world.end("failed", "wrong key");
    expect(world.settle(module, [EL9]).images.get(EL9_IMAGE)).toMatchObject({
      is: "failed",
      because: expect.stringContaining("wrong key"),
    });
    expect(world.jobs()).toEqual([`my-kmod-sign failed ${EL9_IMAGE}`]);
  });

  test("waits for an unsigned image that nobody builds", () => {
    const { world, module } = aWorld({ sign: { ...sign, unsignedImage: "registry.example.com/raw:1" } });
    world.miss("registry.example.com/raw:1");
    expect(world.settle(module, [EL9]).images.get(EL9_IMAGE)).toMatchObject({
      ...{ is: "missing", because: expect.stringContaining("registry.example.com/raw:1") },
    });
  });

  test("an image cannot be its own unsigned form", () => {
    const { world, module } = aWorld({
      sign: { ...sign, unsignedImage: `registry.example.com/kmod:\${KERNEL_FULL_VERSION}` },
    });
    expect(world.settle(module, [EL9]).images.get(EL9_IMAGE)).toMatchObject({ is: "failed", reason: "ImageInvalid" });
  });
});

describe("one image for several", () => {
  const containerImage = "registry.example.com/kmod:all";
  const shared = { build, kernelMappings: [{ regexp: "^.+$", containerImage }] };

  test("two kernels get one build that says so, whichever of them stays", () => {
    const { world, module } = aWorld(shared);
    world.miss(containerImage);
    const plan = world.settle(module, [EL8, EL9]);
    expect([world.jobs(), plan.images.get(containerImage)]).toMatchObject([
      [`my-kmod-build running ${containerImage}`],
      { is: "building", because: expect.stringContaining(`once for 2 kernels, with ${EL8}`) },
    ]);
    const [job] = world.tasks();
    world.settle(module, [EL8, EL9, "3.10.0-1.el7.x86_64"]);
    expect(world.tasks().map(({ name }) => name)).toEqual([job?.name]);
  });

  test("two architectures get none, with a reason, unless the image is there", () => {
    const { world, module } = aWorld(shared);
    world.miss(containerImage);
    const plan = world.plan(module, [EL9], ["amd64", "arm64"]);
    expect(plan.images.get(containerImage)).toMatchObject({
      ...{ is: "failed", reason: "ImageInvalid", because: expect.stringContaining("amd64 and arm64") },
    });
    expect(plan.steps).toEqual([]);
    world.answer(containerImage);
    expect(world.plan(module, [EL9], ["amd64", "arm64"]).images.get(containerImage)).toMatchObject({ is: "ready" });
  });

  test("two Modules get one build, and the second one says whose", () => {
    const { world, module } = aWorld(shared);
    world.miss(containerImage);
    world.settle(module, [EL9]);
    const other = world.stored(loaderModule(shared), "other");
    expect(world.settle(other, [EL9]).images.get(containerImage)).toMatchObject({
      ...{ is: "waiting", because: expect.stringMatching(/^Job default\/my-kmod-build-\S+ of another Module/) },
    });
    expect(world.jobs()).toHaveLength(1);
    world.end("succeeded");
    world.answer(containerImage);
    expect(world.settle(other, [EL9]).images.get(containerImage)).toMatchObject({ is: "ready" });
  });

  test("an image named by its digest is not built", () => {
    const digest = `registry.example.com/kmod@${DIGEST}`;
    const { world, module } = aWorld({ build, kernelMappings: [{ regexp: "^.+$", containerImage: digest }] });
    world.miss(digest);
    expect(world.settle(module, [EL9]).images.get(digest)).toMatchObject({ is: "failed", reason: "ImageInvalid" });
  });
});

describe.each([
  ["registries are not asked", "unasked"],
  ["the pull secret is kept from us", "asked"],
] as const)("where %s", (_, registry) => {
  const withheld = { is: "unreachable", because: "forbidden", askedMs: 1, isWithheld: true } as const;
  const aBlindWorld = () => {
    const { world, module } = aWorld();
    world.site = { ...BUILD_SITE, registry };
    world.registry.clear();
    if (registry === "asked") world.registry.set(EL9_IMAGE, withheld);
    return { world, module };
  };

  test("a build that succeeded is believed, with the digest it left, and its Job is the memory of it", () => {
    const { world, module } = aBlindWorld();
    world.settle(module, [EL9]);
    expect(world.jobs()).toEqual([`my-kmod-build running ${EL9_IMAGE}`]);
    world.end("succeeded", DIGEST);
    world.nowMs += KEEP_MS * 2;
    const plan = world.settle(module, [EL9]);
    expect([plan.images.get(EL9_IMAGE), world.jobs().length]).toEqual([{ is: "ready", digest: DIGEST }, 1]);
    expect(plan.asks).toHaveLength(registry === "asked" ? 1 : 0);
  });

  test("a Job that waits for its turn is not taken for the image", () => {
    const { world, module } = aBlindWorld();
    world.site = { ...world.site, runningMax: 0 };
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "waiting BuildQueued" });
  });

  test("an image that nobody builds is left to the kubelet", () => {
    const { world } = aBlindWorld();
    expect(world.plan(world.stored(loaderModule()), [EL9]).images.get(EL9_IMAGE)).toEqual({ is: "ready" });
  });
});

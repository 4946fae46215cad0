import { describe, expect, test } from "vitest";
import { aWorld, build, changed, EL9_IMAGE, sign, states } from "../testing/build-story.ts";
import { DIGEST } from "../testing/build-world.ts";
import { EL8, EL9, loaderModule } from "../testing/module-builders.ts";

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

import { describe, expect, test } from "vitest";
import { stepId } from "../../../core/decision/step.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { aWorld, build, changed, EL9_IMAGE, sign, states } from "../testing/build-story.ts";
import { type BuildWorld, DIGEST } from "../testing/build-world.ts";
import { EL9, loaderModule } from "../testing/module-builders.ts";
import { ATTEMPTS_MAX, GRACE_MS, KEEP_MS } from "./build-carry-out.ts";
import { BUILD_SITE } from "./build-site.ts";

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
      world.nowMs += GRACE_MS;
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
    world.nowMs += GRACE_MS;
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
    world.nowMs += GRACE_MS;
    world.answer(EL9_IMAGE, unsigned());
    expect(world.settle(module, [EL9]).rebuiltFor).toBe(2);
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
    expect([plan.images.get(EL9_IMAGE), world.jobs().length]).toMatchObject([{ is: "ready", digest: DIGEST }, 1]);
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

// Images that are made anew under the name that they have, and tags that somebody moves: what pods run changes only when its author asked.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import {
  aBuiltWorld,
  aWorld,
  build,
  changed,
  EL9_IMAGE,
  finish,
  ONE,
  states,
  THREE,
  TWO,
} from "../testing/build-story.ts";
import { EL8, EL9 } from "../testing/module-builders.ts";
import { GRACE_MS, KEEP_MS } from "./build-carry-out.ts";
import { BUILD_SITE } from "./build-site.ts";

test("a Job stays until a DaemonSet bears what it made: nobody else remembers it", () => {
  const { world, module } = aWorld();
  world.write("FROM one");
  world.settle(module, [EL9]);
  finish(world, ONE);
  for (const step of world.plan(module, [EL9]).steps) world.cluster.perform(step, world.nowMs);
  world.nowMs += KEEP_MS * 2;
  expect([world.plan(module, [EL9]).steps, world.jobs().length]).toEqual([[], 1]);
  world.settle(module, [EL9]);
  world.settle(module, [EL9]);
  expect(world.jobs()).toEqual([]);
});

describe("what is made anew", () => {
  test("is not confused with what was there before, which a slow registry shows for a while", () => {
    const { world, module } = aBuiltWorld();
    world.write("FROM two");
    world.settle(module, [EL9]);
    world.end("succeeded");
    world.push(EL9_IMAGE, ONE);
    const early = world.settle(module, [EL9]);
    expect(early.images.get(EL9_IMAGE)).toMatchObject({ is: "waiting", reason: "WaitingForImage" });
    expect(early.asks).toMatchObject([{ newerThanMs: world.nowMs + GRACE_MS }]);
    world.nowMs += GRACE_MS;
    world.push(EL9_IMAGE, TWO);
    world.settle(module, [EL9]);
    expect(world.deployed()).toEqual([`${EL9_IMAGE}@${TWO}`]);
  });

  test("is known at once where the build has left its digest, and may be the same as before", () => {
    const { world, module } = aBuiltWorld();
    world.write("FROM two # and nothing else");
    world.settle(module, [EL9]);
    world.end("succeeded", ONE);
    world.push(EL9_IMAGE, ONE);
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "ready" });
    world.nowMs += KEEP_MS;
    expect([world.settle(module, [EL9]).steps, world.jobs()]).toEqual([[], []]);
  });

  test.each<readonly [string, JsonObject, string]>([
    ["another argument", { build: { ...build, buildArgs: [{ name: "DRIVER", value: "2" }] } }, "building BuildRunning"],
    ["another deadline", { build: { ...build, timeout: "2h" } }, "ready"],
    ["another machine to build on", { build: { ...build, selector: { disk: "ssd" } } }, "ready"],
  ])("by %s", (_, container, state) => {
    const { world } = aBuiltWorld();
    expect(states(world.settle(changed(world, container), [EL9]).images)).toEqual({ [EL9_IMAGE]: state });
  });

  test("is not made anew by another builder of the site", () => {
    const { world, module } = aBuiltWorld();
    world.site = { ...BUILD_SITE, builder: { is: "buildah", image: "buildah:2" } };
    expect(world.settle(module, [EL9]).steps).toEqual([]);
  });

  test("after the registry has lost it reaches pods as what it is now", () => {
    const { world, module } = aBuiltWorld();
    world.miss(EL9_IMAGE);
    world.settle(module, [EL9]);
    expect([world.jobs(), world.deployed()]).toEqual([
      ...[[`my-kmod-build running ${EL9_IMAGE}`], [`${EL9_IMAGE}@${ONE}`]],
    ]);
    finish(world, TWO);
    world.settle(module, [EL9]);
    expect(world.deployed()).toEqual([`${EL9_IMAGE}@${TWO}`]);
  });

  test("by the rebuild trigger reaches pods", () => {
    const { world } = aBuiltWorld();
    const done = { imageRebuildTriggerGeneration: 1 };
    const module = changed(world, { build }, { imageRebuildTriggerGeneration: 2 }, done);
    world.settle(module, [EL9]);
    finish(world, TWO);
    expect([world.settle(module, [EL9]).rebuiltFor, world.deployed()]).toEqual([2, [`${EL9_IMAGE}@${TWO}`]]);
  });

  test("for two kernels with one image is not made anew when one of them goes", () => {
    const containerImage = "registry.example.com/kmod:all";
    const { world, module } = aWorld({ build, kernelMappings: [{ regexp: "^.+$", containerImage }] });
    world.write("FROM one");
    world.miss(containerImage);
    world.settle(module, [EL8, EL9]);
    world.nowMs += 60_000;
    world.end("succeeded");
    world.push(containerImage, ONE);
    world.settle(module, [EL8, EL9]);
    world.nowMs += KEEP_MS;
    expect([world.settle(module, [EL9]).steps, world.deployed()]).toEqual([[], [`${containerImage}@${ONE}`]]);
  });
});

describe("a tag that somebody moves", () => {
  test("over what was built here restarts nothing, and is told", () => {
    const { world, module } = aBuiltWorld();
    world.push(EL9_IMAGE, THREE);
    expect(world.settle(module, [EL9]).images.get(EL9_IMAGE)).toMatchObject({
      ...{ is: "ready", digest: ONE, movedTo: THREE },
    });
    expect([world.deployed(), world.jobs()]).toEqual([[`${EL9_IMAGE}@${ONE}`], []]);
  });

  test("right after the build, while its Job is there, restarts nothing either", () => {
    const { world, module } = aWorld();
    world.write("FROM one");
    world.settle(module, [EL9]);
    finish(world, ONE);
    world.settle(module, [EL9]);
    world.push(EL9_IMAGE, THREE);
    world.settle(module, [EL9]);
    expect([world.jobs().length, world.deployed()]).toEqual([1, [`${EL9_IMAGE}@${ONE}`]]);
  });

  test("of an image that nobody builds restarts nothing; the trigger has pods get what it stands for then", () => {
    const { world } = aWorld({});
    world.push(EL9_IMAGE, ONE);
    const before = changed(world, {}, { imageRebuildTriggerGeneration: 1 }, { imageRebuildTriggerGeneration: 1 });
    world.settle(before, [EL9]);
    world.push(EL9_IMAGE, TWO);
    world.settle(before, [EL9]);
    expect(world.deployed()).toEqual([EL9_IMAGE]);
    const asked = changed(world, {}, { imageRebuildTriggerGeneration: 2 }, { imageRebuildTriggerGeneration: 1 });
    const first = world.settle(asked, [EL9]);
    // What is known is from before, and is not taken for an answer.
    expect([first.rebuiltFor, first.rebuildingSinceMs, world.deployed()]).toEqual([1, world.nowMs, [EL9_IMAGE]]);
    expect(first.asks).toMatchObject([{ newerThanMs: world.nowMs }]);
    const started = { imageRebuildTriggerGeneration: 1, imageRebuildStarted: "2026-01-01T12:00:01Z" };
    const going = changed(world, {}, { imageRebuildTriggerGeneration: 2 }, started);
    world.nowMs += 2_000;
    expect(world.settle(going, [EL9]).rebuiltFor).toBe(1);
    world.push(EL9_IMAGE, THREE);
    expect([world.settle(going, [EL9]).rebuiltFor, world.deployed()]).toEqual([2, [`${EL9_IMAGE}@${THREE}`]]);
    const after = changed(world, {}, { imageRebuildTriggerGeneration: 2 }, { imageRebuildTriggerGeneration: 2 });
    world.push(EL9_IMAGE, ONE);
    world.settle(after, [EL9]);
    expect(world.deployed()).toEqual([`${EL9_IMAGE}@${THREE}`]);
  });
});

// Images that are made anew under the name that they have, and tags that somebody moves: what pods run changes only when its author asked.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { GRACE_MS, KEEP_MS } from "./build-carry-out.ts";
import { BUILD_SITE } from "./build-site.ts";
import { aWorld, build, changed, EL9_IMAGE, sign, states } from "./build-story.ts";
import type { BuildWorld } from "./build-world.ts";
import { EL8, EL9 } from "./module-builders.ts";

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const [ONE, TWO, THREE] = [digest("1"), digest("2"), digest("3")];

/** A Module whose image was built from a Dockerfile and is deployed; its Job has gone. */
function aBuiltWorld(container: JsonObject = { build }) {
  const { world, module } = aWorld(container);
  world.write("FROM one");
  world.settle(module, [EL9]);
  finish(world, ONE);
  world.settle(module, [EL9]);
  world.nowMs += KEEP_MS;
  world.settle(module, [EL9]);
  expect([world.jobs(), world.deployed()]).toEqual([[], [`${EL9_IMAGE}@${ONE}`]]);
  return { world, module };
}

/** The build that runs succeeds and has pushed this. */
function finish(world: BuildWorld, pushed: string): void {
  world.nowMs += 60_000;
  world.end("succeeded");
  world.nowMs += GRACE_MS;
  world.push(EL9_IMAGE, pushed);
}

const annotationsOf = (world: BuildWorld) => JSON.stringify(world.cluster.tasks().map(({ object }) => object.spec));

describe("the text of a Dockerfile", () => {
  test("is in the Job, so that what was hashed is what is built", () => {
    const { world, module } = aWorld();
    world.write("FROM one");
    world.settle(module, [EL9]);
    expect(annotationsOf(world)).toContain('"module.farrier.dev/dockerfile":"FROM one"');
    expect(annotationsOf(world)).not.toContain('"configMap"');
  });

  test("edited under the same name has the image made anew, and pods keep the old one until the new one is there", () => {
    const { world, module } = aBuiltWorld();
    world.write("FROM two");
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "building BuildRunning" });
    expect(world.deployed()).toEqual([`${EL9_IMAGE}@${ONE}`]);
    finish(world, TWO);
    world.settle(module, [EL9]);
    expect(world.deployed()).toEqual([`${EL9_IMAGE}@${TWO}`]);
    world.nowMs += KEEP_MS;
    expect([world.settle(module, [EL9]).steps, world.jobs()]).toEqual([[], []]);
  });

  test("edited while the build runs starts another one, and the old one's push is not taken for it", () => {
    const { world, module } = aWorld();
    world.write("FROM one");
    world.settle(module, [EL9]);
    const [old] = world.tasks();
    world.write("FROM two");
    world.settle(module, [EL9]);
    world.push(EL9_IMAGE, ONE);
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "building BuildRunning" });
    expect(world.tasks().map(({ name }) => name)).not.toContain(old?.name);
  });

  test("that is wrong fails the build and harms nobody; put back as it was, all is as it was without a build", () => {
    const { world, module } = aBuiltWorld();
    world.write("FROM nonsense");
    world.settle(module, [EL9]);
    world.end("failed", "no such image");
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "failed BuildFailed" });
    expect(world.deployed()).toEqual([`${EL9_IMAGE}@${ONE}`]);
    world.write("FROM one");
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "ready" });
    expect([world.jobs(), world.deployed()]).toEqual([[], [`${EL9_IMAGE}@${ONE}`]]);
  });

  test("has an image that somebody else pushed left alone", () => {
    const { world, module } = aWorld();
    world.write("FROM one");
    world.push(EL9_IMAGE, ONE);
    world.settle(module, [EL9]);
    world.write("FROM two");
    expect([world.settle(module, [EL9]).steps, world.deployed()]).toEqual([[], [EL9_IMAGE]]);
  });

  test("edited has what is signed built and signed anew, and the final name never stands for anything unsigned", () => {
    const { world, module } = aWorld({ build, sign });
    world.write("FROM one");
    const unsigned = () =>
      world.plan(module, [EL9]).asks.find(({ image }) => image.includes("_unsigned_"))?.image ?? "";
    const built: string[] = [];
    const make = (pushed: string) => {
      world.miss(unsigned());
      world.settle(module, [EL9]);
      built.push(...world.jobs().filter((job) => job.includes("running")));
      world.nowMs += 60_000;
      world.end("succeeded");
      world.push(unsigned(), THREE);
      world.settle(module, [EL9]);
      built.push(...world.jobs().filter((job) => job.includes("running")));
      finish(world, pushed);
      world.settle(module, [EL9]);
      expect(world.deployed()).toEqual([`${EL9_IMAGE}@${pushed}`]);
    };
    make(ONE);
    world.nowMs += KEEP_MS;
    world.settle(module, [EL9]);
    world.write("FROM two");
    make(TWO);
    const [first = "", signed, second = ""] = built;
    expect([first.includes("my-kmod-build") && first.includes("_unsigned_"), first === second]).toEqual([true, false]);
    expect(built).toEqual([first, signed, second, `my-kmod-sign running ${EL9_IMAGE}`]);
  });
});

describe("a Dockerfile that cannot be had", () => {
  test("is asked for, and the build begins when it is there", () => {
    const { world, module } = aWorld();
    world.write(undefined);
    expect(world.settle(module, [EL9]).images.get(EL9_IMAGE)).toEqual({
      ...{ is: "waiting", reason: "BuildInputMissing" },
      because: 'ConfigMap "dockerfile" has nothing under the key dockerfile; add it',
    });
    expect(world.jobs()).toEqual([]);
    world.write("FROM one");
    world.settle(module, [EL9]);
    expect(world.jobs()).toEqual([`my-kmod-build running ${EL9_IMAGE}`]);
  });

  test("takes nothing away: not the image that is there, not the build that runs, not its result", () => {
    const { world, module } = aBuiltWorld();
    world.write(undefined);
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "ready" });
    world.write("FROM two");
    world.settle(module, [EL9]);
    world.write(undefined);
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "building BuildRunning" });
    finish(world, TWO);
    world.settle(module, [EL9]);
    expect(world.deployed()).toEqual([`${EL9_IMAGE}@${TWO}`]);
  });

  test("since we may not read it is left to the kubelet by its name, and another name starts anew", () => {
    const { world, module } = aWorld();
    world.settle(module, [EL9]);
    expect(annotationsOf(world)).toContain('"configMap":{"name":"dockerfile"');
    finish(world, ONE);
    world.settle(module, [EL9]);
    const other = changed(world, { build: { ...build, dockerfileConfigMap: { name: "other" } } });
    expect(states(world.settle(other, [EL9]).images)).toEqual({ [EL9_IMAGE]: "building BuildRunning" });
  });

  test("and then can be read has nothing made anew, but an edit from then on has", () => {
    const { world, module } = aWorld();
    world.settle(module, [EL9]);
    finish(world, ONE);
    world.settle(module, [EL9]);
    world.nowMs += KEEP_MS;
    world.settle(module, [EL9]);
    world.write("FROM one");
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "ready" });
    world.settle(module, [EL9]);
    world.write("FROM two");
    expect(states(world.settle(module, [EL9]).images)).toEqual({ [EL9_IMAGE]: "building BuildRunning" });
  });
});

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

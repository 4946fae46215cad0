// Dockerfiles in ConfigMaps: an edit has the image made anew under the name that it has, and one that cannot be had takes nothing away.
import { describe, expect, test } from "vitest";
import {
  aBuiltWorld,
  aWorld,
  build,
  changed,
  EL9_IMAGE,
  finish,
  ONE,
  sign,
  states,
  THREE,
  TWO,
} from "../testing/build-story.ts";
import type { BuildWorld } from "../testing/build-world.ts";
import { EL9 } from "../testing/module-builders.ts";
import { KEEP_MS } from "./build-carry-out.ts";

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

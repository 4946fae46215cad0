// What tests of builds begin with: a Module whose images have to be made, and a registry that has none of them.

import type { StoredObject } from "../../../core/decision/snapshot.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { GRACE_MS, KEEP_MS } from "../build/build-carry-out.ts";
import type { BuildPlan } from "../build/image-need.ts";
import { BuildWorld } from "./build-world.ts";
import { EL8, EL9, loaderModule, UBUNTU } from "./module-builders.ts";

/** How images are built and signed, as written in a Module. */
export const build: JsonObject = Object.freeze({
  dockerfileConfigMap: { name: "dockerfile" },
  buildArgs: [{ name: "DRIVER", value: "1.0" }],
});
export const sign: JsonObject = Object.freeze({
  ...{ keySecret: { name: "key" }, certSecret: { name: "cert" } },
  filesToSign: ["/opt/lib/modules/*/a.ko"],
});

const REPOSITORY = "registry.example.com/kmod";
export const EL9_IMAGE = `${REPOSITORY}:${EL9}`;

/** The image for a kernel. */
export function imageOf(kernel: string): string {
  return `${REPOSITORY}:${kernel}`;
}

/** What has been pushed at one time or another. */
export const ONE = "sha256:1111111111111111111111111111111111111111111111111111111111111111";
export const TWO = "sha256:2222222222222222222222222222222222222222222222222222222222222222";
export const THREE = "sha256:3333333333333333333333333333333333333333333333333333333333333333";

/** A Module whose images are built, and a registry that has none of them. */
export function aWorld(container: JsonObject = { build }, spec: JsonObject = {}) {
  const world = new BuildWorld();
  const module = world.stored(loaderModule(container, spec));
  for (const kernel of [EL8, EL9, UBUNTU]) world.miss(imageOf(kernel));
  return { world, module };
}

/** A Module whose image was built from a Dockerfile and is deployed; its Job has gone. */
export function aBuiltWorld(container: JsonObject = { build }) {
  const { world, module } = aWorld(container);
  world.write("FROM one");
  world.settle(module, [EL9]);
  finish(world, ONE);
  world.settle(module, [EL9]);
  world.nowMs += KEEP_MS;
  world.settle(module, [EL9]);
  if (world.jobs().length > 0 || world.deployed().join() !== `${EL9_IMAGE}@${ONE}`)
    throw new Error(`the Module is not built: ${world.jobs()} ${world.deployed()}`);
  return { world, module };
}

/** The build that runs succeeds and has pushed this. */
export function finish(world: BuildWorld, pushed: string): void {
  world.nowMs += 60_000;
  world.end("succeeded");
  world.nowMs += GRACE_MS;
  world.push(EL9_IMAGE, pushed);
}

/** The same Module with this spec, after its status has been reported. */
export function changed(
  world: BuildWorld,
  container: JsonObject,
  spec: JsonObject = {},
  status: JsonObject = {},
): StoredObject {
  return world.stored({ ...loaderModule(container, spec), status: { observedGeneration: 1, ...status } });
}

/** By image, in a word or two: `failed BuildFailed`. */
export function states(images: BuildPlan["images"]): Readonly<Record<string, string>> {
  const words = [...images].map(([image, progress]) => {
    return [image, progress.is === "ready" ? progress.is : `${progress.is} ${progress.reason}`] as const;
  });
  return Object.fromEntries(words);
}

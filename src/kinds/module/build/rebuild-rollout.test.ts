// An image that is made anew under the name that it has reaches its pods like any other update: node by node, within the budget.
import { expect, test } from "vitest";
import { isJsonObject } from "../../../core/json/json.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";
import { build, EL9_IMAGE } from "../testing/build-story.ts";
import { loaderModule } from "../testing/module-builders.ts";
import { ModuleStage } from "../testing/module-stage.ts";
import { planBuilds } from "./plan-builds.ts";

const [ONE, TWO] = ["1", "2"].map((letter) => `sha256:${letter.repeat(64)}`);

/** What the pods run, by node. */
function running(stage: ModuleStage): Readonly<Record<string, string>> {
  const pods = stage.cluster.pods.objects().map((pod) => {
    const [container] = listOf(objectAt(pod, "spec").containers).filter(isJsonObject);
    return [String(objectAt(pod, "spec").nodeName), String(container?.image).replace(/^.*@/, "")] as const;
  });
  return Object.fromEntries(pods);
}

/** On paper a build is over at once; what it has pushed is in the registry from now on. */
function pushed(stage: ModuleStage, digest = ""): void {
  stage.images.set(EL9_IMAGE, { is: "present", digest, askedMs: stage.nowMs });
}

function writeDockerfile(stage: ModuleStage, dockerfile: string): void {
  const metadata = { name: "dockerfile", namespace: "default" };
  stage.cluster.put({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { dockerfile } });
}

test("an edited Dockerfile replaces the driver of one node after the other, when its image is there and not before", () => {
  const stage = new ModuleStage([{ name: "a" }, { name: "b" }, { name: "c" }], planBuilds);
  writeDockerfile(stage, "FROM one");
  stage.images.set(EL9_IMAGE, { is: "missing", askedMs: 0 });
  stage.store(loaderModule({ build })).settle();
  expect(running(stage)).toEqual({});
  pushed(stage, ONE);
  stage.settle();
  expect(running(stage)).toEqual({ a: ONE, b: ONE, c: ONE });
  writeDockerfile(stage, "FROM two");
  stage.settle();
  expect(running(stage)).toEqual({ a: ONE, b: ONE, c: ONE });
  pushed(stage, TWO);
  const seen = new Set<string>();
  for (let round = 0; round < 60 && Object.values(running(stage)).includes(ONE ?? ""); round++) {
    stage.round();
    const ready = Object.values(running(stage)).filter((digest) => digest === ONE || digest === TWO);
    seen.add(String(ready.length));
  }
  expect(running(stage)).toEqual({ a: TWO, b: TWO, c: TWO });
  expect([...seen].map(Number).every((count) => count >= 2)).toBe(true);
  expect(JSON.stringify(stage.status().kernels)).toContain(`"digest":"${TWO}"`);
});

test("a tag that somebody moves replaces nothing, and the status says so", () => {
  const stage = new ModuleStage([{ name: "a" }], planBuilds);
  writeDockerfile(stage, "FROM one");
  stage.images.set(EL9_IMAGE, { is: "missing", askedMs: 0 });
  stage.store(loaderModule({ build })).settle();
  pushed(stage, ONE);
  stage.settle();
  pushed(stage, TWO);
  stage.settle();
  expect(running(stage)).toEqual({ a: ONE });
  expect(JSON.stringify(stage.status().kernels)).toMatch(/stands for sha256:2+ by now, and pods keep what they have/);
});

// What a change of a Module would do, before it is done: its own decisions on a cluster on paper.
import { describe, expect, test } from "vitest";
import { targetOf } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { type Forecast, forecast } from "../forecast/forecast.ts";
import { planBuilds } from "./build/plan-builds.ts";
import { createModuleKind } from "./module-kind.ts";
import { aNodeObject, EL8, EL9, mappedModule, UBUNTU } from "./testing/module-builders.ts";
import { ModuleStage } from "./testing/module-stage.ts";

const image = (tag: string) => `registry.example.com/kmod:${tag}`;
const module = (tag: string, more: JsonObject = {}) =>
  mappedModule([{ regexp: "el9|generic$", containerImage: image(tag) }], more);
const fleet = [{ name: "a" }, { name: "b" }, { name: "c", kernel: UBUNTU }, { name: "d", kernel: EL8 }];
const present = { is: "present", digest: "sha256:0", askedMs: 0 } as const;
const missing = { is: "missing", askedMs: 0 } as const;

function foreseen(
  stage: ModuleStage,
  object: JsonObject,
  image = (_: string): typeof present | typeof missing => present,
): Forecast {
  const kind = createModuleKind({ planBuilds });
  const metadata = { name: "my-kmod", namespace: "default", uid: "uid-of-my-kmod", generation: 1 };
  return forecast({
    kind,
    objects: stage.cluster.objects(),
    object: { ...object, metadata },
    image,
    nowMs: stage.nowMs,
  });
}

/** `apply DaemonSet`, with how often. */
function tally({ writes }: Forecast): Readonly<Record<string, number>> {
  const names = writes.map(({ step }) => `${step.do} ${targetOf(step).kind}`);
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}

describe("the forecast of a Module", () => {
  test("that is new tells its DaemonSets, the nodes that get a pod, and writes nothing else", () => {
    const plan = foreseen(new ModuleStage(fleet), module("1"));
    expect(tally(plan)).toEqual({ "apply DaemonSet": 2, "apply Node": 6 });
    expect([plan.gained, plan.replaced, plan.lost, plan.isSettled]).toMatchObject([["a", "b", "c"], [], [], true]);
  });

  test("with a new image tells how many pods are replaced, and how many nodes are without one at once", () => {
    const stage = new ModuleStage(fleet).store(module("1")).settle();
    const plan = foreseen(stage, module("2"));
    expect([plan.gained, plan.replaced, plan.lost, plan.unavailableMax]).toEqual([[], ["a", "b", "c"], [], 1]);
    expect(foreseen(stage, module("2", { updateStrategy: { maxUnavailable: 3 } })).unavailableMax).toBe(3);
  });

  test("with fewer mappings tells the nodes that are left dark, and the DaemonSet that goes", () => {
    const stage = new ModuleStage(fleet).store(module("1")).settle();
    const plan = foreseen(stage, mappedModule([{ regexp: "el9", containerImage: image("1") }]));
    expect(plan.lost).toEqual(["c"]);
    expect(tally(plan)).toMatchObject({ "delete DaemonSet": 1 });
  });

  test("whose image is missing tells of its builds, and goes on as if they had succeeded", () => {
    const build = { dockerfileConfigMap: { name: "dockerfile" } };
    const plan = foreseen(new ModuleStage(fleet), module("1", { build }), () => missing);
    expect(tally(plan)).toMatchObject({ "create Job": 1 });
    expect(plan.gained).toEqual(["a", "b", "c"]);
  });

  test("for a kernel that no node runs yet: the nodes are given it on paper", () => {
    const stage = new ModuleStage(fleet).store(module("1")).settle();
    const next = "5.14.0-503.11.1.el9_5.x86_64";
    const objects = stage.cluster.objects().map((object) => {
      const node = stage.cluster.nodes.find(({ name }) => object.kind === "Node" && name === nameOf(object));
      return node?.kernel.raw === EL9
        ? aNodeObject({ name: node.name, kernel: next, labels: { ...node.labels } })
        : object;
    });
    const metadata = { name: "my-kmod", namespace: "default", uid: "uid-of-my-kmod", generation: 1 };
    const plan = forecast({
      ...{ kind: createModuleKind({ planBuilds }), objects, object: { ...module("1"), metadata } },
      ...{ image: () => present, nowMs: stage.nowMs },
    });
    expect(plan.replaced).toEqual(["a", "b"]);
    expect(tally(plan)).toMatchObject({ "apply DaemonSet": 1, "delete DaemonSet": 1 });
  });
});

function nameOf({ metadata }: JsonObject): unknown {
  return typeof metadata === "object" && metadata !== null && "name" in metadata ? metadata.name : undefined;
}

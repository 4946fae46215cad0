// The device plugin of a Module: it comes after the driver and goes before it, and versions follow each other as owners of nodes say.
import { describe, expect, test } from "vitest";
import { stepId } from "../../../core/decision/step.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { aModule } from "../testing/cases.ts";
import { EL9, loaderModule, type NodeWishes, UBUNTU } from "../testing/module-builders.ts";
import { ModuleStage } from "../testing/module-stage.ts";

const devicePlugin = { container: { image: "registry.example.com/plugin:1" } };
const module = (container: JsonObject = {}, spec: JsonObject = {}) =>
  loaderModule(container, { devicePlugin, ...spec });
const WANTS = "kmm.node.kubernetes.io/version-module.default.my-kmod";
const READY = "kmm.node.kubernetes.io/default.my-kmod.ready";

/** What is on the node after each round, as long as it changes. */
function story(stage: ModuleStage, node: string, rounds = 25): readonly string[] {
  const seen: string[] = [];
  for (let round = 0; round < rounds; round++) {
    stage.round();
    const line = [Object.hasOwn(labelsOf(stage, node), READY) ? "ready" : "-", ...stage.imagesOn(node)].join(" ");
    if (seen.at(-1) !== line) seen.push(line);
  }
  return seen;
}

const labelsOf = (stage: ModuleStage, name: string) =>
  stage.cluster.nodes.find((node) => node.name === name)?.labels ?? {};
const kmod = (kernel: string) => `kmod:${kernel}`;

describe("the device plugin", () => {
  test("starts where the driver is ready", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module());
    expect(story(stage, "a")).toEqual([`- ${kmod(EL9)}`, `ready ${kmod(EL9)} plugin:1`]);
    expect(stage.status()).toMatchObject({
      devicePlugin: { nodesMatchingSelectorNumber: 1, desiredNumber: 1, availableNumber: 1 },
    });
  });

  test("goes before the driver when the node leaves the scope", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
    stage.node({ name: "a", labels: { "node-role.kubernetes.io/worker": "no" } });
    const lines = story(stage, "a");
    expect(lines).toEqual([`ready ${kmod(EL9)} plugin:1`, `- ${kmod(EL9)}`, "-"]);
  });

  test("goes before the driver is replaced, and comes back after", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
    const kernelMappings = [{ regexp: ".", containerImage: "registry.example.com/kmod:2" }];
    stage.store(module({ kernelMappings }));
    expect(story(stage, "a")).toEqual([
      `ready ${kmod(EL9)} plugin:1`,
      `- ${kmod(EL9)}`,
      "- kmod:2",
      "ready kmod:2 plugin:1",
    ]);
  });

  test("of a node that has rebooted is gone before the new driver comes", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
    stage.node({ name: "a", kernel: UBUNTU });
    expect(story(stage, "a")).toEqual([`- ${kmod(EL9)}`, "-", `- ${kmod(UBUNTU)}`, `ready ${kmod(UBUNTU)} plugin:1`]);
  });

  test("that has gone from one node keeps another node from being taken until that one is done", () => {
    const mapped = (el9: string, ubuntu: string) =>
      module({
        kernelMappings: [
          { regexp: "el9", containerImage: `registry.example.com/kmod:${el9}` },
          { regexp: "generic$", containerImage: `registry.example.com/kmod:${ubuntu}` },
        ],
      });
    const stage = new ModuleStage([{ name: "a" }, { name: "b", kernel: UBUNTU }]).store(mapped("1", "1")).settle();
    stage.node({ name: "a", ready: "False" });
    stage.store(mapped("2", "2"));
    while (Object.hasOwn(labelsOf(stage, "b"), READY)) stage.round();
    // Nodes of this kernel come first in order, but the budget is spent.
    stage.node({ name: "a" });
    stage.round();
    expect(Object.hasOwn(labelsOf(stage, "a"), READY)).toBe(true);
    stage.settle();
    expect(stage.imagesOn("a")).toEqual(["kmod:2", "plugin:1"]);
  });

  test("on a node that is away holds nothing up", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
    stage.isAlive = false;
    stage.node({ name: "a", ready: "Unknown", labels: { "node-role.kubernetes.io/worker": "no" } });
    for (let round = 0; round < 15; round++) stage.round();
    expect(stage.picture().a).toMatch(/^- /);
  });

  test("is deleted when the Module has none any more, and the driver stays", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
    stage.store(loaderModule()).settle();
    expect(stage.picture()).toEqual({ a: `${EL9} ready ${kmod(EL9)}` });
  });

  test("alone runs on every node in scope, and needs no driver", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(aModule({ devicePlugin })).settle();
    expect(stage.imagesOn("a")).toEqual(["plugin:1"]);
    expect(stage.conditions()).toMatchObject({ Ready: "True AllNodesFitted" });
  });

  test("alone follows the selector of its Module", () => {
    const stage = new ModuleStage([{ name: "a" }, { name: "b", labels: { gpu: "yes" } }]);
    stage.store(aModule({ devicePlugin })).settle();
    stage.store(aModule({ devicePlugin, selector: { gpu: "yes" } })).settle();
    expect(["a", "b"].map((node) => stage.imagesOn(node))).toEqual([[], ["plugin:1"]]);
  });

  test("is not updated by way of the driver's DaemonSets", () => {
    const stage = new ModuleStage([{ name: "a" }]).store(module()).settle();
    const from = stage.log.length;
    stage.store(module({}, { devicePlugin: { container: { image: "registry.example.com/plugin:2" } } })).settle();
    const written = stage.log.slice(from).map(stepId);
    expect(written.filter((id) => id.startsWith("apply apps/v1 DaemonSet"))).toHaveLength(1);
  });
});

describe("versions", () => {
  const node = (version?: string): NodeWishes => ({
    name: "a",
    labels: version === undefined ? {} : { [WANTS]: version },
  });
  const versioned = (version: string) =>
    module({ version, kernelMappings: [{ regexp: ".", containerImage: `registry.example.com/kmod:${version}` }] });

  test("a node gets a driver when its owner asks for the Module's version", () => {
    const stage = new ModuleStage([node()]).store(versioned("1")).settle();
    expect(stage.picture()).toEqual({ a: "-" });
    expect(stage.conditions()).toMatchObject({ Ready: "True AllNodesFitted" });
    stage.node(node("1"));
    stage.settle();
    expect(stage.imagesOn("a")).toEqual(["kmod:1", "plugin:1"]);
    expect(labelsOf(stage, "a")).toMatchObject({ "kmm.node.kubernetes.io/default.my-kmod.version.ready": "1" });
  });

  test("a new version of the Module leaves nodes that ask for the old one alone, plugin included", () => {
    const stage = new ModuleStage([node("1")]).store(versioned("1")).settle();
    const pods = stage.cluster.pods.values().map(({ uid }) => uid);
    stage.store(versioned("2")).settle(90_000);
    expect(stage.cluster.pods.values().map(({ uid }) => uid)).toEqual(pods);
    expect(stage.imagesOn("a")).toEqual(["kmod:1", "plugin:1"]);
  });

  test("the owner takes the old version away, then asks for the new one: plugin, driver, driver, plugin", () => {
    const stage = new ModuleStage([node("1")]).store(versioned("1")).settle();
    stage.store(versioned("2")).settle();
    stage.node(node());
    expect(story(stage, "a").slice(-2)).toEqual(["- kmod:1", "-"]);
    stage.node(node("2"));
    expect(story(stage, "a")).toEqual(["- kmod:2", "ready kmod:2 plugin:1"]);
    stage.settle(100_000);
    // What belonged to the old version is gone.
    expect(stage.cluster.workloadsOf("uid-of-my-kmod")).toHaveLength(2);
  });
});

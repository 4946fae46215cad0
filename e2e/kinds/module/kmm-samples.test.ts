// Manifests of the shapes that KMM publishes apply unchanged on a real control plane, and become the DaemonSets that KMM's first version made
// of them. Each sample stands beside what must be in its DaemonSet; where nodes get it by a label of ours, 0019 says why.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { mixedFleet } from "../../../sim/fleets/mixed-fleet.ts";
import { EL9, moduleDefinition, modules } from "../../../sim/scenarios/module/simulated-module.ts";
import { daemonSets, nodes } from "../../../sim/scenarios/operator/toy-picture.ts";
import { planBuilds } from "../../../src/kinds/module/build/plan-builds.ts";
import { createModuleKind } from "../../../src/kinds/module/module-kind.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { type InstalledCluster, startInstalledCluster } from "../../program/installed-cluster.ts";
import { type MortalOperator, startOperator } from "./mortal-operator.ts";

const SOON = { deadlineMs: 90_000, everyMs: 200 };
const folder = join(import.meta.dirname, "kmm-samples");
const EXPECTED = ".daemonset.yaml";
const samples = readdirSync(folder)
  .filter((file) => file.endsWith(EXPECTED))
  .map((file) => file.slice(0, -EXPECTED.length));
const read = (file: string) => parse(readFileSync(join(folder, file), "utf8"));

describeWith("controllers", "manifests as KMM publishes them", (binaries) => {
  let world: InstalledCluster;
  let client: Client;
  let operator: MortalOperator;

  beforeAll(async () => {
    const labels = {
      "node-role.kubernetes.io/worker": "",
      "kmm.node.kubernetes.io/version-module.default.sample": "1.2",
    };
    const machines = mixedFleet({ count: 1, kernels: [EL9] }).map((machine) => ({
      ...{ ...machine, labels: { ...machine.labels, ...labels } },
    }));
    world = await startInstalledCluster({ binaries, definitions: [moduleDefinition()], machines });
    client = world.admin.client;
    operator = startOperator(world.operator, createModuleKind({ planBuilds }), { identity: "operator" });
  });
  afterEach(async () => {
    await client.remove(modules, "default/sample");
    await eventually(
      "nothing is left of the sample",
      async () => {
        const sets = (await client.list(daemonSets)).items;
        const keys = (await client.list(nodes)).items.flatMap(({ metadata }) => Object.keys(metadata.labels ?? {}));
        return sets.length === 0 && !keys.some((key) => key.startsWith("module.farrier.dev/")) ? true : undefined;
      },
      SOON,
    );
  });
  afterAll(async () => {
    operator?.life.abort();
    await world?.stop();
  });

  test.each(samples)("%s applies unchanged and does what KMM did with it", async (name) => {
    const { metadata } = await client.create(modules, read(`${name}.yaml`), { fieldValidation: "Strict" });
    const set = await eventually("its DaemonSet", async () => (await client.list(daemonSets)).items[0], SOON);
    expect(set).toMatchObject(read(`${name}${EXPECTED}`));
    expect(set.metadata.ownerReferences).toMatchObject([{ kind: "Module", uid: metadata.uid, controller: true }]);
    await eventually(
      "its pod is ready on the node",
      async () => {
        const status = (await client.get(daemonSets, `default/${set.metadata.name}`))?.status;
        return JSON.stringify(status ?? {}).includes('"numberReady":1') || undefined;
      },
      SOON,
    );
  });
});

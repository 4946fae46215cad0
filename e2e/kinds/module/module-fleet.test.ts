// Two Modules on sixty nodes of three kernels, on a real control plane: everybody gets what it should, with no more writes than it takes.
import { afterAll, beforeAll, expect, test } from "vitest";
import { mixedFleet } from "../../../sim/fleets/mixed-fleet.ts";
import {
  aSimulatedModule,
  EL9,
  moduleDefinition,
  modules,
  SCOPE,
  UBUNTU,
} from "../../../sim/scenarios/module/simulated-module.ts";
import { nodes } from "../../../sim/scenarios/operator/toy-picture.ts";
import { planBuilds } from "../../../src/kinds/module/build/plan-builds.ts";
import { createModuleKind } from "../../../src/kinds/module/module-kind.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { type InstalledCluster, startInstalledCluster } from "../../program/installed-cluster.ts";
import { modulePicture } from "./module-picture.ts";
import { type MortalOperator, startOperator } from "./mortal-operator.ts";

const SOON = { deadlineMs: 240_000, everyMs: 500 };
const NODES = 60;
const FIRST_UBUNTU = "6.8.0-31-generic";
const KERNELS: readonly string[] = [EL9, UBUNTU, FIRST_UBUNTU];
const NAMES = ["driver", "other"] as const;
const updateStrategy = { maxUnavailable: "25%" };

describeWith("controllers", "two Modules on sixty nodes", (binaries) => {
  let world: InstalledCluster;
  let client: Client;
  let operator: MortalOperator;

  beforeAll(async () => {
    const machines = mixedFleet({ count: NODES, kernels: KERNELS }).map((machine) => ({
      ...machine,
      labels: { ...machine.labels, [SCOPE]: "yes" },
    }));
    world = await startInstalledCluster({ binaries, definitions: [moduleDefinition()], machines });
    client = world.admin.client;
    operator = startOperator(world.operator, createModuleKind({ planBuilds }), { identity: "operator" });
  });
  afterAll(async () => {
    operator?.life.abort();
    await world?.stop();
  });

  const fitted = (tag: string) =>
    eventually(
      `both Modules run ${tag} on all nodes`,
      async () => {
        const pictures = await Promise.all(NAMES.map((name) => modulePicture(client, name)));
        const lines = pictures.flatMap((picture) => Object.values(picture.nodes));
        const isDone =
          lines.length === 2 * NODES && lines.every((line) => line.includes(" ready ") && line.endsWith(`:${tag}`));
        const isReady = pictures.every(({ conditions }) => conditions.Ready === "True AllNodesFitted");
        if (!isDone || !isReady)
          throw new Error(JSON.stringify([lines.length, pictures.map(({ conditions }) => conditions)]));
        return pictures;
      },
      SOON,
    );

  /** Writes besides status and events: those that change something. */
  const changes = () => operator.writes.filter((write) => !/\/(status|events)(\/|$|\?)/.test(write)).length;

  test("get one DaemonSet per kernel, two labels per node and Module, and nothing more is written", async () => {
    for (const name of NAMES) await client.create(modules, aSimulatedModule("v1", { updateStrategy }, name));
    const [first, second] = await fitted("v1");
    expect([first?.kernels, second?.kernels]).toEqual([KERNELS.toSorted(), KERNELS.toSorted()]);
    const mustChange = NAMES.length * (KERNELS.length + 2 * NODES);
    expect(changes()).toBeLessThanOrEqual(Math.floor(1.03 * mustChange));
  }, 300_000);

  test("an update of one leaves the other alone", async () => {
    const other = await modulePicture(client, "other");
    const before = changes();
    await client.patch(modules, "default/driver", {
      type: "merge",
      body: { spec: aSimulatedModule("v2", { updateStrategy }).spec },
    });
    await eventually(
      "the driver runs v2 everywhere",
      async () => {
        const { nodes: lines, conditions } = await modulePicture(client, "driver");
        const isDone = Object.values(lines).every((line) => line.includes(" ready ") && line.endsWith(":v2"));
        return isDone && conditions.Ready === "True AllNodesFitted" ? true : undefined;
      },
      SOON,
    );
    expect(await modulePicture(client, "other")).toEqual(other);
    // Three templates; and per node the end of its readiness, the end of its pod, and its readiness again.
    expect(changes() - before).toBeLessThanOrEqual(Math.floor(1.03 * (KERNELS.length + 3 * NODES)));
  }, 300_000);

  test("leave nothing behind when they are deleted", async () => {
    for (const name of NAMES) await client.remove(modules, `default/${name}`);
    await eventually(
      "no label is left",
      async () => {
        const keys = (await client.list(nodes)).items.flatMap(({ metadata }) => Object.keys(metadata.labels ?? {}));
        return keys.some((key) => key.startsWith("module.farrier.dev/") || key.startsWith("kmm.")) ? undefined : true;
      },
      SOON,
    );
  }, 300_000);
});

// Two replicas of the whole program, as they are installed: one leads, and in the middle of two rollouts it is asked to end, or killed. The
// other goes on; what happened is read from every change that etcd committed.
import { afterAll, beforeAll, expect, test } from "vitest";
import { mixedFleet } from "../../sim/fleets/mixed-fleet.ts";
import { aSet, aTemplate, definitions, sets } from "../../sim/scenarios/daemon-set/set-fixture.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { ALL_DEFINITIONS } from "../../src/kinds/all-definitions.ts";
import { customResourceDefinition } from "../../src/kinds/schema/crd.ts";
import type { Client } from "../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../src/kube/resource.ts";
import { leases } from "../../src/runtime/lease/lease-record.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { judgeRollout, servingWith } from "../kinds/daemon-set/rollout-judge.ts";
import { type Observer, STORES_JSON, startObserver } from "../runtime/observer.ts";
import { type InstalledCluster, startInstalledCluster } from "./installed-cluster.ts";
import { type OperatorProcess, startOperatorProcess } from "./operator-process.ts";

const SOON = { deadlineMs: 90_000, everyMs: 200 };
const NODES = 12;
const BUDGET = 2;
/** Nodes that have moved when the leader goes. */
const MIDDLE = 3;
const KINDS = ["agent", "variants"] as const;

type AnyObject = KubeObject & { readonly spec?: JsonObject };
const variantSets: Resource<AnyObject> = {
  ...{ group: "farrier.dev", version: "v1alpha1", plural: "variantsets", kind: "VariantSet", namespaced: true },
};

describeWith("controllers", "two replicas of the program", (binaries) => {
  let world: InstalledCluster;
  let client: Client;
  let observer: Observer;
  const replicas = new Map<string, OperatorProcess>();

  beforeAll(async () => {
    world = await startInstalledCluster({ binaries, machines: mixedFleet({ count: NODES }), extraArgs: STORES_JSON });
    client = world.admin.client;
    observer = await startObserver(world.cluster.etcdPort);
    for (const source of ALL_DEFINITIONS) {
      await client.create(definitions, JSON.parse(JSON.stringify(customResourceDefinition(source))));
    }
    await eventually("sets can be listed", () => client.list(sets), SOON);
    await eventually("variants can be listed", () => client.list(variantSets), SOON);
    await Promise.all(["a", "b"].map(start));
    const rollingUpdate = { maxUnavailable: BUDGET };
    await client.create(sets, aSet({ patches: [], updateStrategy: { rollingUpdate } }));
    await client.create(variantSets, aVariantSet("1"));
    await serve("1", NODES);
  });
  afterAll(async () => {
    observer?.stop();
    for (const replica of replicas.values()) await replica.kill();
    await world?.stop();
  });

  const start = async (name: string) => {
    replicas.set(name, await startOperatorProcess(world.operatorKubeconfig, { name }));
  };
  const leader = () =>
    eventually(
      "somebody leads",
      async () => {
        const holder = (await client.get(leases, "farrier-system/farrier"))?.spec?.holderIdentity ?? "";
        return [...replicas].find(([name]) => holder.startsWith(`${name}_`));
      },
      SOON,
    );
  const record = (owner: string) =>
    observer.changes("pods", "default").filter(({ name }) => name.startsWith(`${owner}-`));
  const serve = (tag: string, count: number) =>
    eventually(
      `${count} nodes run ${tag}`,
      () => {
        const there = KINDS.map((owner) => servingWith(record(owner), tag));
        if (Math.min(...there) < count) throw new Error(`of ${KINDS.join(", ")} there run ${there.join(", ")}`);
        return true;
      },
      SOON,
    );
  const edit = async (tag: string) => {
    const patch = (spec: object) => ({ type: "merge", body: { spec } }) as const;
    await client.patch(sets, "default/agent", patch({ template: aTemplate(tag) }));
    await client.patch(variantSets, "default/variants", patch({ template: aTemplate(tag) }));
  };

  const goes: readonly (readonly [how: string, tag: string, go: (replica: OperatorProcess) => Promise<unknown>])[] = [
    [
      ...(["is asked to end", "2"] as const),
      async (replica) => {
        expect(await replica.end()).toBe(0);
        expect(replica.said()).toContain("asked to stop");
      },
    ],
    ["is killed", "3", (replica) => replica.kill()],
  ];

  test.each(goes)(
    "the leader %s: the other takes over, without a twin and within both budgets",
    async (_how, tag, go) => {
      const [first, replica] = await leader();
      await edit(tag);
      await serve(tag, MIDDLE);
      replicas.delete(first);
      await go(replica);
      const [second] = await leader();
      expect(second).not.toBe(first);
      await serve(tag, NODES);
      for (const owner of KINDS)
        expect([owner, judgeRollout(record(owner), NODES, BUDGET)]).toMatchObject([owner, { twins: [], breaches: [] }]);
      await start(first);
    },
  );

  test("every pod was taken once for each of the rollouts", () => {
    for (const owner of KINDS) expect(judgeRollout(record(owner), NODES, BUDGET).taken).toBe(goes.length * NODES);
  });
});

function aVariantSet(tag: string): AnyObject {
  return {
    ...{ apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet", metadata: { name: "variants", namespace: "default" } },
    spec: {
      ...{ template: aTemplate(tag), updateStrategy: { maxUnavailable: BUDGET } },
      ...{ variants: [{ name: "five", match: { kernel: "5.x" } }], default: {} },
    },
  };
}

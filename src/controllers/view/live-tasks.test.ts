import { afterEach, expect, test } from "vitest";
import { toyKind, toys } from "../../../sim/scenarios/operator/toy-kind.ts";
import { type AnyObject, pods } from "../../../sim/scenarios/operator/toy-picture.ts";
import { ToyWorld } from "../../../sim/scenarios/operator/toy-world.ts";
import { TASK_LABEL } from "../../core/decision/task.ts";
import type { Resource } from "../../kube/resource.ts";

const worlds: ToyWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end();
});

const jobs: Resource<AnyObject> = { group: "batch", version: "v1", plural: "jobs", kind: "Job", namespaced: true };
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };

/** A cluster in which an operator reads Jobs, and the keys of objects of ours that were looked at. */
async function aWorld() {
  const world = await new ToyWorld().up();
  worlds.push(world);
  const looked: string[] = [];
  const watching = {
    ...toyKind,
    reads: ["jobs", "pods", "daemonsets"] as const,
    observe: (...[snapshot, object]: Parameters<typeof toyKind.observe>) => {
      looked.push(object.name);
      return toyKind.observe(snapshot, object);
    },
  };
  const { operator } = world.operate({ kinds: [watching] });
  await world.toy("a", "v1");
  await world.clock.elapse(10_000);
  const owner = (await world.do(world.client.get(toys, "default/a")))?.metadata.uid ?? "";
  const make = (name: string, labels: Readonly<Record<string, string>>) => {
    const ownerReferences = [
      { apiVersion: "toys.example.dev/v1", kind: "Toy", name: "a", uid: owner, controller: true },
    ];
    const metadata = { name, namespace: "default", labels, ownerReferences };
    const spec = { suspend: true, template };
    return world.do(world.client.create(jobs, { apiVersion: "batch/v1", kind: "Job", metadata, spec }));
  };
  return { world, make, looked, snapshot: operator.view.snapshot };
}

test("Jobs are seen when they carry our label, and no others", async () => {
  const { world, make, snapshot } = await aWorld();
  await make("ours", { [TASK_LABEL]: "build" });
  await make("other", {});
  await world.clock.elapse(1_000);
  expect(snapshot.tasks().map(({ name }) => name)).toEqual(["ours"]);
});

test("the pods of our Jobs are seen, with their last words, and wake the owner of the Job; other people's are not held", async () => {
  const { world, make, snapshot, looked } = await aWorld();
  const job = await make("ours", { [TASK_LABEL]: "build" });
  const ownerReferences = [
    { apiVersion: "batch/v1", kind: "Job", name: "ours", uid: job.metadata.uid, controller: true },
  ];
  const pod = (name: string, labels: Readonly<Record<string, string>>) =>
    world.do(
      world.client.create(pods, {
        ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", labels, ownerReferences } },
        spec: template.spec,
      }),
    );
  await pod("p", { [TASK_LABEL]: "build" });
  await pod("q", {});
  await world.clock.elapse(10_000);
  const before = looked.length;
  const terminated = { exitCode: 1, reason: "Error", message: "make: Error 2" };
  const status = { phase: "Failed", containerStatuses: [{ name: "c", state: { terminated } }] };
  await world.do(world.client.patch(pods, "default/p", { type: "merge", body: { status } }, { subresource: "status" }));
  await world.clock.elapse(1_000);
  const seen = snapshot.podsOf(job.metadata.uid).map(({ name, lastWords }) => `${name}: ${lastWords}`);
  expect(seen).toEqual(["p: make: Error 2"]);
  expect(looked.length).toBeGreaterThan(before);
});

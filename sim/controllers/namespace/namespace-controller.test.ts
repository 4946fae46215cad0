// The end of a namespace and the accounts of a new one, over the embedded API server in virtual time.
import { describe, expect, test } from "vitest";
import type { Resource } from "../../../src/kube/resource.ts";
import { logToList } from "../../../src/runtime/log/testing/log-to-list.ts";
import { type ApiObject, NAMESPACES, PODS, SERVICE_ACCOUNTS } from "../api-resources.ts";
import { aPod, aWorld, conditionOf, type World } from "../testing/controllers-fixture.ts";

const MAPS: Resource<ApiObject> = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};

async function worldWithTeam(): Promise<World> {
  const world = await aWorld(["namespace", "service-account", "scheduler"]);
  await world.node("n");
  await world.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
  const metadata = { name: "m", namespace: "team" };
  await world.client.create(MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
  await world.client.create(PODS, { ...aPod("p"), metadata: { name: "p", namespace: "team" } });
  await world.pass(2_000);
  return world;
}

describe("a namespace", () => {
  test("has an account for its pods, again when somebody deletes it", async () => {
    const world = await worldWithTeam();
    expect((await world.list(SERVICE_ACCOUNTS, "team")).length).toBe(1);
    await world.client.remove(SERVICE_ACCOUNTS, "team/default");
    await world.pass(1_000);
    expect((await world.list(SERVICE_ACCOUNTS, "team")).length).toBe(1);
  });

  test("has one account although two controllers see that it has none", async () => {
    const { log, lines } = logToList();
    const world = await aWorld(["service-account"], { lagMs: 500, log });
    world.restart();
    await world.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
    await world.pass(5_000);
    expect((await world.list(SERVICE_ACCOUNTS, "team")).length).toBe(1);
    expect(lines).toEqual([]);
  });

  test("goes with all its content when it is deleted; others stay", async () => {
    const world = await worldWithTeam();
    await world.client.remove(NAMESPACES, "team");
    await world.pass(10_000);
    expect(await world.get(NAMESPACES, "team")).toBeUndefined();
    expect(await world.list(MAPS, "team")).toEqual([]);
    expect(await world.get(NAMESPACES, "default")).toBeDefined();
  });

  test("keeps everything else while a pod has not ended", async () => {
    const world = await worldWithTeam();
    world.fates.set("v1", "hangs");
    await world.client.remove(NAMESPACES, "team");
    await world.pass(10_000);
    expect((await world.list(MAPS, "team")).length).toBe(1);
    const namespace = await world.get(NAMESPACES, "team");
    // As the real one: of pods it says nothing.
    expect(conditionOf(namespace, "NamespaceContentRemaining")).toMatchObject({ status: "False" });
  });

  test("stays when one resource cannot be emptied, and says so; all others are", async () => {
    const world = await worldWithTeam();
    void world.crash();
    const refused = { status: 403, headers: {}, body: new TextEncoder().encode('{"kind":"Status","code":403}') };
    world.restart({
      transport: {
        stream: (request) => world.transport.stream(request),
        request: async (request) => (request.path.includes("/configmaps") ? refused : world.transport.request(request)),
      },
    });
    await world.client.remove(NAMESPACES, "team");
    await world.pass(10_000);
    const namespace = await world.get(NAMESPACES, "team");
    expect(conditionOf(namespace, "NamespaceDeletionContentFailure")).toMatchObject({ status: "True" });
    expect([(await world.list(MAPS, "team")).length, await world.list(SERVICE_ACCOUNTS, "team")]).toEqual([1, []]);
  });

  test("says which finalizers hold it, and goes when they are gone", async () => {
    const world = await worldWithTeam();
    await world.patch(MAPS, "team/m", { metadata: { finalizers: ["example.com/hold"] } });
    await world.client.remove(NAMESPACES, "team");
    await world.pass(10_000);
    const namespace = await world.get(NAMESPACES, "team");
    expect(conditionOf(namespace, "NamespaceContentRemaining")).toMatchObject({
      ...{ status: "True", message: "Some resources are remaining: configmaps. has 1 resource instances" },
    });
    expect(conditionOf(namespace, "NamespaceFinalizersRemaining")).toMatchObject({
      status: "True",
      message: "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
    });
    expect(conditionOf(namespace, "NamespaceDeletionContentFailure")).toMatchObject({ status: "False" });
    await world.patch(MAPS, "team/m", { metadata: { finalizers: null } });
    await world.pass(5_000);
    expect(await world.get(NAMESPACES, "team")).toBeUndefined();
  });
});

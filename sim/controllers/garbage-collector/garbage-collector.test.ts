// Owners and dependents on the embedded API server: the three ways of deletion, lost owners, and resources that come later.
import { describe, expect, test } from "vitest";
import { pause } from "../../../src/kube/clock.ts";
import type { OwnerReference, Resource } from "../../../src/kube/resource.ts";
import { logToList } from "../../../src/runtime/log/testing/log-to-list.ts";
import { type ApiObject, DEFINITIONS, NAMESPACES, NODES } from "../api-resources.ts";
import { aWorld, type World } from "../testing/controllers-fixture.ts";

const MAPS: Resource<ApiObject> = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};
const THINGS: Resource<ApiObject> = {
  group: "example.com",
  version: "v1",
  plural: "things",
  kind: "Thing",
  namespaced: true,
};

const SECRETS: Resource<ApiObject> = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };

async function make(world: World, name: string, owners: readonly ApiObject[] = [], more: Partial<OwnerReference> = {}) {
  const ownerReferences = owners.map(({ apiVersion, kind, metadata }) => ({
    ...{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "", ...more },
  }));
  const metadata = { name, namespace: "default", ownerReferences };
  return world.client.create(MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
}

const namesIn = async (world: World) => (await world.list(MAPS, "default")).map(({ metadata }) => metadata.name).sort();

describe("deletion", () => {
  test("in the background takes dependents of dependents, too", async () => {
    const world = await aWorld(["garbage-collector"]);
    const a = await make(world, "a");
    const b = await make(world, "b", [a]);
    await make(world, "c", [b]);
    await make(world, "other");
    await world.pass(1_000);
    await world.client.remove(MAPS, "default/a");
    await world.pass(2_000);
    expect(await namesIn(world)).toEqual(["other"]);
  });

  test("in the foreground lets the owner wait for the dependents that hold it", async () => {
    const world = await aWorld(["garbage-collector"]);
    const a = await make(world, "a");
    const b = await make(world, "b", [a], { blockOwnerDeletion: true });
    await make(world, "c", [b], { blockOwnerDeletion: true });
    await world.patch(MAPS, "default/c", { metadata: { finalizers: ["example.com/hold"] } });
    await world.pass(1_000);
    await world.client.remove(MAPS, "default/a", { propagation: "Foreground" });
    await world.pass(2_000);
    expect(await namesIn(world)).toEqual(["a", "b", "c"]);
    expect((await world.get(MAPS, "default/a"))?.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await world.patch(MAPS, "default/c", { metadata: { finalizers: null } });
    await world.pass(2_000);
    expect(await namesIn(world)).toEqual([]);
  });

  test("in the foreground does not wait for dependents that do not hold it", async () => {
    const world = await aWorld(["garbage-collector"]);
    const a = await make(world, "a");
    await make(world, "b", [a]);
    await world.patch(MAPS, "default/b", { metadata: { finalizers: ["example.com/hold"] } });
    await world.pass(1_000);
    await world.client.remove(MAPS, "default/a", { propagation: "Foreground" });
    await world.pass(2_000);
    expect(await namesIn(world)).toEqual(["b"]);
  });

  test("that orphans leaves the dependents without the owner", async () => {
    const world = await aWorld(["garbage-collector"]);
    const a = await make(world, "a");
    const b = await make(world, "b");
    await make(world, "c", [a, b]);
    await world.pass(1_000);
    await world.client.remove(MAPS, "default/a", { propagation: "Orphan" });
    await world.pass(2_000);
    expect(await namesIn(world)).toEqual(["b", "c"]);
    expect((await world.get(MAPS, "default/c"))?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(["b"]);
  });

  test("of two that own each other ends, in the foreground too", async () => {
    const world = await aWorld(["garbage-collector"]);
    const a = await make(world, "a");
    const b = await make(world, "b", [a], { blockOwnerDeletion: true });
    const { apiVersion, kind, metadata } = b;
    const ownerReferences = [{ apiVersion, kind, name: "b", uid: metadata.uid, blockOwnerDeletion: true }];
    await world.patch(MAPS, "default/a", { metadata: { ownerReferences } });
    await world.pass(1_000);
    await world.client.remove(MAPS, "default/a", { propagation: "Foreground" });
    await world.pass(5_000);
    expect(await namesIn(world)).toEqual([]);
  });
});

describe("an object", () => {
  test("goes when its owner never was, or was another of the same name", async () => {
    const world = await aWorld(["garbage-collector"]);
    const a = await make(world, "a");
    const stranger = { ...a, metadata: { ...a.metadata, uid: "00000000-0000-0000-0000-000000000000" } };
    await make(world, "b", [stranger]);
    await make(world, "c", [a, stranger]);
    await world.pass(2_000);
    expect(await namesIn(world)).toEqual(["a", "c"]);
    expect((await world.get(MAPS, "default/c"))?.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([
      a.metadata.uid,
    ]);
  });

  test("is found after a crash in between", async () => {
    const world = await aWorld(["garbage-collector"]);
    const a = await make(world, "a");
    await make(world, "b", [a]);
    await world.pass(1_000);
    void world.crash();
    await world.client.remove(MAPS, "default/a");
    await world.pass(1_000);
    expect(await namesIn(world)).toEqual(["b"]);
    world.restart();
    await world.pass(2_000);
    expect(await namesIn(world)).toEqual([]);
  });

  test("goes when the UID it names belongs to another kind, name or namespace", async () => {
    const world = await aWorld(["garbage-collector"]);
    const a = await make(world, "a");
    await make(world, "b", [{ ...a, metadata: { ...a.metadata, name: "another" } }]);
    await make(world, "c", [{ ...a, kind: "Secret" }]);
    await world.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: a.metadata.uid }];
    const metadata = { name: "d", namespace: "team", ownerReferences };
    await world.client.create(MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
    await world.pass(2_000);
    expect([await namesIn(world), await world.list(MAPS, "team")]).toEqual([["a"], []]);
  });

  test("without a namespace cannot be owned by one inside, and is left alone", async () => {
    const { log, lines } = logToList();
    const world = await aWorld(["garbage-collector"], { log });
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "none", uid: "none" }];
    await world.client.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "n", ownerReferences } });
    await world.pass(5_000);
    expect(await world.get(NODES, "n")).toBeDefined();
    expect(lines).toEqual([]);
  });

  test("of a kind that comes later is collected as well", async () => {
    const world = await aWorld(["garbage-collector"]);
    await world.pass(1_000);
    await world.client.create(DEFINITIONS, thingDefinition());
    await world.pass(1_000);
    const thing = await world.client.create(THINGS, {
      ...{ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "t", namespace: "default" } },
    });
    await make(world, "b", [thing]);
    await world.pass(1_000);
    expect(await namesIn(world)).toEqual(["b"]);
    await world.client.remove(THINGS, "default/t");
    await world.pass(2_000);
    expect(await namesIn(world)).toEqual([]);
  });

  test("of a kind that is gone is not judged, since nobody can say what became of its owner", async () => {
    const world = await aWorld(["garbage-collector"]);
    await world.client.create(DEFINITIONS, thingDefinition());
    await world.pass(1_000);
    await world.client.remove(DEFINITIONS, "things.example.com");
    await world.pass(1_000);
    await make(world, "b", [{ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "t", uid: "uid-t" } }]);
    await world.pass(5_000);
    expect(await namesIn(world)).toEqual(["b"]);
  });
});

describe("a resource that is slow to list", () => {
  /** A collector that gets no list of config maps before a moment; secrets own config maps and each other. */
  async function slowWorld(listedAfterMs: number) {
    const world = await aWorld([]);
    const secret = (name: string, more: Partial<ApiObject["metadata"]> = {}) =>
      world.client.create(SECRETS, {
        ...{ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default", ...more } },
      });
    const start = () =>
      world.restart({
        names: ["garbage-collector"],
        transport: {
          request: (request) => world.transport.request(request),
          stream: async (request) => {
            if (request.path.includes("configmaps")) await pause(world.clock, listedAfterMs, request.signal);
            return world.transport.stream(request);
          },
        },
      });
    return { world, secret, start };
  }

  test("keeps owners waiting until their dependents can be known", async () => {
    const { world, secret, start } = await slowWorld(10_000);
    const owner = await secret("owner");
    await make(world, "held", [owner], { blockOwnerDeletion: true });
    await world.patch(MAPS, "default/held", { metadata: { finalizers: ["example.com/hold"] } });
    await world.client.remove(SECRETS, "default/owner", { propagation: "Foreground" });
    start();
    await world.pass(20_000);
    expect(await world.get(SECRETS, "default/owner")).toBeDefined();
  });

  test("does not keep the others from being collected for ever", async () => {
    const { world, secret, start } = await slowWorld(1_000_000);
    const ownerReferences = [{ apiVersion: "v1", kind: "Secret", name: "none", uid: "none" }];
    await secret("lost", { ownerReferences });
    start();
    await world.pass(40_000);
    expect(await world.get(SECRETS, "default/lost")).toBeUndefined();
  });
});

function thingDefinition(): ApiObject {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const definition = {
    ...{
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.example.com" },
    },
    spec: {
      ...{ group: "example.com", scope: "Namespaced", names: { plural: "things", kind: "Thing", singular: "thing" } },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  return definition;
}

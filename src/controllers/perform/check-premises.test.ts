// Creates and deletes where no lease keeps other replicas away: what is read before them, and which are not sent.
import { describe, expect, test } from "vitest";
import { createApiServer } from "../../../sim/api-server/api-server.ts";
import { builtInKinds } from "../../../sim/api-server/built-in/built-in-kinds.ts";
import { aToy, toyDefinition, toyKind, toys } from "../../../sim/scenarios/operator/toy-kind.ts";
import { definitions, nodes } from "../../../sim/scenarios/operator/toy-picture.ts";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { CreateStep } from "../../core/decision/step.ts";
import type { Client } from "../../kube/client/client.ts";
import { createClient } from "../../kube/client/create-client.ts";
import { storedObject } from "../view/cluster-caches.ts";
import { findResourceAmong } from "../view/known-resources.ts";
import { createPremiseCheck, FRESH_MS } from "./check-premises.ts";
import { onBehalfOf } from "./on-behalf.ts";

const kinds = builtInKinds();
const why = "a test wants it";
const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default" } };

/** A toy and a large node with whatever else, both as they were seen; and the check of one pass. */
async function aWorld(get: (client: Client, clock: VirtualClock) => Client["get"] = (client) => client.get) {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, rand: seededRand(1), builtIn: kinds });
  const user = createClient({ transport: server.transport(), clock, rand: seededRand(2), fieldManager: "user" });
  await user.create(definitions, toyDefinition);
  const toy = await user.create(toys, aToy("a", "v1"));
  const labels = { size: "large", tick: "1" };
  const node = await user.create(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels } });
  const reads: string[] = [];
  const read = get(user, clock);
  const check = createPremiseCheck({
    ...{ kind: toyKind, clock, findResource: findResourceAmong([toyKind]), signal: new AbortController().signal },
    behalf: onBehalfOf(
      toyKind,
      { namespace: "default", name: "a" },
      { object: storedObject(toy), program: "toymaker" },
    ),
    client: {
      get: (resource, key, options) => {
        reads.push(`${resource.kind} ${key}`);
        return read(resource, key, options);
      },
    },
  });
  const premise = { target: { apiVersion: "v1", kind: "Node", name: "n1" }, uid: node.metadata.uid };
  const step: CreateStep = {
    do: "create",
    object,
    why,
    premises: [{ ...premise, labels: { size: "large", zone: undefined } }],
  };
  return { clock, user, check, step, reads };
}

type World = Awaited<ReturnType<typeof aWorld>>;
const relabel = (labels: object) => (world: World) =>
  world.user.patch(nodes, "n1", { type: "merge", body: { metadata: { labels: { ...labels } } } });

describe("a create whose premises", () => {
  test.each<[string, (world: World) => Promise<unknown>]>([
    ["have not changed", async () => undefined],
    ["have changed where it does not depend on them", relabel({ tick: "2" })],
    [
      "have a new status",
      (world) =>
        world.user.patch(toys, "default/a", { type: "merge", body: { metadata: { annotations: { a: "b" } } } }),
    ],
  ])("%s is sent", async (_about, change) => {
    const world = await aWorld();
    await change(world);
    expect(await world.check(world.step)).toBeUndefined();
    expect(world.reads).toEqual(["Toy default/a", "Node n1"]);
  });

  test.each<[string, (world: World) => Promise<unknown>]>([
    ["were edited", (world) => world.user.patch(toys, "default/a", { type: "merge", body: { spec: { image: "v2" } } })],
    ["are gone", (world) => world.user.remove(toys, "default/a")],
    [
      "were made anew",
      async (world) => {
        await world.user.remove(toys, "default/a");
        await world.user.create(toys, aToy("a", "v1"));
      },
    ],
    ["have another label", relabel({ size: "small" })],
    ["have a label more", relabel({ zone: "b" })],
    ["have a label less", relabel({ size: null })],
    [
      "are a node that was made anew",
      async (world) => {
        await world.user.remove(nodes, "n1");
        const labels = { size: "large" };
        await world.user.create(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels } });
      },
    ],
    ["are a node that is gone", (world) => world.user.remove(nodes, "n1")],
  ])("%s is not", async (_about, change) => {
    const world = await aWorld();
    await change(world);
    expect(await world.check(world.step)).toMatchObject({ did: "unsent" });
  });
});

test("one who has to stay, and was asked to go, is no premise any more, though it is still there", async () => {
  const world = await aWorld();
  const [premise] = world.step.premises ?? [];
  if (premise === undefined) throw new Error("the step has a premise");
  const staying = { ...world.step, premises: [{ ...premise, isStaying: true }] };
  const body = { metadata: { finalizers: ["example.org/wait"] } };
  await world.user.patch(nodes, "n1", { type: "merge", body });
  expect(await world.check(staying)).toBeUndefined();
  await world.user.remove(nodes, "n1");
  expect(await world.check(staying)).toMatchObject({ did: "unsent" });
  expect(await world.check(world.step)).toBeUndefined();
});

test("a read that fails is trouble that may pass, and nothing is sent", async () => {
  const world = await aWorld(() => () => Promise.reject(new Error("no connection")));
  expect(await world.check(world.step)).toMatchObject({ did: "failed" });
});

test("what the server takes too long to confirm is not sent: it may be another thing by then", async () => {
  const world = await aWorld((client, clock) => async (...asked) => {
    const answer = await client.get(...asked);
    await new Promise<void>((resolve) => void clock.after(FRESH_MS + 1, resolve));
    return answer;
  });
  const checked = world.check(world.step);
  await world.clock.elapse(FRESH_MS + 1);
  expect(await checked).toMatchObject({ did: "unsent" });
});

test("the object is read once for creates that follow each other closely, and again when time has passed", async () => {
  const world = await aWorld();
  const step = { ...world.step, premises: [] };
  await Promise.all([world.check(step), world.check(step)]);
  await world.check(step);
  expect(world.reads).toEqual(["Toy default/a"]);
  await world.clock.elapse(FRESH_MS + 1);
  await world.check(step);
  expect(world.reads).toEqual(["Toy default/a", "Toy default/a"]);
});

test("what stands by its name alone is not asked about", async () => {
  const { check, reads } = await aWorld();
  const step: CreateStep = { do: "create", object, why };
  expect([await check(step), reads]).toEqual([undefined, []]);
});

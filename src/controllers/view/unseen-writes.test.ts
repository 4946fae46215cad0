// What the operator has written counts until it has seen it, however long that takes: answers that are lost while a watch is silent.
import { afterEach, expect, test } from "vitest";
import { toys } from "../../../sim/scenarios/operator/toy-kind.ts";
import { brokenConnection, worldsFor } from "../../../sim/scenarios/operator/toy-world.ts";
import type { HttpRequest } from "../../kube/transport.ts";

const aWorld = worldsFor(afterEach);

const isOfPods = ({ path }: HttpRequest) => path.startsWith("/api/v1/pods");
const isOf = (method: string) => (request: HttpRequest) => request.method === method && request.path.includes("/pods");

/** A toy on nodes, and an operator of which the test says what it hears of pods and which answers about them it gets. */
async function aToyWorld(wanted: readonly string[]) {
  const world = await aWorld(wanted);
  const trouble = { isDeaf: false, loses: (_request: HttpRequest): boolean => false };
  world.operate({
    isDeafTo: (request) => trouble.isDeaf && isOfPods(request),
    fate: async (request, send) => {
      const answer = await send();
      if (trouble.loses(request)) throw brokenConnection();
      return answer;
    },
  });
  await world.clock.elapse(5_000);
  return { world, trouble };
}

test("a pod whose answers were lost has no twin when its name would be another one, however late the watch shows it", async () => {
  const { world, trouble } = await aToyWorld(["node-1"]);
  const twins = world.watchTwins();
  trouble.isDeaf = true;
  trouble.loses = isOf("POST");
  await world.toy("a", "v1");
  await world.clock.elapse(29_000);
  await world.setImage("a", "v2");
  trouble.loses = () => false;
  await world.clock.elapse(30_000);
  trouble.isDeaf = false;
  await world.clock.elapse(60_000);
  expect(twins.seen).toEqual([]);
  expect((await world.picture()).pods).toEqual(["node-1 v2 ready"]);
});

test("a pod that was deleted does not count as ready again, however long the watch is silent", async () => {
  const { world, trouble } = await aToyWorld(["node-1", "node-2", "node-3"]);
  const readyOf = async () => (await world.do(world.client.get(toys, "default/a")))?.status?.ready;
  await world.toy("a", "v1");
  await world.clock.elapse(20_000);
  expect(await readyOf()).toBe(3);
  trouble.isDeaf = true;
  await world.setImage("a", "v2");
  await world.clock.elapse(60_000);
  expect(await readyOf()).toBe(2);
  trouble.isDeaf = false;
  await world.clock.elapse(60_000);
  expect((await world.picture()).pods).toEqual(["node-1 v2 ready", "node-2 v2 ready", "node-3 v2 ready"]);
});

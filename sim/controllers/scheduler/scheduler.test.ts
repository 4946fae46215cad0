// Where pods go and why they go nowhere; in virtual time over the embedded API server.
import { describe, expect, test } from "vitest";
import { logToList } from "../../../src/runtime/log/testing/log-to-list.ts";
import { textAt } from "../../api-server/api-object.ts";
import { NODES, PODS } from "../api-resources.ts";
import { aPod, aWorld, conditionOf } from "../testing/controllers-fixture.ts";

describe("the scheduler", () => {
  test("says why no node takes a pod, and tries again when one changes", async () => {
    const world = await aWorld(["scheduler"]);
    await world.client.create(PODS, aPod("p", { nodeSelector: { disk: "large" } }));
    await world.pass(1_000);
    const message = async () =>
      textAt(conditionOf(await world.get(PODS, "default/p"), "PodScheduled") ?? {}, "message");
    expect(await message()).toBe("no nodes available to schedule pods");
    await world.node("a");
    await world.node("b", { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }], labels: { disk: "large" } });
    await world.pass(1_000);
    expect(await message()).toBe(
      "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint {gpu: yes}.",
    );
    await world.patch(NODES, "a", { metadata: { labels: { disk: "large" } } });
    await world.pass(1_000);
    expect((await world.get(PODS, "default/p"))?.spec?.nodeName).toBe("a");
  });

  test("spreads pods over nodes, also those it has bound a moment ago", async () => {
    const world = await aWorld(["scheduler"]);
    for (const name of ["a", "b", "c"]) await world.node(name);
    const wishes = Array.from({ length: 9 }, (_, place) => aPod(`p-${place}`));
    await Promise.all(wishes.map((pod) => world.client.create(PODS, pod)));
    await world.pass(1_000);
    const nodes = (await world.pods()).map(({ spec = {} }) => textAt(spec, "nodeName")).sort();
    expect(nodes).toEqual(["a", "a", "a", "b", "b", "b", "c", "c", "c"]);
  });

  test("leaves pods alone that are gated or meant for another scheduler", async () => {
    const world = await aWorld(["scheduler"]);
    await world.node("a");
    await world.client.create(PODS, aPod("gated", { schedulingGates: [{ name: "wait" }] }));
    await world.client.create(PODS, aPod("other", { schedulerName: "mine" }));
    await world.pass(1_000);
    expect((await world.pods()).map(({ spec = {} }) => textAt(spec, "nodeName"))).toEqual(["", ""]);
  });

  test("does not bind a pod that is to end", async () => {
    const world = await aWorld(["scheduler"]);
    const pod = aPod("p");
    await world.client.create(PODS, { ...pod, metadata: { ...pod.metadata, finalizers: ["example.com/hold"] } });
    await world.client.remove(PODS, "default/p");
    await world.node("a");
    await world.pass(1_000);
    expect(textAt((await world.get(PODS, "default/p"))?.spec ?? {}, "nodeName")).toBe("");
  });

  test("takes it in its stride that another one was faster", async () => {
    const { log, lines } = logToList();
    const world = await aWorld(["scheduler"], { lagMs: 500, log, pace: { scheduler: { minMs: 0, maxMs: 400 } } });
    world.restart();
    await world.node("a");
    for (const name of ["p", "q", "r"]) await world.client.create(PODS, aPod(name));
    await world.pass(5_000);
    expect((await world.pods()).map(({ spec = {} }) => textAt(spec, "nodeName"))).toEqual(["a", "a", "a"]);
    expect(lines).toEqual([]);
  });

  test("gives a reason once, however often it looks", async () => {
    const world = await aWorld([]);
    await world.client.create(PODS, aPod("p", { nodeSelector: { disk: "large" } }));
    await world.node("a");
    let patches = 0;
    world.restart({
      names: ["scheduler"],
      transport: {
        stream: (request) => world.transport.stream(request),
        request: (request) => {
          if (request.method === "PATCH") patches += 1;
          return world.transport.request(request);
        },
      },
    });
    await world.pass(1_000);
    for (const zone of ["x", "y", "z"]) {
      await world.patch(NODES, "a", { metadata: { labels: { zone } } });
      await world.pass(500);
    }
    expect(patches).toBe(1);
  });
});

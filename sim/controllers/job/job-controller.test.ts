// Jobs from start to end over the embedded API server in virtual time: success, failure, deadline, suspension, clean-up.
import { describe, expect, test } from "vitest";
import { type Clock, pause } from "../../../src/kube/clock.ts";
import type { Transport } from "../../../src/kube/transport.ts";
import { textAt } from "../../api-server/api-object.ts";
import { seededRand } from "../../seeded-rand.ts";
import { JOBS, PODS } from "../api-resources.ts";
import { aJob, aWorld, conditionOf, type World } from "../testing/controllers-fixture.ts";

const names = ["job", "scheduler", "garbage-collector"] as const;
const KEY = "default/j";

async function worldWith(spec: Parameters<typeof aJob>[2], image: string): Promise<World> {
  const world = await aWorld(names);
  world.fates.set("good", "succeeds").set("bad", "fails");
  await world.node("n");
  await world.client.create(JOBS, aJob("j", image, spec));
  return world;
}

const statusOf = async (world: World) => (await world.get(JOBS, KEY))?.status ?? {};
const typesOf = async (world: World) => {
  const { conditions } = await statusOf(world);
  return Array.isArray(conditions) ? conditions.map(({ type, status }) => `${type}=${status}`) : [];
};

describe("a job", () => {
  test("gets another pod for one that was deleted before a node was found for it, once that one is over", async () => {
    const world = await aWorld([...names, "pod-gc"]);
    await world.client.create(JOBS, aJob("j", "good", { podReplacementPolicy: "Failed" }));
    await world.pass(5_000);
    const [first] = await world.pods();
    await world.client.remove(PODS, `default/${first?.metadata.name}`, { gracePeriodSeconds: 0 });
    await world.pass(60_000);
    const [next, ...more] = await world.pods();
    expect(more).toEqual([]);
    expect([first?.metadata.name, undefined]).not.toContain(next?.metadata.name);
  });

  test("makes its pods, counts each of them once and is complete", async () => {
    const world = await worldWith({ completions: 5, parallelism: 2 }, "good");
    await world.pass(30_000);
    expect(await statusOf(world)).toMatchObject({
      succeeded: 5,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
    });
    expect(await typesOf(world)).toEqual(["SuccessCriteriaMet=True", "Complete=True"]);
    expect((await statusOf(world)).completionTime).toBeDefined();
    const pods = await world.pods();
    expect(pods.length).toBe(5);
    expect(pods.flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
    expect(pods[0]?.metadata.labels).toMatchObject({ "batch.kubernetes.io/job-name": "j", "job-name": "j" });
  });

  test("never runs more pods at once than allowed", async () => {
    const world = await worldWith({ completions: 5, parallelism: 2 }, "good");
    let most = 0;
    world.server.onCommit(({ table, object }) => {
      const status = typeof object.status === "object" && object.status !== null ? Object.entries(object.status) : [];
      if (table === "jobs.batch") most = Math.max(most, Number(Object.fromEntries(status).active ?? 0));
    });
    await world.pass(30_000);
    expect(most).toBe(2);
  });

  test("counts each pod once although its controller crashes again and again", async () => {
    const world = await worldWith({ completions: 6, parallelism: 3 }, "good");
    for (let crashes = 0; crashes < 12; crashes++) {
      await world.pass(750);
      void world.crash();
      world.restart({ pace: { job: { minMs: 0, maxMs: 300 } } });
    }
    await world.pass(30_000);
    expect(await statusOf(world)).toMatchObject({ succeeded: 6 });
    expect((await statusOf(world)).failed).toBeUndefined();
    expect(world.counts.created).toBe(6);
  });

  test("counts each pod once although it sees everything late", async () => {
    const world = await aWorld(names, { lagMs: 2_500 });
    world.fates.set("good", "succeeds");
    await world.node("n");
    await world.client.create(JOBS, aJob("j", "good", { completions: 4, parallelism: 2 }));
    for (let touch = 0; touch < 20; touch++) {
      await world.patch(JOBS, KEY, { metadata: { labels: { touched: `${touch}` } } });
      await world.pass(4_000);
    }
    expect(await typesOf(world)).toEqual(["SuccessCriteriaMet=True", "Complete=True"]);
    expect(await statusOf(world)).toMatchObject({ succeeded: 4 });
    expect(world.counts.created).toBe(4);
  });

  test("counts each pod once although two controllers look after it, both with an old picture", async () => {
    const world = await aWorld(names, { lagMs: 800, pace: { job: { minMs: 0, maxMs: 1_500 } } });
    world.restart({ rand: seededRand(9) });
    world.fates.set("good", "succeeds");
    await world.node("n");
    await world.client.create(JOBS, aJob("j", "good", { completions: 4, parallelism: 2 }));
    await world.pass(120_000);
    expect(await typesOf(world)).toContain("Complete=True");
    const ended = (await world.pods()).filter(({ status = {} }) => status.phase === "Succeeded");
    expect((await statusOf(world)).succeeded).toBe(ended.length);
  });

  test("holds its pods although one of two controllers does not know it yet", async () => {
    const world = await aWorld(names);
    world.restart({ names: ["job"], transport: lateFor("/jobs", world) });
    await world.node("n");
    await world.pass(5_000);
    await world.client.create(JOBS, aJob("j", "slow"));
    await world.pass(2_000);
    expect((await world.pods()).map(({ metadata }) => metadata.finalizers)).toEqual([
      ["batch.kubernetes.io/job-tracking"],
    ]);
  });

  test("of numbered completions is left alone", async () => {
    const world = await worldWith({ completions: 2, completionMode: "Indexed" }, "good");
    await world.pass(5_000);
    expect(await world.pods()).toEqual([]);
  });

  test("tries again with longer and longer pauses, and gives up at its limit", async () => {
    const world = await worldWith({ backoffLimit: 2 }, "bad");
    await world.pass(8_000);
    expect(await statusOf(world)).toMatchObject({ failed: 1 });
    await world.pass(7_000);
    expect(await statusOf(world)).toMatchObject({ failed: 2 });
    await world.pass(10_000);
    expect(await statusOf(world)).toMatchObject({ failed: 2 });
    await world.pass(15_000);
    expect(await statusOf(world)).toMatchObject({ failed: 3 });
    expect(await typesOf(world)).toEqual(["FailureTarget=True", "Failed=True"]);
    expect(conditionOf(await world.get(JOBS, KEY), "Failed")).toMatchObject({ reason: "BackoffLimitExceeded" });
    expect(world.counts).toEqual({ created: 3, deleted: 0 });
  });

  test("is ended by its deadline, and its pods with it", async () => {
    const world = await worldWith({ activeDeadlineSeconds: 10, parallelism: 2, completions: 2 }, "slow");
    await world.pass(8_000);
    expect(await statusOf(world)).toMatchObject({ active: 2, ready: 2 });
    await world.pass(10_000);
    expect(conditionOf(await world.get(JOBS, KEY), "Failed")).toMatchObject({ reason: "DeadlineExceeded" });
    expect(await statusOf(world)).toMatchObject({ failed: 2, ready: 0, terminating: 0 });
    expect(await world.pods()).toEqual([]);
  });

  test("that is suspended has no pods, and begins anew when it goes on", async () => {
    const world = await worldWith({ suspend: true }, "slow");
    await world.pass(3_000);
    expect(await typesOf(world)).toEqual(["Suspended=True"]);
    expect(await world.pods()).toEqual([]);
    await world.patch(JOBS, KEY, { spec: { suspend: false } });
    await world.pass(3_000);
    expect(await typesOf(world)).toEqual(["Suspended=False"]);
    expect(await statusOf(world)).toMatchObject({ active: 1, startTime: expect.any(String) });
    await world.patch(JOBS, KEY, { spec: { suspend: true } });
    await world.pass(5_000);
    expect(await world.pods()).toEqual([]);
    expect((await statusOf(world)).active).toBeUndefined();
  });

  test("is removed with its pods when its time after the end is over", async () => {
    const world = await worldWith({ ttlSecondsAfterFinished: 10 }, "good");
    await world.pass(8_000);
    expect(await typesOf(world)).toContain("Complete=True");
    await world.pass(15_000);
    expect(await world.get(JOBS, KEY)).toBeUndefined();
    expect(await world.pods()).toEqual([]);
  });

  test("that is deleted lets its pods go, also those that still ran", async () => {
    const world = await worldWith({ parallelism: 2, completions: 2 }, "slow");
    await world.pass(3_000);
    await world.client.remove(JOBS, KEY, { propagation: "Background" });
    await world.pass(5_000);
    expect(await world.pods()).toEqual([]);
  });

  test("replaces a pod that somebody deletes, and counts it as failed", async () => {
    const world = await worldWith({}, "slow");
    await world.pass(3_000);
    const [pod] = await world.pods();
    await world.client.remove(PODS, `default/${pod?.metadata.name}`);
    await world.pass(20_000);
    expect(await statusOf(world)).toMatchObject({ active: 1, failed: 1 });
    expect(textAt((await world.pods())[0]?.status ?? {}, "phase")).toBe("Running");
  });
});

/** The world's transport, but whatever a watch of this resource tells comes seconds later. */
function lateFor(resource: string, { transport, clock }: World): Transport {
  return {
    request: (request) => transport.request(request),
    stream: async (request) => {
      const stream = await transport.stream(request);
      if (!request.path.includes(resource)) return stream;
      return { ...stream, chunks: late(stream.chunks, clock) };
    },
  };
}

async function* late(chunks: AsyncIterable<Uint8Array>, clock: Clock): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    await pause(clock, 3_000);
    yield chunk;
  }
}

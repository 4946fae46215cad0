// Cache, queue and controller together on a real server that dies in the middle of the work: in the end every object is
// looked after, and at no time did two workers look after the same one.
import { afterAll, beforeAll, expect, test } from "vitest";
import { logToList } from "../../src/runtime/log/testing/log-to-list.ts";
import { cacheSource } from "../../src/runtime/queue/cache-source.ts";
import { Controller, type Reconcile } from "../../src/runtime/queue/controller.ts";
import { type Cluster, startCluster } from "../control-plane/cluster.ts";
import { type Connection, connect } from "../control-plane/connect.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { aConfigMap, configMaps, makeNamespace, newText } from "./config-maps.ts";
import { watchConfigMaps } from "./watched-cache.ts";

const OBJECTS = 200;
const WORKERS = 8;
const DONE_DEADLINE = { deadlineMs: 60_000 };

/** Who looks after which key at this moment. */
class Presence {
  readonly #present = new Set<string>();
  readonly crowded: string[] = [];
  /** The most keys that were looked after at once. */
  most = 0;

  async during(key: string, work: () => Promise<void>): Promise<void> {
    if (this.#present.has(key)) this.crowded.push(key);
    this.#present.add(key);
    this.most = Math.max(this.most, this.#present.size);
    try {
      await work();
    } finally {
      this.#present.delete(key);
    }
  }
}

describeWith("api", "a controller over a crash of the API server", (binaries) => {
  const namespace = "controlled";
  let cluster: Cluster;
  let connection: Connection;
  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api" });
    connection = connect(cluster.address, cluster.token(), "controller");
  });
  afterAll(async () => {
    connection?.close();
    await cluster?.stop();
  });

  test("every object is finished, each by one worker at a time, and then there is rest", async () => {
    const { client, clock, rand } = connection;
    await makeNamespace(client, namespace);
    const names = Array.from({ length: OBJECTS }, (_, index) => `object-${index}`);
    await Promise.all(names.map((name) => client.create(configMaps, aConfigMap(namespace, name))));
    const watched = await watchConfigMaps(connection, namespace);
    const presence = new Presence();
    const { log, lines } = logToList();
    const reconcile: Reconcile = async (key, { signal }) => {
      const text = watched.cache.get(key)?.text;
      if (text === undefined || text === "done") return undefined;
      // Two steps: the news of the first wakes the key while somebody is busy with the second.
      await presence.during(key, async () => {
        await client.patch(configMaps, key, newText("begun"), { signal });
        await client.patch(configMaps, key, newText("done"), { signal });
      });
      return undefined;
    };
    const controller = new Controller(
      {
        ...{ name: "finishing", workers: WORKERS, timeoutMs: 30_000, reconcile },
        sources: [cacheSource(watched.cache, ({ key }) => [key])],
        queue: { backOff: { baseMs: 100, maxMs: 2_000 }, spacingMs: 0, keysMax: 1_000 },
      },
      { clock, rand, log },
    );
    const done = () => [...watched.cache.values()].filter(({ text }) => text === "done").length;
    controller.start();
    await eventually("a third is done", () => done() >= OBJECTS / 3 || undefined, { ...DONE_DEADLINE, everyMs: 5 });
    await cluster.part("kube-apiserver").kill();
    const doneBefore = done();
    await cluster.part("kube-apiserver").start();
    await eventually("all is done", () => done() === OBJECTS || undefined, DONE_DEADLINE);
    const isAtRest = () => {
      const { depth, delayed, busy } = controller.readings();
      return depth + delayed + busy === 0 || undefined;
    };
    await eventually("the queue is empty", isAtRest, DONE_DEADLINE);
    await controller.stop(5_000);

    await watched.becomesSameAs(cluster);
    expect(done()).toBe(OBJECTS);
    expect(presence.crowded).toEqual([]);
    // The crash came in the middle and was felt, and the work was shared.
    expect(doneBefore).toBeLessThan(OBJECTS);
    expect(lines.filter(({ message }) => message === "reconcile failed").length).toBeGreaterThan(0);
    expect(presence.most).toBeGreaterThan(1);
    await watched.stop();
  });
});

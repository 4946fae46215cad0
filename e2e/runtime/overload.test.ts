// A server that turns requests away or fails for some seconds: the client slows down and comes back, loses no write that it
// called done, and never does twice what is not harmless twice.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ApiError } from "../../src/kube/client/api-error.ts";
import { CONCURRENCY_BOUNDS, ConcurrencyLimit } from "../../src/kube/client/concurrency-limit.ts";
import { createClient } from "../../src/kube/client/create-client.ts";
import { TransportError } from "../../src/kube/transport-error.ts";
import { type Cluster, startCluster } from "../control-plane/cluster.ts";
import { type Connection, connect } from "../control-plane/connect.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { type Decide, PASS } from "../control-plane/proxy/fault.ts";
import { startFaultProxy } from "../control-plane/proxy/fault-proxy.ts";
import { type BusyWriters, startMakers, startSetters, type Told, WRITERS } from "./busy-writers.ts";
import { configMaps, makeNamespace } from "./config-maps.ts";

/** How long the server refuses; nothing is awaited by it. */
const BURST_MS = 4_000;
const CALM_WRITES = 150;
const SOON = { deadlineMs: 30_000 };

/** Every third request is carried out and its answer lost, the others fail before anything is done. */
const FAILING: Decide = ({ number }) => (number % 3 === 0 ? { do: "lose-answer" } : { do: "answer", status: 503 });

describeWith("api", "a client and a server that has too much to do", (binaries) => {
  let cluster: Cluster;
  let admin: Connection;
  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api" });
    admin = connect(cluster.address, cluster.token(), "admin");
  });
  afterAll(async () => {
    admin?.close();
    await cluster?.stop();
  });

  /** A client behind a proxy, the requests that it sends per second, and how many it allows itself at once. */
  async function connectThroughProxy(namespace: string) {
    await makeNamespace(admin.client, namespace);
    const sentMs: number[] = [];
    const proxy = await startFaultProxy({
      ...{ target: cluster.address, certificate: cluster.certificate },
      observe: (moment) => void (moment === "received" && sentMs.push(performance.now())),
    });
    const connection = connect(proxy.address, cluster.token(), "busy");
    onTestFinished(async () => {
      connection.close();
      await proxy.stop();
    });
    const concurrency = new ConcurrencyLimit();
    const client = createClient({ ...connection, concurrency, fieldManager: "busy" });
    /** From a moment until now. */
    const rateSince = (fromMs: number) =>
      (sentMs.filter((ms) => ms >= fromMs).length * 1_000) / (performance.now() - fromMs);
    return { proxy, client, concurrency, rateSince };
  }

  /** Lets the writers work in calm, through the fault, and in calm again; gives the rates before and meanwhile. */
  async function burst(world: Awaited<ReturnType<typeof connectThroughProxy>>, writers: BusyWriters, fault: Decide) {
    const { proxy, concurrency, rateSince } = world;
    const startMs = performance.now();
    await eventually("calm writes", () => writers.told.length >= CALM_WRITES || undefined, SOON);
    const calm = rateSince(startMs);
    const faultMs = performance.now();
    proxy.decideWith(fault);
    await pause(BURST_MS);
    const meanwhile = rateSince(faultMs);
    const limit = concurrency.limit;
    proxy.decideWith(() => PASS);
    const isBack = () => rateSince(performance.now() - 1_000) >= calm / 2 || undefined;
    await eventually("the rate is as before", isBack, SOON);
    return { calm, meanwhile, limit };
  }

  /** The ids of all objects, each as often as there are objects with it. */
  async function idsIn(namespace: string): Promise<readonly string[]> {
    const { items } = await admin.client.list(configMaps, { namespace });
    return items.map(({ data }) => data?.id ?? "");
  }

  test("429 slows the client down until the server has room again; each object is made once", async () => {
    const world = await connectThroughProxy("too-many");
    const makers = startMakers(world.client, "too-many");
    const busy: Decide = () => ({ do: "answer", status: 429, retryAfterSeconds: 1 });
    const { calm, meanwhile, limit } = await burst(world, makers, busy);
    expect(meanwhile).toBeLessThan(Math.min(calm, rateMax([1_000, 1_000, 1_000, 1_000])));
    expect(limit).toBeLessThan(CONCURRENCY_BOUNDS.start);
    const isWideOpen = () => world.concurrency.limit >= CONCURRENCY_BOUNDS.start || undefined;
    await eventually("as many are in flight as before", isWideOpen, SOON);
    await makers.stop();
    // A server that says 429 has done nothing: what was called done is there once, and nothing else is.
    expect((await idsIn("too-many")).toSorted()).toEqual(idsOf(makers.told, isDone).toSorted());
  });

  test("what may have been done already is not done again when it is not harmless twice", async () => {
    const { proxy, client } = await connectThroughProxy("failing");
    const makers = startMakers(client, "failing");
    const toldOf = (isMeant: (told: Told) => boolean) => idsOf(makers.told, isMeant);
    await eventually("calm writes", () => makers.told.length >= 30 || undefined, SOON);
    let lost = 0;
    proxy.decideWith((request) => {
      const fault = FAILING(request);
      if (fault.do === "lose-answer") lost += 1;
      return fault;
    });
    await eventually("answers are lost", () => lost >= 30 || undefined, SOON);
    proxy.decideWith(() => PASS);
    const before = makers.told.length;
    await eventually("calm writes again", () => makers.told.length >= before + 30 || undefined, SOON);
    await makers.stop();
    // Done is done once, failed is not done, and what the client did not know was done once as well.
    const expected = [...toldOf(isDone), ...toldOf(isUnsure)];
    expect((await idsIn("failing")).toSorted()).toEqual(expected.toSorted());
    expect(makers.told.length).toBe(expected.length + toldOf(isFailed).length);
  });

  test("what is harmless twice is repeated ever more slowly until it is done", async () => {
    const world = await connectThroughProxy("setting");
    const setters = startSetters(world.client, "setting");
    const { calm, meanwhile } = await burst(world, setters, FAILING);
    expect(meanwhile).toBeLessThan(Math.min(calm, rateMax([100, 200, 400, 800])));
    await setters.stop();
    // Each writer's object holds its last number: nothing that was called done was lost, and nothing older came later.
    const last = new Map(idsOf(setters.told, isDone).map((id) => [id.split("-")[0], id]));
    expect((await idsIn("setting")).toSorted()).toEqual([...last.values()].toSorted());
  });
});

/** The requests per second of writers who are always refused and wait so long, or longer, before each repeat. */
function rateMax(waitsMs: readonly number[]): number {
  const perWrite = waitsMs.length + 1;
  const writeMs = waitsMs.reduce((sum, waitMs) => sum + waitMs, 0);
  // Each may have begun one write just before, and another just before the end.
  return WRITERS * ((perWrite * 1_000) / writeMs + (2 * 1_000) / BURST_MS);
}

function isDone({ trouble }: Told): boolean {
  return trouble === undefined;
}

function isFailed({ trouble }: Told): boolean {
  return trouble instanceof ApiError && trouble.status === 503;
}

/** The connection broke: the server may have done it or not. */
function isUnsure({ trouble }: Told): boolean {
  return trouble instanceof TransportError && trouble.reason === "broken";
}

function idsOf(told: readonly Told[], isMeant: (told: Told) => boolean): readonly string[] {
  return told.filter(isMeant).map(({ id }) => id);
}

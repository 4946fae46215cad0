import { expect, test } from "vitest";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { ApiError } from "../../kube/client/api-error.ts";
import type { Client } from "../../kube/client/client.ts";
import type { KubeObject, Stored } from "../../kube/resource.ts";
import { EVENT_LIMITS, type EventLimits, EventRecorder } from "./event-recorder.ts";
import type { Happening } from "./event-series.ts";
import { logToList } from "./testing/log-to-list.ts";

const about = { apiVersion: "v1", kind: "Thing", name: "a", namespace: "ns", uid: "uid-a" };
const aHappening = (overrides: Partial<Happening> = {}): Happening => ({
  ...{ about, type: "Normal", reason: "Created", message: "made one" },
  ...overrides,
});

function refusal(status: number, reason: string): ApiError {
  return new ApiError({ status, reason, message: "as the test wants", method: "POST", path: "/events" });
}

/** Events as the server holds them. An ApiError from `fail` is its answer, anything else a lost one. */
class EventServer {
  readonly events = new Map<string, Record<string, unknown>>();
  writes = 0;
  fail: (() => unknown) | undefined;
  isSilent = false;

  readonly client: Pick<Client, "create" | "patch"> = {
    create: <T extends KubeObject>(_: unknown, object: T) =>
      this.#answer(() => {
        const key = `${object.metadata.namespace}/${object.metadata.name}`;
        if (this.events.has(key)) throw refusal(409, "AlreadyExists");
        this.events.set(key, { ...object });
        return stored(object);
      }),
    patch: <T extends KubeObject>(_: unknown, key: string, patch: { readonly body: unknown }) =>
      this.#answer((): Stored<T> => {
        const event = this.events.get(key);
        if (event === undefined) throw refusal(404, "NotFound");
        Object.assign(event, patch.body);
        return JSON.parse(JSON.stringify(event));
      }),
  };

  async #answer<T>(serve: () => T): Promise<T> {
    this.writes += 1;
    if (this.isSilent) return new Promise(() => {});
    const failure = this.fail?.();
    if (failure instanceof ApiError) throw failure;
    const answer = serve();
    if (failure !== undefined) throw failure;
    return answer;
  }

  said(): readonly unknown[] {
    return [...this.events.values()].map(({ message, count }) => `${message} x${count}`);
  }
}

function stored<T extends KubeObject>(object: T): Stored<T> {
  return { ...object, metadata: { ...object.metadata, uid: "u", resourceVersion: "1" } };
}

function aRecorder(limits: Partial<EventLimits> = {}) {
  const clock = new VirtualClock();
  const server = new EventServer();
  const recorder = new EventRecorder({
    ...{ client: server.client, clock, rand: seededRand(1), log: logToList().log },
    ...{ component: "test", instance: "test-1", limits: { ...EVENT_LIMITS, ...limits } },
  });
  return { clock, server, recorder };
}

test("a happening becomes an Event beside its object, with all that kubectl shows", async () => {
  const { clock, server, recorder } = aRecorder();
  recorder.record(aHappening());
  await clock.elapse(0);
  expect([...server.events.entries()]).toEqual([
    [
      expect.stringMatching(/^ns\/a\.[0-9a-f]{16}$/),
      {
        ...{ apiVersion: "v1", kind: "Event", type: "Normal", reason: "Created", message: "made one", count: 1 },
        metadata: { namespace: "ns", name: expect.stringMatching(/^a\.[0-9a-f]{16}$/) },
        involvedObject: about,
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:00Z",
        source: { component: "test" },
        reportingComponent: "test",
        reportingInstance: "test-1",
      },
    ],
  ]);
});

test("an object without a namespace has its events in the default one; a long name is cut to a valid one", async () => {
  const { clock, server, recorder } = aRecorder();
  recorder.record(aHappening({ about: { ...about, name: `${"a.".repeat(126)}b`, namespace: "" } }));
  const { namespace: _, ...clusterWide } = about;
  recorder.record(aHappening({ about: { ...clusterWide, uid: "other" } }));
  await clock.elapse(0);
  const names = [...server.events.values()].map((event) => JSON.parse(JSON.stringify(event)).metadata);
  expect(names[0].name).toMatch(/^(a\.)+[0-9a-f]{16}$/);
  expect(names[0].name.length).toBeLessThanOrEqual(253);
  expect(names[1].namespace).toBe("default");
});

test("the same thing said a thousand times is one event with a count, and few writes", async () => {
  const { clock, server, recorder } = aRecorder();
  for (let i = 0; i < 1_000; i++) {
    recorder.record(aHappening());
    await clock.elapse(100);
  }
  await clock.elapse(60_000);
  expect(server.said()).toEqual(["made one x1000"]);
  expect(server.writes).toBeLessThanOrEqual(6);
  expect(recorder.readings()).toEqual({ written: server.writes, dropped: 0 });
});

test("different things about one object are limited, and an other object is not affected", async () => {
  const { clock, server, recorder } = aRecorder({ perObject: { burst: 3, perSecond: 0.001 } });
  for (let i = 0; i < 10; i++) recorder.record(aHappening({ message: `number ${i}` }));
  recorder.record(aHappening({ about: { ...about, uid: "uid-b" }, message: "other" }));
  await clock.elapse(5_000);
  expect(server.said()).toEqual(["number 0 x1", "number 1 x1", "number 2 x1", "other x1"]);
  expect(recorder.readings()).toEqual({ written: 4, dropped: 7 });
});

test("all writes together keep the total rate, and what does not fit is dropped and counted", async () => {
  const { clock, server, recorder } = aRecorder({ inTotal: { burst: 2, perSecond: 1 }, pendingMax: 5 });
  for (let i = 0; i < 20; i++) recorder.record(aHappening({ about: { ...about, uid: `uid-${i}` } }));
  await clock.elapse(0);
  expect(server.writes).toBe(2);
  await clock.elapse(2_000);
  expect(server.writes).toBe(4);
  await clock.elapse(60_000);
  expect(recorder.readings()).toEqual({ written: 5, dropped: 15 });
});

test("a server in trouble is asked again, and a lost answer makes no second event", async () => {
  const { clock, server, recorder } = aRecorder();
  const failures = [refusal(503, "Down"), new Error("connection lost")];
  server.fail = () => failures.shift();
  recorder.record(aHappening());
  await clock.elapse(120_000);
  expect(server.said()).toEqual(["made one x1"]);
  expect(recorder.readings()).toEqual({ written: 1, dropped: 0 });
});

test.each([
  ["refuses", refusal(403, "Forbidden"), 1],
  ["stays in trouble", refusal(500, "Down"), 4],
])("an event is dropped when the server %s", async (_, failure, writes) => {
  const { clock, server, recorder } = aRecorder();
  server.fail = () => failure;
  recorder.record(aHappening());
  await clock.elapse(600_000);
  expect([server.writes, recorder.readings()]).toEqual([writes, { written: 0, dropped: 1 }]);
});

test("an event that the server has forgotten is written anew when it happens again", async () => {
  const { clock, server, recorder } = aRecorder();
  recorder.record(aHappening());
  await clock.elapse(60_000);
  server.events.clear();
  recorder.record(aHappening());
  await clock.elapse(60_000);
  expect(server.said()).toEqual(["made one x2"]);
});

test("messages are cut to what API servers accept and carry no credentials", async () => {
  const { clock, server, recorder } = aRecorder();
  recorder.record(aHappening({ message: `Bearer s3cr3t-canary ${"ä".repeat(2_000)}` }));
  await clock.elapse(0);
  const [event] = [...server.events.values()];
  expect(String(event?.message)).toMatch(/^\[redacted\] ä+…$/);
  expect(Buffer.byteLength(String(event?.message))).toBeLessThanOrEqual(1_024);
});

test("a server that never answers holds nobody up, and stop() gives up on time", async () => {
  const { clock, server, recorder } = aRecorder();
  server.isSilent = true;
  recorder.record(aHappening());
  recorder.record(aHappening({ message: "second" }));
  let hasStopped = false;
  const stopped = recorder.stop(2_000).then(() => {
    hasStopped = true;
  });
  await clock.elapse(1_999);
  expect(hasStopped).toBe(false);
  await clock.elapse(1);
  await stopped;
  recorder.record(aHappening({ message: "too late" }));
  expect(recorder.readings().dropped).toBe(2);
});

test("stop() writes what is waiting first", async () => {
  const { clock, server, recorder } = aRecorder();
  recorder.record(aHappening());
  recorder.record(aHappening({ message: "second" }));
  const stopped = recorder.stop(2_000);
  await clock.elapse(10);
  await stopped;
  expect(server.said()).toEqual(["made one x1", "second x1"]);
});

test("messages that differ only behind the part that is written are one event, and their rest is not kept", async () => {
  const { clock, recorder, server } = aRecorder();
  for (let i = 0; i < 3; i++) recorder.record(aHappening({ message: `${"x".repeat(1_000_000)}${i}` }));
  await clock.elapse(60_000);
  expect(server.said()).toEqual([`${"x".repeat(1_021)}… x3`]);
});

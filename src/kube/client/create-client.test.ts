import { describe, expect, test } from "vitest";
import { type Scripted, ScriptedTransport } from "../../../sim/scripted-transport.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { KubeObject, Resource, Stored } from "../resource.ts";
import { TransportError } from "../transport-error.ts";
import type { UnreadAnswers } from "./client.ts";
import { createClient } from "./create-client.ts";

const pods: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const nodes: Resource = { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false };
const sets: Resource = { group: "apps", version: "v1", plural: "daemonsets", kind: "DaemonSet", namespaced: true };

const pod = (name: string): Stored<KubeObject> => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "web", uid: `uid-${name}`, resourceVersion: "7" },
});
const ok: Scripted = { status: 200, json: pod("a") };
const notFound: Scripted = { status: 404, json: { kind: "Status", reason: "NotFound", message: 'pods "a" not found' } };
const broken = new TransportError("broken", "the connection broke");

function stage(script: ConstructorParameters<typeof ScriptedTransport>[0], unreadAnswers: UnreadAnswers = new Map()) {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport(script);
  const client = createClient({ transport, clock, rand: { next: () => 0 }, fieldManager: "tester", unreadAnswers });
  /** Lets a call with retries run to its end. */
  const run = async <T>(call: Promise<T>): Promise<T> => {
    call.catch(() => undefined);
    await clock.elapse(600_000);
    return call;
  };
  const line = (index: number) => `${transport.requests[index]?.method} ${transport.requests[index]?.path}`;
  return { client, transport, run, line };
}

describe("get", () => {
  test("an object is found by its key, or is undefined", async () => {
    const { client, line } = stage([ok, notFound]);
    expect(await client.get(pods, "web/a")).toEqual(pod("a"));
    expect(await client.get(pods, "web/a")).toBeUndefined();
    expect(line(0)).toBe("GET /api/v1/namespaces/web/pods/a");
  });

  test("other refusals are errors", async () => {
    const { client } = stage([{ status: 403, json: { kind: "Status", reason: "Forbidden", message: "no" } }]);
    await expect(client.get(nodes, "w-1")).rejects.toThrow("GET /api/v1/nodes/w-1: 403 Forbidden: no");
  });

  test("the bytes are those that the server sent", async () => {
    const text = '{"metadata":{"name":"a"}, "2":0,"1":0, "big":9007199254740993 , "x":1.0}';
    const { client } = stage([{ status: 200, text }, notFound]);
    expect(new TextDecoder().decode(await client.getBytes(pods, "web/a"))).toBe(text);
    expect(await client.getBytes(pods, "web/a")).toBeUndefined();
  });

  test("integers beyond 2^53 keep their digits", async () => {
    const { client } = stage([{ status: 200, text: '{"metadata":{"name":"a","generation":9007199254740993}}' }]);
    expect((await client.get(pods, "web/a"))?.metadata.generation).toBe(9007199254740993n);
  });

  test.each([
    ["a page", { text: "<html>secret" }, "is not JSON"],
    ["a cut object", { text: '{"metadata":{"name":"secret"' }, "is not JSON"],
    ["a list", { json: [] }, "is no JSON object"],
    ["null", { text: "null" }, "is no JSON object"],
    ["an object without name", { json: { metadata: {} } }, "has no metadata.name"],
  ])("%s in place of an object is an error that does not quote it", async (_what, body, fault) => {
    const { client } = stage([{ status: 200, ...body }]);
    const error = await client.get(pods, "web/a").catch((e: unknown) => e as TransportError);
    expect(error).toBeInstanceOf(TransportError);
    expect(String(error)).toContain("GET /api/v1/namespaces/web/pods/a: the answer (status 200, application/json, ");
    expect(String(error)).toContain(fault);
    expect(`${error} ${String((error as Error).cause)}`).not.toContain("secret");
  });
});

describe("list", () => {
  const page = (names: readonly string[], next?: string): Scripted => ({
    status: 200,
    json: {
      kind: "PodList",
      metadata: { resourceVersion: "100", ...(next === undefined ? {} : { continue: next }) },
      items: names.map((name) => ({ metadata: { name, namespace: "web" } })),
    },
  });
  const expired: Scripted = { status: 410, json: { kind: "Status", reason: "Expired", message: "too old" } };
  const namesOf = (list: { readonly items: readonly KubeObject[] }) => list.items.map((item) => item.metadata.name);

  test("pages follow each other and make one list with the version of its snapshot", async () => {
    const { client, line } = stage([page(["a", "b"], "p2"), page(["c"])]);
    const list = await client.list(pods, { labelSelector: "app=x", pageSize: 2, resourceVersion: "5" });
    expect(namesOf(list)).toEqual(["a", "b", "c"]);
    expect(list.resourceVersion).toBe("100");
    expect(line(0)).toBe("GET /api/v1/pods?labelSelector=app%3Dx&limit=2&resourceVersion=5");
    expect(line(1)).toBe("GET /api/v1/pods?labelSelector=app%3Dx&limit=2&continue=p2");
  });

  test("items get the kind that lists leave out", async () => {
    const { client } = stage([page(["a"])]);
    const list = await client.list(sets, { namespace: "web" });
    expect(list.items[0]).toEqual({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "a", namespace: "web" },
    });
  });

  test("an unset version is a quorum read", async () => {
    const { client, line } = stage([page([])]);
    await client.list(nodes, { resourceVersion: "" });
    expect(line(0)).toBe("GET /api/v1/nodes?limit=500");
  });

  test("an expired position starts the list over; halves of two moments are never joined", async () => {
    const { client } = stage([page(["gone"], "p2"), expired, page(["a"], "p2"), page(["b"])]);
    expect(namesOf(await client.list(pods))).toEqual(["a", "b"]);
  });

  test("a position that expires each time is an error in the end", async () => {
    const { client, transport } = stage((request) => (request.path.includes("continue") ? expired : page(["a"], "p2")));
    await expect(client.list(pods)).rejects.toThrow("410 Expired: too old");
    expect(transport.requests).toHaveLength(8);
  });

  test("a version that is too old for the first page is the caller's to handle", async () => {
    const { client, transport } = stage([expired]);
    await expect(client.list(pods, { resourceVersion: "1", resourceVersionMatch: "Exact" })).rejects.toThrow("410");
    expect(transport.requests).toHaveLength(1);
  });

  test("a server that hands out the same position again does not hold us for ever", async () => {
    const { client } = stage(() => page(["a"], "p2"));
    await expect(client.list(pods)).rejects.toThrow("a list did not end after 2 pages");
  });

  test("null in place of no items is an empty list; no list at all is an error", async () => {
    const { client } = stage([
      { status: 200, json: { metadata: { resourceVersion: "1" }, items: null } },
      { status: 200, json: { metadata: { resourceVersion: "1" }, items: {} } },
      { status: 200, json: { items: [] } },
    ]);
    expect((await client.list(pods)).items).toEqual([]);
    await expect(client.list(pods)).rejects.toThrow("has no items");
    await expect(client.list(pods)).rejects.toThrow("has no metadata.resourceVersion");
  });
});

describe("what the writing verbs send", () => {
  test("create posts the object to its collection", async () => {
    const { client, transport, line } = stage([{ status: 201, json: pod("a") }]);
    const object: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "web" } };
    await client.create(pods, object, { dryRun: true, fieldValidation: "Strict" });
    expect(line(0)).toBe("POST /api/v1/namespaces/web/pods?fieldManager=tester&dryRun=All&fieldValidation=Strict");
    expect(transport.sent(0)).toEqual(object);
  });

  test("update replaces a version, and refuses to replace whatever is there", async () => {
    const { client, transport, line } = stage([ok]);
    await client.update(pods, pod("a"), { subresource: "status" });
    expect(line(0)).toBe("PUT /api/v1/namespaces/web/pods/a/status?fieldManager=tester");
    expect(transport.sent(0)).toEqual(pod("a"));
    const unread = { ...pod("a"), metadata: { ...pod("a").metadata, resourceVersion: "" } };
    await expect(client.update(pods, unread)).rejects.toThrow('pods "web/a" has no resourceVersion to replace');
  });

  test("apply names its field manager", async () => {
    const { client, transport, line } = stage([ok, ok]);
    const object = { apiVersion: "v1", kind: "Node", metadata: { name: "w-1", labels: { a: "b" } } };
    await client.apply(nodes, object);
    await client.apply(nodes, object, { fieldManager: "other", force: true });
    expect(line(0)).toBe("PATCH /api/v1/nodes/w-1?fieldManager=tester");
    expect(line(1)).toBe("PATCH /api/v1/nodes/w-1?fieldManager=other&force=true");
    expect(transport.requests[0]?.headers["content-type"]).toBe("application/apply-patch+yaml");
    expect(transport.sent(0)).toEqual(object);
  });

  test.each([
    ["merge", "application/merge-patch+json"],
    ["strategic", "application/strategic-merge-patch+json"],
  ] as const)("a %s patch has its own type", async (type, contentType) => {
    const { client, transport, line } = stage([ok]);
    await client.patch(pods, "web/a", { type, body: { status: { x: 1 } } }, { subresource: "status" });
    expect(line(0)).toBe("PATCH /api/v1/namespaces/web/pods/a/status?fieldManager=tester");
    expect(transport.requests[0]?.headers["content-type"]).toBe(contentType);
    expect(transport.sent(0)).toEqual({ status: { x: 1 } });
  });

  test("a JSON patch is a list of steps", async () => {
    const { client, transport } = stage([ok]);
    await client.patch(pods, "web/a", { type: "json", body: [{ op: "remove", path: "/spec/x" }] });
    expect(transport.requests[0]?.headers["content-type"]).toBe("application/json-patch+json");
    expect(transport.sent(0)).toEqual([{ op: "remove", path: "/spec/x" }]);
  });

  test("delete carries its preconditions and its policy", async () => {
    const { client, transport, line } = stage([ok, ok]);
    await client.remove(pods, "web/a", {
      uid: "u",
      resourceVersion: "7",
      propagation: "Foreground",
      gracePeriodSeconds: 0,
      dryRun: true,
    });
    await client.remove(pods, "web/a");
    expect(line(0)).toBe("DELETE /api/v1/namespaces/web/pods/a");
    expect(transport.sent(0)).toEqual({
      apiVersion: "v1",
      kind: "DeleteOptions",
      preconditions: { uid: "u", resourceVersion: "7" },
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      dryRun: ["All"],
    });
    expect(transport.sent(1)).toEqual({ apiVersion: "v1", kind: "DeleteOptions" });
  });

  test("a long number goes out as it came in", async () => {
    const { client, transport } = stage([ok]);
    await client.patch(pods, "web/a", { type: "merge", body: { spec: { big: 9223372036854775807n } } });
    expect(transport.requests[0]?.body).toBe('{"spec":{"big":9223372036854775807}}');
  });

  test("an object in the wrong scope is refused before anything is sent", async () => {
    const { client } = stage([]);
    const lost: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    const bound: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "a", namespace: "web" } };
    await expect(client.create(pods, lost)).rejects.toThrow('pods "a" needs a namespace');
    await expect(client.create(nodes, bound)).rejects.toThrow('nodes "a" cannot have a namespace');
  });
});

describe("which writes survive a lost answer", () => {
  type Verb = (client: ReturnType<typeof createClient>) => Promise<unknown>;
  const named: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "web" } };
  const nameless = { ...named, metadata: { name: "", generateName: "a-", namespace: "web" } };

  test.each<[string, boolean, Verb]>([
    ["create with a name", true, (client) => client.create(pods, named)],
    ["create with a name that the server makes up", false, (client) => client.create(pods, nameless)],
    ["... unless the caller says so", true, (client) => client.create(pods, nameless, { repeatable: true })],
    ["update", true, (client) => client.update(pods, pod("a"))],
    ["apply", true, (client) => client.apply(pods, named)],
    ["a merge patch", false, (client) => client.patch(pods, "web/a", { type: "merge", body: {} })],
    [
      "... that names a version",
      true,
      (client) => client.patch(pods, "web/a", { type: "merge", body: { metadata: { resourceVersion: "7" } } }),
    ],
    [
      "... that the caller knows to be harmless",
      true,
      (client) => client.patch(pods, "web/a", { type: "merge", body: {} }, { repeatable: true }),
    ],
    ["a JSON patch", false, (client) => client.patch(pods, "web/a", { type: "json", body: [] })],
    [
      "... that tests the version",
      true,
      (client) =>
        client.patch(pods, "web/a", {
          type: "json",
          body: [{ op: "test", path: "/metadata/resourceVersion", value: "7" }],
        }),
    ],
    ["delete by name alone", false, (client) => client.remove(pods, "web/a")],
    ["delete of a UID", true, (client) => client.remove(pods, "web/a", { uid: "u" })],
  ])("%s: %s", async (_what, survives, verb) => {
    const { client, run } = stage([broken, ok]);
    const end = await run(
      verb(client).then(
        () => "done",
        (error: unknown) => error,
      ),
    );
    expect(end).toBe(survives ? "done" : broken);
  });
});

describe("delete of what is gone", () => {
  test("is no error, and says so", async () => {
    const { client } = stage([notFound, ok]);
    expect(await client.remove(pods, "web/a", { uid: "u" })).toBe(false);
    expect(await client.remove(pods, "web/a", { uid: "u" })).toBe(true);
  });

  test("counts as ours when the first answer was lost", async () => {
    const { client, run } = stage([broken, notFound]);
    expect(await run(client.remove(pods, "web/a", { uid: "u" }))).toBe(true);
  });

  test("does not count as ours when the first request was turned away or never sent", async () => {
    for (const first of [{ status: 429 }, new TransportError("unreachable", "connection refused")]) {
      const { client, run } = stage([first, notFound]);
      expect(await run(client.remove(pods, "web/a", { uid: "u" }))).toBe(false);
    }
  });

  test("another object of that name is a conflict", async () => {
    const { client } = stage([{ status: 409, json: { kind: "Status", reason: "Conflict", message: "uid mismatch" } }]);
    await expect(client.remove(pods, "web/a", { uid: "old" })).rejects.toThrow("409 Conflict: uid mismatch");
  });
});

describe("members of answers that nobody reads", () => {
  const unread = new Map([["pods", { written: ["spec.containers"] }]]);
  const kept = { spec: { nodeName: "w-1" }, status: { observed: 1 } };
  const whole = {
    ...pod("a"),
    metadata: { ...pod("a").metadata, managedFields: [{ manager: "tester" }] },
    ...{ spec: { containers: [{ name: "main" }], nodeName: "w-1" }, status: { observed: 1 } },
  };
  const merge = { type: "merge", body: {} } as const;

  test("are left out of what the server answers to a write", async () => {
    const { client } = stage(
      [
        { status: 201, json: whole },
        { status: 200, json: whole },
      ],
      unread,
    );
    expect(await client.create(pods, pod("a"))).toEqual({ ...pod("a"), ...kept });
    expect(await client.patch(pods, "web/a", merge)).toEqual({ ...pod("a"), ...kept });
  });

  test("are not even asked for of what was created, where its maker goes by what it sent", async () => {
    const { metadata } = whole;
    const { client, transport } = stage(
      [
        { status: 201, json: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata } },
        { status: 201, json: whole },
        { status: 200, json: whole },
      ],
      new Map([["pods", { written: ["spec.containers"], created: "metadata" as const }]]),
    );
    const sent = { ...pod("a"), spec: { nodeName: "w-2" } };
    const stored = { ...sent, metadata: pod("a").metadata };
    expect(await client.create(pods, sent)).toEqual(stored);
    // A server that knows nothing of this sends the whole object.
    expect(await client.create(pods, sent)).toEqual(stored);
    expect(await client.patch(pods, "web/a", merge)).toEqual({ ...pod("a"), ...kept });
    const part = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
    expect(transport.requests.map(({ headers }) => headers.accept)).toEqual([part, part, "application/json"]);
  });

  test("stay in what is read, and in answers of other resources", async () => {
    const { client } = stage(
      [
        { status: 200, json: whole },
        { status: 200, json: whole },
      ],
      unread,
    );
    expect(await client.get(pods, "web/a")).toEqual(whole);
    expect(await client.patch(sets, "web/a", merge)).toEqual(whole);
  });

  test("change nothing about what is no object, or about long numbers", async () => {
    const long = '{"spec":{"containers":[]},"metadata":{"name":"a","generation":9007199254740993}}';
    const { client } = stage(
      [
        { status: 200, text: '{"spec":{"containers":[' },
        { status: 200, text: long },
      ],
      unread,
    );
    await expect(client.patch(pods, "web/a", merge)).rejects.toThrow("is not JSON");
    expect((await client.patch(pods, "web/a", merge)).metadata.generation).toBe(9007199254740993n);
  });
});

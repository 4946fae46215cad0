// Single steps on the embedded API server: what each writes, and what comes of it when the world is not as it was believed to be.
import { describe, expect, test } from "vitest";
import { createApiServer } from "../../../sim/api-server/api-server.ts";
import { builtInKinds } from "../../../sim/api-server/built-in/built-in-kinds.ts";
import { GROUP, toyDefinition, toyKind, toys } from "../../../sim/scenarios/operator/toy-kind.ts";
import { daemonSets, definitions, nodes, pods } from "../../../sim/scenarios/operator/toy-picture.ts";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { ObjectBody, PatchStep, Step } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { createClient } from "../../kube/client/create-client.ts";
import type { Transport } from "../../kube/transport.ts";
import { TransportError } from "../../kube/transport-error.ts";
import type { Happening } from "../../runtime/log/event-series.ts";
import { storedObject } from "../view/cluster-caches.ts";
import { findResourceAmong } from "../view/known-resources.ts";
import { LEDGER_LIMITS, Ledger, type Write } from "../view/ledger.ts";
import type { PremiseCheck } from "./check-premises.ts";
import { onBehalfOf } from "./on-behalf.ts";
import { performStep } from "./perform-step.ts";
import type { Performer } from "./step-performer.ts";
import type { StepResult } from "./step-result.ts";

const kinds = builtInKinds();
const why = "a test wants it";

/** A cluster with one toy, and a performer in its name. */
async function aWorld() {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, rand: seededRand(1), builtIn: kinds });
  const ports = { transport: server.transport(), clock, rand: seededRand(2) };
  const user = createClient({ ...ports, fieldManager: "user" });
  await user.create(definitions, toyDefinition);
  const spec = { image: "v1" };
  const metadata = { name: "a", namespace: "default" };
  const toy = await user.create(toys, { apiVersion: `${GROUP}/v1`, kind: "Toy", metadata, spec });
  const written: string[] = [];
  server.onCommit(({ table, key, type }) => written.push(`${type} ${table} ${key}`));
  const events: Happening[] = [];
  const calls: string[] = [];
  const ledger = new Ledger({ clock, versionOf: () => "", sightOf: () => undefined });
  const performer: Performer = {
    client: createClient({ ...ports, fieldManager: "toymaker", onCall: ({ verb }) => calls.push(verb) }),
    ...{ ledger, findResource: findResourceAmong([toyKind]), signal: new AbortController().signal },
    events: { record: (happening) => events.push(happening) },
    behalf: onBehalfOf(toyKind, metadata, {
      object: storedObject(JSON.parse(JSON.stringify(toy))),
      program: "toymaker",
    }),
  };
  const owner = { apiVersion: `${GROUP}/v1`, kind: "Toy", name: "a", uid: toy.metadata.uid, controller: true };
  const aPod = (labels: JsonObject = { rev: "1" }, owners: readonly JsonObject[] = [owner]): ObjectBody => ({
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name: "p", namespace: "default", labels, ownerReferences: [...owners] },
    spec: { containers: [{ name: "main", image: "v1" }], nodeName: "n1" },
  });
  return {
    clock,
    calls,
    user,
    performer,
    events,
    ledger,
    written,
    toy,
    owner,
    aPod,
    perform: (step: Step) => performStep(step, performer),
  };
}

const podRef = { apiVersion: "v1", kind: "Pod", namespace: "default", name: "p" };

describe("create", () => {
  test("a repeat finds what the first one made", async () => {
    const { perform, aPod, written } = await aWorld();
    const step: Step = { do: "create", object: aPod(), why };
    expect([await perform(step), await perform(step)]).toEqual([{ did: "done" }, { did: "done" }]);
    expect(written).toEqual(["ADDED pods default/p"]);
  });

  test.each([
    ["an object of nobody", { rev: "1" }, []],
    [
      "one that somebody else controls",
      { rev: "1" },
      [{ apiVersion: "v1", kind: "Node", name: "x", uid: "x", controller: true }],
    ],
  ])("%s under our name is a conflict, and is not counted as ours", async (_, labels, owners) => {
    const { perform, aPod, user, ledger } = await aWorld();
    await user.create(pods, aPod(labels, owners));
    expect(await perform({ do: "create", object: aPod(), why })).toMatchObject({
      did: "refused",
      reason: "NameConflict",
    });
    expect(ledger.size).toBe(0);
  });

  test("our own object with other content under the name is a conflict that names the label", async () => {
    const { perform, aPod, user } = await aWorld();
    await user.create(pods, aPod({ rev: "2" }));
    const result = await perform({ do: "create", object: aPod({ rev: "1" }), why });
    expect(result).toMatchObject({ did: "refused", because: expect.stringContaining('label "rev"') });
  });

  test("a predecessor that is being deleted has to be waited for", async () => {
    const { perform, aPod, user } = await aWorld();
    const body = aPod();
    await user.create(pods, { ...body, metadata: { ...body.metadata, finalizers: ["tests.example.dev/stay"] } });
    await user.remove(pods, "default/p", { gracePeriodSeconds: 0 });
    expect(await perform({ do: "create", object: aPod(), why })).toMatchObject({ did: "failed" });
  });

  test("what the server finds invalid is refused, and is not counted as made", async () => {
    const { perform, aPod, ledger } = await aWorld();
    const result = await perform({ do: "create", object: { ...aPod(), spec: { containers: [] } }, why });
    expect([result.did, "reason" in result && result.reason, ledger.size]).toEqual(["refused", "InvalidSpec", 0]);
  });
});

describe("a patch counts before it is answered", () => {
  const notReady = { conditions: [{ type: "Ready", status: "False" }] };
  test.each<[string, Pick<PatchStep, "patch" | "subresource">, Write["does"]]>([
    ["as a withdrawal", { patch: { metadata: { uid: "u" }, status: notReady }, subresource: "status" }, "withdraw"],
    ["as nothing that matters", { patch: { status: { phase: "Running" } }, subresource: "status" }, "report"],
    ["as a change", { patch: { metadata: { uid: "u", labels: { a: "b" } } } }, "change"],
  ])("%s", async (_about, how, does) => {
    const { perform, ledger } = await aWorld();
    const sent: Write["does"][] = [];
    ledger.changes(({ resource, key }) => sent.push(...ledger.at(resource, key).map(({ write }) => write.does)));
    await perform({ do: "patch", target: podRef, patchType: "merge", why, ...how });
    expect(sent).toEqual([does]);
  });
});

describe("what takes a pod away:", () => {
  const metadata = { labels: { leaves: "soon" } };
  const marking = { do: "patch", target: podRef, patchType: "merge", patch: { metadata }, premises: [], why } as const;

  test.each<[string, (uid: string) => Step, string]>([
    ["delete", (uid) => ({ do: "delete", target: podRef, uid, propagation: "Background", why }), "DELETE"],
    ["mark", () => marking, "PATCH"],
  ])(
    "a %s is not sent again when nobody has answered for long: it may serve alone by then",
    async (_, stepOf, method) => {
      const { performer, clock, aPod, user } = await aWorld();
      const { uid } = (await user.create(pods, aPod())).metadata;
      const sent: string[] = [];
      const mute: Transport = {
        request: (request) => {
          sent.push(request.method);
          const late = () => new TransportError("timeout", "late");
          return new Promise((_, reject) => request.signal?.addEventListener("abort", () => reject(late())));
        },
        stream: () => new Promise(() => undefined),
      };
      const client = createClient({ transport: mute, clock, rand: seededRand(3), fieldManager: "toymaker" });
      const result = performStep(stepOf(uid), { ...performer, client });
      await clock.elapse(120_000);
      expect([(await result).did, sent]).toEqual(["failed", [method]]);
    },
  );
});

describe("where another replica may act", () => {
  const patch = { metadata: { labels: { seen: "yes" } } };

  test.each<[string, (object: ObjectBody, uid: string) => Step]>([
    ["create", (object) => ({ do: "create", object: { ...object, metadata: { ...object.metadata, name: "q" } }, why })],
    ["patch", () => ({ do: "patch", target: podRef, patchType: "merge", patch, why })],
    ["delete", (_object, uid) => ({ do: "delete", target: podRef, uid, propagation: "Background", why })],
  ])("what a %s follows from is asked for before it is sent", async (_do, stepOf) => {
    const { performer, aPod, user, written } = await aWorld();
    const step = stepOf(aPod(), (await user.create(pods, aPod())).metadata.uid);
    const objection: StepResult = { did: "unsent", because: "it is another wish by now" };
    const check: PremiseCheck = async ({ premises }) => premises && objection;
    const guarded = { ...performer, guard: { check, client: performer.client } };
    written.length = 0;
    expect([await performStep({ ...step, premises: [] }, guarded), written]).toEqual([objection, []]);
    expect([(await performStep(step, guarded)).did, written.length > 0]).toEqual(["done", true]);
  });
});

describe("apply", () => {
  const node = (uid: string, labels: JsonObject): ObjectBody => ({
    ...{ apiVersion: "v1", kind: "Node", metadata: { name: "n1", uid, labels } },
  });
  const makeNode = async ({ user }: Awaited<ReturnType<typeof aWorld>>) =>
    (await user.create(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } })).metadata.uid;

  test("sets our fields and takes away what we no longer want, and nothing else", async () => {
    const world = await aWorld();
    const uid = await makeNode(world);
    await world.perform({ do: "apply", object: node(uid, { "x.dev/a": "1", "x.dev/b": "1" }), why });
    await world.perform({ do: "apply", object: node(uid, { "x.dev/b": "2" }), why });
    const labels = (await world.user.get(nodes, "n1"))?.metadata.labels ?? {};
    expect([labels["x.dev/a"], labels["x.dev/b"]]).toEqual([undefined, "2"]);
  });

  test("a node that is gone is not made anew, and neither is its successor labelled", async () => {
    const world = await aWorld();
    const step: Step = { do: "apply", object: node("00000000-0000-4000-8000-000000000000", { "x.dev/a": "1" }), why };
    expect((await world.perform(step)).did).toBe("failed");
    expect(await world.user.get(nodes, "n1")).toBeUndefined();
    await makeNode(world);
    expect((await world.perform(step)).did).toBe("failed");
  });

  test("an apply to a node without its UID is a mistake of ours", async () => {
    const { perform } = await aWorld();
    await expect(perform({ do: "apply", object: node("", {}), why })).rejects.toThrow("UID");
  });

  test("a label that must be gone and that somebody else holds too is put back as it was, and refused with their name", async () => {
    const world = await aWorld();
    const uid = await makeNode(world);
    const [label, mark] = ["x.dev/a", "x.dev/mark"];
    const bound = { [label]: "1", [mark]: "yes" };
    await world.perform({ do: "apply", object: node(uid, bound), why });
    const theirs = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels: { [label]: "1" } } };
    await world.user.apply(nodes, theirs, { fieldManager: "rival" });
    const step: Step = { do: "apply", object: node(uid, {}), gone: bound, why };
    const because = expect.stringMatching(/^"x\.dev\/a" is held by "rival"/);
    expect(await world.perform(step)).toEqual({ did: "refused", reason: "LabelContested", because });
    const labels = async () => (await world.user.get(nodes, "n1"))?.metadata.labels;
    expect(await labels()).toMatchObject(bound);
    await world.user.apply(nodes, { ...theirs, metadata: { name: "n1" } }, { fieldManager: "rival" });
    expect(await labels()).toMatchObject(bound);
    expect(await world.perform(step)).toEqual({ did: "done" });
    expect(Object.keys((await labels()) ?? {}).filter((key) => key in bound)).toEqual([]);
  });

  test("a label that somebody else set otherwise is refused with its key and their name", async () => {
    const world = await aWorld();
    const uid = await makeNode(world);
    const theirs = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels: { "x.dev/a": "2" } } };
    await world.user.apply(nodes, theirs, { fieldManager: "rival" });
    const because = '"x.dev/a" is held by "rival", and nothing is forced; take it from there, or leave it to them';
    const result = await world.perform({ do: "apply", object: node(uid, { "x.dev/a": "1" }), why });
    expect(result).toEqual({ did: "refused", reason: "LabelContested", because });
  });

  test("what we created ourselves we may apply to, although another verb made it", async () => {
    const { perform, performer, user, owner } = await aWorld();
    const body = (image: string): ObjectBody => ({
      ...{ apiVersion: "apps/v1", kind: "DaemonSet" },
      metadata: { name: "a", namespace: "default", labels: { image }, ownerReferences: [owner] },
      spec: {
        selector: { matchLabels: { app: "a" } },
        template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "main", image }] } },
      },
    });
    await perform({ do: "create", object: body("v1"), why });
    expect(performer.behalf.fieldManager).toBe(`toymaker/toys.${GROUP}/default/a`);
    expect(await perform({ do: "apply", object: body("v2"), why })).toEqual({ did: "done" });
    expect((await user.get(daemonSets, "default/a"))?.metadata.labels).toEqual({ image: "v2" });
  });
});

describe("patch", () => {
  test("waits for the UID of an object that was made a moment ago", async () => {
    const { perform, ledger, aPod, user } = await aWorld();
    await user.create(pods, aPod());
    const patch = { metadata: { uid: "", labels: { rev: "2" } } };
    const result = await perform({ do: "patch", target: podRef, patchType: "strategic", patch, why });
    expect([result.did, ledger.size]).toEqual(["failed", 0]);
    expect((await user.get(pods, "default/p"))?.metadata.labels).toEqual({ rev: "1" });
  });
});

describe("delete", () => {
  const aDelete = (uid: string): Step => ({ do: "delete", target: podRef, uid, propagation: "Background", why });

  test("removes the very object that was seen", async () => {
    const { perform, aPod, user } = await aWorld();
    const { metadata } = await user.create(pods, aPod());
    expect(await perform(aDelete(metadata.uid))).toEqual({ did: "done" });
    expect((await user.get(pods, "default/p"))?.metadata.deletionTimestamp).toBeDefined();
  });

  test("is not sent, nor noted, when what it follows from does not hold any more", async () => {
    const { performer, aPod, user, ledger } = await aWorld();
    const { metadata } = await user.create(pods, aPod());
    const objection = { did: "unsent", because: "somebody asks for something else now" } as const;
    const guard = { client: performer.client, check: async () => objection };
    expect(await performStep(aDelete(metadata.uid), { ...performer, guard })).toEqual(objection);
    expect((await user.get(pods, "default/p"))?.metadata.deletionTimestamp).toBeUndefined();
    expect(ledger.size).toBe(0);
  });

  test("needs no further question once it was answered", async () => {
    const { perform, performer, aPod, user, ledger, clock } = await aWorld();
    const { metadata } = await user.create(pods, aPod());
    await perform(aDelete(metadata.uid));
    clock.advance(LEDGER_LIMITS.unansweredMs);
    expect([ledger.size, ledger.doubts(performer.behalf.text)]).toEqual([1, []]);
  });

  test("is done when the object is gone, or another one has its name, which stays", async () => {
    const { perform, aPod, user } = await aWorld();
    expect(await perform(aDelete("uid-of-old"))).toEqual({ did: "done" });
    await user.create(pods, aPod());
    expect(await perform(aDelete("uid-of-old"))).toEqual({ did: "done" });
    expect((await user.get(pods, "default/p"))?.metadata.deletionTimestamp).toBeUndefined();
  });

  test("waits for the UID of an object that was made a moment ago", async () => {
    const { perform, ledger } = await aWorld();
    expect([(await perform(aDelete(""))).did, ledger.size]).toEqual(["failed", 0]);
  });
});

describe("status", () => {
  const target = { apiVersion: `${GROUP}/v1`, kind: "Toy", namespace: "default", name: "a" };
  const aStatus = (status: JsonObject): Step => ({ do: "status", target, status, why });

  test("is written once, and not when it is stored already", async () => {
    const { perform, performer, user, calls } = await aWorld();
    await perform(aStatus({ nodes: 3 }));
    const stored = await user.get(toys, "default/a");
    const behalf = { ...performer.behalf, object: storedObject(JSON.parse(JSON.stringify(stored))) };
    await performStep(aStatus({ nodes: 3 }), { ...performer, behalf });
    expect([calls, stored?.status]).toEqual([["patch"], { nodes: 3 }]);
  });

  test("that was decided from an old state is not written", async () => {
    const { perform, user } = await aWorld();
    await user.patch(toys, "default/a", { type: "merge", body: { spec: { image: "v2" } } });
    expect((await perform(aStatus({ nodes: 3 }))).did).toBe("failed");
    expect((await user.get(toys, "default/a"))?.status).toBeUndefined();
  });

  test("of an object that is gone needs no writing", async () => {
    const { perform, user } = await aWorld();
    await user.remove(toys, "default/a");
    expect(await perform(aStatus({ nodes: 3 }))).toEqual({ did: "done" });
  });

  test("of another object is a mistake of ours", async () => {
    const { perform } = await aWorld();
    const other: Step = { do: "status", target: { ...target, name: "b" }, status: {}, why };
    await expect(perform(other)).rejects.toThrow("sets the status of");
  });
});

describe("patch and event", () => {
  test.each([
    ["merge", { metadata: { labels: { a: "1" } } }],
    ["strategic", { metadata: { labels: { a: "1" } } }],
    ["json", [{ op: "add", path: "/metadata/labels/a", value: "1" }]],
  ] as const)("a %s patch changes the object", async (patchType, patch) => {
    const { perform, aPod, user } = await aWorld();
    await user.create(pods, aPod());
    expect(await perform({ do: "patch", target: podRef, patchType, patch, why })).toEqual({ did: "done" });
    expect((await user.get(pods, "default/p"))?.metadata.labels).toEqual({ rev: "1", a: "1" });
  });

  test("a patch that is none is a mistake of ours", async () => {
    const { perform } = await aWorld();
    const step: Step = { do: "patch", target: podRef, patchType: "json", patch: [{ op: "twist", path: "/" }], why };
    await expect(perform(step)).rejects.toThrow("is none");
  });

  test("an event is about the very object, or about another by its name", async () => {
    const { perform, events, toy } = await aWorld();
    const about = { apiVersion: `${GROUP}/v1`, kind: "Toy", namespace: "default", name: "a" };
    const what = { do: "event", severity: "Normal", reason: "NodeLabelled", message: "it was", why } as const;
    await perform({ ...what, about });
    await perform({ ...what, about: { apiVersion: "v1", kind: "Node", name: "n1" } });
    expect(events.map((event) => event.about.uid)).toEqual([toy.metadata.uid, "n1"]);
  });

  test("a step about a kind that nobody knows is a mistake of ours", async () => {
    const { perform } = await aWorld();
    const target = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "s" };
    const step: Step = { do: "delete", target, uid: "u", propagation: "Background", why };
    await expect(perform(step)).rejects.toThrow("Secret");
  });
});

describe("scale", () => {
  test("is answered with a Scale, which is never taken for the object", async () => {
    const { performer, ledger } = await aWorld();
    const metadata = { name: "a", namespace: "default", uid: "u", resourceVersion: "9" };
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: { replicas: 3 } };
    const client = { ...performer.client, patch: async () => JSON.parse(JSON.stringify(scale)) };
    const target = { apiVersion: `${GROUP}/v1`, kind: "Toy", namespace: "default", name: "a" };
    const patch = { spec: { replicas: 3 } };
    const step: Step = { do: "patch", target, subresource: "scale", patchType: "merge", patch, why };
    expect(await performStep(step, { ...performer, client })).toEqual({ did: "done" });
    expect(ledger.size).toBe(0);
  });
});

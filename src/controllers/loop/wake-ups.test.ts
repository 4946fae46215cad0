// Who is looked at again when a pod changes: its owner, whichever version of the API named it, and whoever may adopt it.
import { describe, expect, test } from "vitest";
import { createApiServer } from "../../../sim/api-server/api-server.ts";
import { builtInKinds } from "../../../sim/api-server/built-in/built-in-kinds.ts";
import {
  aSet,
  aTemplate,
  definitions,
  pods,
  setDefinition,
  sets,
} from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { createDaemonSetKind } from "../../kinds/daemon-set/daemon-set-kind.ts";
import { createClient } from "../../kube/client/create-client.ts";
import type { OwnerReference } from "../../kube/resource.ts";
import { logToList } from "../../runtime/log/testing/log-to-list.ts";
import { createClusterCaches } from "../view/cluster-caches.ts";
import { Lulls } from "./lulls.ts";
import { wakeUpsOf } from "./wake-ups.ts";

const builtIn = builtInKinds();
const SOON_MS = 1_000;

/** A cluster with sets of these names, and who of them was woken by what. */
async function aWorld(...names: readonly string[]) {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, rand: seededRand(1), builtIn });
  const ports = { transport: server.transport(), clock, rand: seededRand(2) };
  const client = createClient({ ...ports, fieldManager: "user" });
  await client.create(definitions, setDefinition());
  const uids = new Map<string, string>();
  for (const name of names) uids.set(name, (await client.create(sets, aSet({}, name))).metadata.uid);
  const kind = createDaemonSetKind();
  const caches = createClusterCaches({ ...ports, log: logToList().log }, [kind]);
  const objects = caches.objects.get("daemonsets.apps.kruise.io");
  if (objects === undefined) throw new Error("there is no cache of sets");
  const stop = new AbortController();
  void caches.run(stop.signal);
  await clock.elapse(SOON_MS);
  const woken = new Set<string>();
  const lulls = new Lulls(clock);
  const onMistake = (error: unknown) => expect(error).toBeUndefined();
  for (const source of wakeUpsOf({ kind, caches, objects, lulls, onMistake })) source.start((key) => woken.add(key));
  const ownedBy = (name: string, apiVersion = "apps.kruise.io/v1beta1") => [
    { apiVersion, kind: "DaemonSet", name, uid: uids.get(name) ?? "nobody", controller: true },
  ];
  return {
    client,
    ownedBy,
    lulls,
    /** Who is woken by a deed. */
    wokenBy: async (deed: () => Promise<unknown>) => {
      await clock.elapse(SOON_MS);
      woken.clear();
      await deed();
      await clock.elapse(SOON_MS);
      return [...woken].map((key) => key.replace("default/", "")).sort();
    },
  };
}

function aPod(ownerReferences: readonly OwnerReference[]) {
  const labels = { app: "agent" };
  const metadata = { name: "p", namespace: "default", labels, ownerReferences };
  const { spec } = aTemplate("1");
  return { apiVersion: "v1", kind: "Pod", metadata, spec: spec as JsonObject };
}

describe("a pod that comes", () => {
  test("wakes nobody where there is no set", async () => {
    const { client, wokenBy } = await aWorld();
    expect(await wokenBy(() => client.create(pods, aPod([])))).toEqual([]);
  });

  test("wakes every set that might adopt it, when nobody controls it", async () => {
    const { client, wokenBy } = await aWorld("a", "b");
    expect(await wokenBy(() => client.create(pods, aPod([])))).toEqual(["a", "b"]);
  });

  test.each(["apps.kruise.io/v1beta1", "apps.kruise.io/v1alpha1"])(
    "wakes its owner alone, named by %s",
    async (version) => {
      const { client, wokenBy, ownedBy } = await aWorld("a", "b");
      expect(await wokenBy(() => client.create(pods, aPod(ownedBy("a", version))))).toEqual(["a"]);
    },
  );

  test("wakes nobody when its owner has another UID, whatever its name", async () => {
    const { client, wokenBy, ownedBy } = await aWorld("a");
    const owners = ownedBy("a").map((owner) => ({ ...owner, uid: "of its predecessor" }));
    expect(await wokenBy(() => client.create(pods, aPod(owners)))).toEqual([]);
  });
});

const merge = (body: JsonObject) => ({ type: "merge" as const, body });

describe("a pod that changes", () => {
  test("wakes its owner, and nobody when nothing of it has changed", async () => {
    const { client, wokenBy, ownedBy } = await aWorld("a", "b");
    await client.create(pods, aPod(ownedBy("a")));
    const relabel = () => client.patch(pods, "default/p", merge({ metadata: { labels: { seen: "yes" } } }));
    expect([await wokenBy(relabel), await wokenBy(relabel)]).toEqual([["a"], []]);
  });

  test("wakes the owner that it had and the one that it has", async () => {
    const { client, wokenBy, ownedBy } = await aWorld("a", "b", "c");
    await client.create(pods, aPod(ownedBy("a")));
    const given = () => client.patch(pods, "default/p", merge({ metadata: { ownerReferences: ownedBy("b") } }));
    expect(await wokenBy(given)).toEqual(["a", "b"]);
  });

  test("wakes all that may have it when its owner lets it go, and when it is relabelled then", async () => {
    const { client, wokenBy, ownedBy } = await aWorld("a", "b", "c");
    await client.create(pods, aPod(ownedBy("a")));
    const released = () => client.patch(pods, "default/p", merge({ metadata: { ownerReferences: null } }));
    expect(await wokenBy(released)).toEqual(["a", "b", "c"]);
    const relabelled = () => client.patch(pods, "default/p", merge({ metadata: { labels: { app: "other" } } }));
    expect(await wokenBy(relabelled)).toEqual(["a", "b", "c"]);
  });

  test("wakes its owner when it goes", async () => {
    const { client, wokenBy, ownedBy } = await aWorld("a", "b");
    await client.create(pods, aPod(ownedBy("a")));
    expect(await wokenBy(() => client.remove(pods, "default/p"))).toEqual(["a"]);
  });
});

describe("in a lull", () => {
  test("a pod wakes nobody before its end, and its owner afterwards", async () => {
    const { client, wokenBy, ownedBy, lulls } = await aWorld("a");
    const made = async () => {
      lulls.begin("default/a", 500);
      await client.create(pods, aPod(ownedBy("a")));
    };
    expect(await wokenBy(made)).toEqual([]);
    expect(await wokenBy(() => client.remove(pods, "default/p"))).toEqual(["a"]);
  });

  test("a pod wakes its owner once that is being looked at, and others all the time", async () => {
    const { client, wokenBy, ownedBy, lulls } = await aWorld("a", "b");
    const made = async () => {
      lulls.begin("default/a", 500);
      await client.create(pods, aPod(ownedBy("b")));
    };
    expect(await wokenBy(made)).toEqual(["b"]);
    const given = async () => {
      lulls.begin("default/a", 500);
      lulls.end("default/a");
      await client.patch(pods, "default/p", merge({ metadata: { ownerReferences: ownedBy("a") } }));
    };
    expect(await wokenBy(given)).toEqual(["a", "b"]);
  });

  test("the object itself and its nodes wake it", async () => {
    const { client, wokenBy, lulls } = await aWorld("a");
    const edited = async () => {
      lulls.begin("default/a", 500);
      await client.patch(sets, "default/a", merge({ metadata: { labels: { edited: "yes" } } }));
    };
    expect(await wokenBy(edited)).toEqual(["a"]);
  });
});

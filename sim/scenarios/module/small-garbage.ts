// Kubernetes' garbage collector at little cost: what has lost its controller goes, and what was deleted in the foreground goes after
// its dependents.

import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { listAt, metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import { type ApiObject, CONTROLLER_REVISIONS, DAEMON_SETS, JOBS, PODS } from "../../controllers/api-resources.ts";
import { act } from "../../simulator/faults/world-faults.ts";
import { controllerOf } from "../../simulator/invariants/at-most-one.ts";
import type { World } from "../../simulator/world.ts";
import { REVISIONS, SETS } from "../small-daemon-sets.ts";
import { MODULES } from "./simulated-module.ts";

const FOREGROUND = "foregroundDeletion";
/** Jobs leave their pods behind unless they are told not to. */
const WITH_ALL = { propagation: "Background" } as const;
const AT_ONCE = { ...WITH_ALL, gracePeriodSeconds: 0 };
const collectsAfterMs = [300, 20, 2_000];

type Kept = { readonly table: string; readonly resource: Resource<ApiObject>; readonly owners: readonly string[] };
const kept: readonly Kept[] = [
  { table: SETS, resource: DAEMON_SETS, owners: [MODULES] },
  { table: "jobs.batch", resource: JOBS, owners: [MODULES] },
  { table: REVISIONS, resource: CONTROLLER_REVISIONS, owners: [SETS] },
  { table: "pods", resource: PODS, owners: [SETS, "jobs.batch"] },
];
const tables = new Set([MODULES, ...kept.map(({ table }) => table)]);

/** Collects what is left over in the world from now on. */
export function collectGarbage(world: World): void {
  const pace = world.decisions.stream("garbage-pace");
  const client = world.client("collector");
  let isDue = false;
  const collect = () => {
    isDue = false;
    for (const { table, resource, owners } of kept) {
      const alive = new Set(owners.flatMap((owner) => [...world.state.objects(owner)].filter(isKept)).map(uidOf));
      for (const object of world.state.objects(table)) {
        const owner = controllerOf(metaOf(object));
        const isLost = owner !== "" && !alive.has(owner) && !isEnding(object);
        if (isOfGoneNode(world, object))
          act(world, client.remove(resource, keyOf(object), { ...AT_ONCE, uid: uidOf(object) }));
        else if (isLost) act(world, client.remove(resource, keyOf(object), { ...WITH_ALL, uid: uidOf(object) }));
        else if (isHeld(object) && !hasDependents(world, uidOf(object)))
          act(
            world,
            client.patch(resource, keyOf(object), { type: "merge", body: { metadata: { finalizers: null } } }),
          );
      }
    }
  };
  world.server.onCommit(({ table, type, object }) => {
    const isGone = table === "nodes" && type === "DELETED";
    const isNews = isGone || (tables.has(table) && (type !== "MODIFIED" || isEnding(object)));
    if (!isNews || isDue) return;
    isDue = true;
    world.clock.after(collectsAfterMs[pace.pick(collectsAfterMs.length)] ?? 0, collect);
  });
}

/** Nobody runs such a pod any more, so nobody ends it either. */
function isOfGoneNode(world: World, object: JsonObject): boolean {
  const node = object.kind === "Pod" ? textAt(objectAt(object, "spec"), "nodeName") : "";
  return node !== "" && world.state.object("nodes", node) === undefined;
}

/** One that waits for its dependents keeps nothing: they have to go first. */
function isKept(object: JsonObject): boolean {
  return !isHeld(object);
}

function isHeld(object: JsonObject): boolean {
  return isEnding(object) && listAt(metaOf(object), "finalizers").includes(FOREGROUND);
}

function hasDependents(world: World, uid: string): boolean {
  return kept.some(({ table }) => [...world.state.objects(table)].some((each) => controllerOf(metaOf(each)) === uid));
}

function isEnding(object: JsonObject): boolean {
  return metaOf(object).deletionTimestamp !== undefined;
}

function uidOf(object: JsonObject): string {
  return textAt(metaOf(object), "uid");
}

function keyOf(object: JsonObject): string {
  return `${textAt(metaOf(object), "namespace")}/${textAt(metaOf(object), "name")}`;
}

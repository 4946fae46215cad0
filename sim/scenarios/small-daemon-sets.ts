// Kubernetes' DaemonSet controller at little cost: the model's own decisions, made on the store as it is, each after a while of its own.
// What that controller does from an old picture is for the histories with whole controllers.

import type { JsonObject } from "../../src/core/json/json.ts";
import type { Stored } from "../../src/kube/resource.ts";
import { metaOf, textAt } from "../api-server/api-object.ts";
import { type ApiObject, DAEMON_SETS, PODS } from "../controllers/api-resources.ts";
import { countDaemonPods, decideStatus } from "../controllers/daemon-set/daemon-set-status.ts";
import { type DaemonSetView, parseDaemonSet } from "../controllers/daemon-set/daemon-set-view.ts";
import { type DaemonSetSight, decideDaemonPods } from "../controllers/daemon-set/decide-daemon-pods.ts";
import { HASH_LABEL, parseRevision } from "../controllers/daemon-set/revision-view.ts";
import { DAEMON_SET_TYPE, observeHistory, settleHistory } from "../controllers/daemon-set/settle-history.ts";
import { parseNode } from "../controllers/node-view.ts";
import { controllerReference } from "../controllers/object-view.ts";
import { createPod } from "../controllers/pod-from-template.ts";
import { parsePod } from "../controllers/pod-view.ts";
import { onlyOf, performWrites, type Write } from "../controllers/write.ts";
import { act } from "../simulator/faults/world-faults.ts";
import { controllerOf } from "../simulator/invariants/at-most-one.ts";
import type { World } from "../simulator/world.ts";

export const SETS = "daemonsets.apps";
export const REVISIONS = "controllerrevisions.apps";
const looksAfterMs = [50, 5, 400, 2_000];
/** After a look that met a change on its way: as soon as the cluster has moved on. */
const AGAIN_MS = 100;

/** Looks after the DaemonSets of the world from now on. */
export function runSmallDaemonSets(world: World): void {
  const pace = world.decisions.stream("daemon-set-pace");
  const due = new Set<string>();
  const client = world.client("daemon-sets");
  const signal = new AbortController().signal;
  const wake = (key: string, afterMs = looksAfterMs[pace.pick(looksAfterMs.length)] ?? 0) => {
    if (due.has(key)) return;
    due.add(key);
    world.clock.after(afterMs, () => {
      due.delete(key);
      act(
        world,
        look(key).catch((error: unknown) => {
          wake(key, AGAIN_MS);
          throw error;
        }),
      );
    });
  };
  const look = async (key: string) => {
    const stored = world.state.object(SETS, key);
    if (stored === undefined || metaOf(stored).deletionTimestamp !== undefined || !isStored(stored)) return;
    const set = parseDaemonSet(stored);
    const revisions = ownedBy(world, REVISIONS, set.uid).map(parseRevision);
    const hash = await settleHistory(client, set, observeHistory(set, revisions), signal);
    const sight = sightOf(world, set, hash);
    const status = decideStatus(sight, countDaemonPods(sight).counts, { isProcessed: true });
    const report: readonly Write[] =
      status === undefined
        ? []
        : [{ do: "patch", resource: DAEMON_SETS, key, patch: onlyOf(set, { status }), subresource: "status" }];
    await performWrites(client, [...podWrites(sight), ...report], signal);
  };
  world.server.onCommit(({ table, key, object, type, previous }) => {
    if (table === SETS && type !== "DELETED") wake(key);
    if (table === "pods") wakeOwner(world, object, wake);
    const isMoved = table === "nodes" && placementOf(object) !== placementOf(previous?.object ?? {});
    if (isMoved)
      for (const set of world.state.objects(SETS)) wake(`${textAt(metaOf(set), "namespace")}/${nameOf(set)}`);
  });
}

function sightOf(world: World, set: DaemonSetView, hash: string): DaemonSetSight {
  const pods = ownedBy(world, "pods", set.uid).map(parsePod);
  const nodes = [...world.state.objects("nodes")].filter(isStored).map(parseNode);
  const podsByNode = Map.groupBy(pods, ({ targetNode }) => targetNode);
  return { set, nodes, podsByNode, hash, nowMs: world.clock.wallMs(), failureWaitMs: () => 0 };
}

/** Pods are bound at once: where a scheduler would put a daemon's pod is no question. */
function podWrites(sight: DaemonSetSight): readonly Write[] {
  const { set, hash } = sight;
  const { create, remove } = decideDaemonPods(sight);
  const owner = controllerReference(set, DAEMON_SET_TYPE);
  const wish = { owner, parent: set, template: set.template, labels: { [HASH_LABEL]: hash } };
  return [
    ...create.map((nodeName) => createPod({ ...wish, spec: { nodeName } })),
    ...remove.map(({ key, uid }): Write => ({ do: "delete", resource: PODS, key, uid })),
  ];
}

function wakeOwner(world: World, pod: JsonObject, wake: (key: string) => void): void {
  const owner = controllerOf(metaOf(pod));
  const set = [...world.state.objects(SETS)].find((each) => metaOf(each).uid === owner);
  if (set !== undefined) wake(`${textAt(metaOf(set), "namespace")}/${nameOf(set)}`);
}

function placementOf(node: JsonObject): string {
  return JSON.stringify([metaOf(node).labels, node.spec]);
}

function nameOf(object: JsonObject): string {
  return textAt(metaOf(object), "name");
}

function ownedBy(world: World, table: string, uid: string): readonly Stored<ApiObject>[] {
  return [...world.state.objects(table)].filter(isStored).filter((each) => controllerOf(metaOf(each)) === uid);
}

/** What the store holds has been through the server. */
export function isStored(object: JsonObject): object is JsonObject & Stored<ApiObject> {
  const { uid, name } = metaOf(object);
  return typeof uid === "string" && typeof name === "string";
}

// The least that the pods of a set need from the machines below them: they start, take changed images, and end when they are told to, each
// after a while of its own. It works on the store's own changes, so that a history costs little.

import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import { listAt, metaOf, objectAt, textAt } from "../api-server/api-object.ts";
import { stateOf } from "../simulator/commit.ts";
import { act } from "../simulator/faults/world-faults.ts";
import type { World } from "../simulator/world.ts";
import { pods } from "./daemon-set/set-fixture.ts";

const startsMs = [200, 50, 1_000, 3_000, 8_000];
const endsMs = [100, 20, 1_500, 4_000];

/** Lets pods of the world run from now on. */
export function runSmallKubelets(world: World): void {
  const state = stateOf(world.server.store);
  const pace = world.decisions.stream("kubelet-pace");
  const client = world.client("kubelet");
  const due = new Set<string>();
  const tend = (key: string) => {
    due.delete(key);
    const pod = state.object("pods", key);
    if (pod === undefined) return;
    const { uid, deletionTimestamp } = metaOf(pod);
    if (typeof uid !== "string") return;
    if (deletionTimestamp !== undefined) {
      act(world, client.remove(pods, key, { uid, gracePeriodSeconds: 0 }));
      return;
    }
    const status = statusOf(pod, world.clock.wallMs());
    if (status === undefined) return;
    const body = { metadata: { uid }, status };
    act(world, client.patch(pods, key, { type: "merge", body }, { subresource: "status" }));
  };
  world.server.onCommit(({ table, key, type, object }) => {
    if (table !== "pods" || type === "DELETED" || due.has(key)) return;
    const isEnding = metaOf(object).deletionTimestamp !== undefined;
    if (!isEnding && statusOf(object, 0) === undefined) return;
    due.add(key);
    const waits = isEnding ? endsMs : startsMs;
    world.clock.after(waits[pace.pick(waits.length)] ?? 0, () => tend(key));
  });
}

/** The status that a kubelet would report; undefined when it is what stands there. */
function statusOf(pod: JsonObject, nowMs: number): JsonObject | undefined {
  const spec = objectAt(pod, "spec");
  const before = objectAt(pod, "status");
  if (before.phase === "Failed") return undefined;
  const conditions = listAt(before, "conditions").filter(isJsonObject);
  const isTrue = (type: Json | undefined) => conditions.some((one) => one.type === type && one.status === "True");
  const gates = listAt(spec, "readinessGates").filter(isJsonObject);
  const isReady = gates.every(({ conditionType }) => isTrue(conditionType));
  const images = listAt(spec, "containers").filter(isJsonObject);
  const reported = listAt(before, "containerStatuses").filter(isJsonObject);
  const isReported = images.every(({ image }, index) => reported[index]?.image === image);
  if (isReported && isTrue("Ready") === isReady) return undefined;
  const lastTransitionTime = new Date(nowMs).toISOString();
  const ready = { type: "Ready", status: isReady ? "True" : "False", lastTransitionTime };
  const containerStatuses = images.map((container) => ({
    ...{ name: textAt(container, "name"), image: container.image ?? "", imageID: `id-of-${String(container.image)}` },
    ...{ containerID: `c-${nowMs}`, ready: true, restartCount: 0, state: { running: {} } },
  }));
  return {
    phase: "Running",
    conditions: [...conditions.filter(({ type }) => type !== "Ready"), ready],
    containerStatuses,
  };
}

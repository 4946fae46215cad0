// Kubernetes' Job controller and a builder at little cost: a Job that may run ends after a while, and its image is in the registry then.

import type { JsonObject } from "../../../src/core/json/json.ts";
import { IMAGE } from "../../../src/kinds/module/build/build-task.ts";
import { listAt, metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import { JOBS } from "../../controllers/api-resources.ts";
import { onlyOf } from "../../controllers/write.ts";
import { act } from "../../simulator/faults/world-faults.ts";
import type { World } from "../../simulator/world.ts";
import type { ModelRegistry } from "./model-registry.ts";

export const TASKS = "jobs.batch";
const buildsMs = [2_000, 300, 10_000, 25_000];
const ODDS_OF_FAILURE = 8;

/** Lets the Jobs of the world run from now on; one in eight fails for good when `mayFail` says so. */
export function runSmallBuilds(world: World, registry: () => ModelRegistry, mayFail: () => boolean): void {
  const pace = world.decisions.stream("build-pace");
  const client = world.client("builder");
  const running = new Set<string>();
  const end = (key: string, uid: string, isFailed: boolean) => {
    running.delete(uid);
    const job = world.state.object(TASKS, key);
    if (job === undefined || metaOf(job).uid !== uid || isOver(job)) return;
    const image = textAt(objectAt(metaOf(job), "annotations"), IMAGE);
    if (!isFailed) registry().push(image, uid);
    const status = endOf(job, isFailed, new Date(world.clock.wallMs()).toISOString());
    act(world, client.patch(JOBS, key, onlyOf({ uid }, { status }), { subresource: "status" }));
  };
  world.server.onCommit(({ table, key, type, object }) => {
    const uid = textAt(metaOf(object), "uid");
    if (table !== TASKS || type === "DELETED" || running.has(uid) || !isWorking(object)) return;
    running.add(uid);
    const isFailed = mayFail() && pace.pick(ODDS_OF_FAILURE) === 1;
    world.clock.after(buildsMs[pace.pick(buildsMs.length)] ?? 0, () => end(key, uid, isFailed));
  });
}

function isWorking(job: JsonObject): boolean {
  const isMeant = objectAt(job, "spec").suspend !== true && metaOf(job).deletionTimestamp === undefined;
  return isMeant && !isOver(job);
}

function isOver(job: JsonObject): boolean {
  return listAt(objectAt(job, "status"), "conditions").length > 0;
}

function endOf(job: JsonObject, isFailed: boolean, now: string): JsonObject {
  const startTime = textAt(objectAt(job, "status"), "startTime") || now;
  const held = { status: "True", lastProbeTime: now, lastTransitionTime: now };
  if (isFailed) {
    const condition = { ...held, type: "Failed", reason: "BackoffLimitExceeded", message: "the build fails" };
    return { startTime, failed: 1, conditions: [condition] };
  }
  return { startTime, completionTime: now, succeeded: 1, conditions: [{ ...held, type: "Complete" }] };
}

// How the cluster must be once nothing goes wrong any more: every node in scope of a mapped kernel has one ready driver of the image that its
// mapping names, and its device plugin where there is one; nobody else has any; and the status says so.

import { objectIdentity } from "../../../src/core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { parseBuildTask } from "../../../src/kinds/module/build/build-task.ts";
import { FIT } from "../../../src/kinds/module/module-labels.ts";
import { metaOf, numberAt, objectAt, textAt } from "../../api-server/api-object.ts";
import type { State } from "../../simulator/commit.ts";
import { controllerOf } from "../../simulator/invariants/at-most-one.ts";
import { SETS } from "../small-daemon-sets.ts";
import { imageOf, isTrue, kernelOf, nameOf, nodeOf, wishOf } from "./module-wishes.ts";
import { BAD_MODULE_KEY, MODULE_KEY, MODULES } from "./simulated-module.ts";
import { TASKS } from "./small-builds.ts";

/** Why the cluster is not as it should be; undefined when it is. */
export function unsettled(state: State): string | undefined {
  const module = state.object(MODULES, MODULE_KEY);
  if (module === undefined) return "the Module is not there";
  const status = objectAt(module, "status");
  if (status.observedGeneration !== numberAt(metaOf(module), "generation")) return "the newest spec has not been seen";
  return unsettledBuilds(state) ?? unsettledNodes(state, module) ?? badModule(state);
}

/** S17: what cannot be read is told, and left alone. */
function badModule(state: State): string | undefined {
  const bad = state.object(MODULES, BAD_MODULE_KEY);
  if (bad === undefined) return undefined;
  const owned = [...state.objects(SETS)].some((set) => controllerOf(metaOf(set)) === metaOf(bad).uid);
  if (owned) return "the Module that cannot be read has a DaemonSet";
  return isTrue(bad, "Stalled") ? undefined : "the Module that cannot be read does not say so";
}

function unsettledBuilds(state: State): string | undefined {
  const tasks = [...state.objects(TASKS)].map((object) => parseBuildTask({ ...objectIdentity(object), object }));
  const open = tasks.find((task) => task.state.is !== "failed" || !task.isTold);
  return open === undefined ? undefined : `Job ${open.name} is ${open.state.is}`;
}

function unsettledNodes(state: State, module: JsonObject): string | undefined {
  const failed = failedImages(module);
  const wanted = new Map<string, string>();
  const kernels = new Set<string>();
  for (const node of state.objects("nodes")) {
    const image = wishOf(node, state);
    if (image === undefined || failed.has(image)) continue;
    wanted.set(nameOf(node), image);
    kernels.add(kernelOf(node));
  }
  const own = [...state.objects(SETS)].filter((set) => controllerOf(metaOf(set)) === metaOf(module).uid);
  const [drivers, plugins] = [own.filter(isDriver), own.filter((set) => !isDriver(set))];
  const [fitted, plugged] = [podsOf(state, drivers), podsOf(state, plugins)];
  // Nodes whose build has failed keep an old driver, or have none.
  if (failed.size === 0) {
    if (drivers.length !== kernels.size) return `there are ${drivers.length} DaemonSets for ${kernels.size} kernels`;
    if (fitted.length !== wanted.size) return `there are ${fitted.length} drivers for ${wanted.size} nodes`;
    if (objectAt(objectAt(module, "status"), "nodes").fitted !== wanted.size) return "the status counts otherwise";
  }
  const hasPlugin = objectAt(module, "spec").devicePlugin !== undefined;
  for (const [node, image] of wanted) {
    const pods = fitted.filter((pod) => nodeOf(pod) === node);
    const isRight = pods.length === 1 && pods.every((pod) => imageOf(pod) === image && isTrue(pod, "Ready"));
    if (!isRight) return `${node} should run ${image} and runs ${pods.map(imageOf).join(" and ") || "nothing"}`;
    const isPlugged = plugged.filter((pod) => nodeOf(pod) === node && isTrue(pod, "Ready")).length === 1;
    if (hasPlugin && !isPlugged) return `${node} has no device plugin`;
  }
  return undefined;
}

function isDriver(set: JsonObject): boolean {
  return textAt(objectAt(metaOf(set), "labels"), FIT) !== "";
}

function podsOf(state: State, sets: readonly JsonObject[]): readonly JsonObject[] {
  const uids = new Set(sets.map((set) => metaOf(set).uid));
  return [...state.objects("pods")].filter((pod) => uids.has(controllerOf(metaOf(pod))));
}

/** Images that the status gives up on. */
function failedImages(module: JsonObject): ReadonlySet<string> {
  const { kernels } = objectAt(module, "status");
  const entries = Array.isArray(kernels) ? kernels.filter(isJsonObject) : [];
  return new Set(entries.filter(({ state }) => state === "Failed").map((entry) => textAt(entry, "image")));
}

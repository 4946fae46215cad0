// What the set of the scenario must have come to once nothing goes wrong any more, and what its broken neighbour must say.

import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { REVISION_HASH } from "../../../src/kinds/daemon-set/pods/pod-keys.ts";
import { listAt, metaOf, numberAt, objectAt, textAt } from "../../api-server/api-object.ts";
import type { State } from "../../simulator/commit.ts";
import { controllerOf } from "../../simulator/invariants/at-most-one.ts";
import { isMarked, isServing, nodeOf } from "./invariants.ts";
import { BROKEN_KEY, SET_KEY, SETS_TABLE, SIZE_LABEL } from "./set-fixture.ts";

/** Revisions that the set keeps besides the newest one. */
export const REVISIONS_KEPT = 1;

/** Every node has the one pod that it should have, ready and of the newest revision, and the status says so. */
export function unsettledOn(nodes: number, state: State): string | undefined {
  const set = state.object(SETS_TABLE, SET_KEY);
  if (set === undefined) return "the set is not there";
  const status = objectAt(set, "status");
  if (status.observedGeneration !== numberAt(metaOf(set), "generation")) return "the newest spec has not been seen";
  const counts = ["desiredNumberScheduled", "numberAvailable", "updatedNumberScheduled"].map((key) => status[key]);
  if (counts.some((count) => count !== nodes)) return `the status counts ${counts.join(", ")}`;
  const all = [...state.objects("pods")];
  if (all.length !== nodes) return `there are ${all.length} pods`;
  for (const node of state.objects("nodes")) {
    const name = textAt(metaOf(node), "name");
    const pod = all.find((one) => nodeOf(one) === name);
    const wrong = pod === undefined ? "has no pod" : wrongWith(pod, set, node);
    if (wrong !== undefined) return `${name}: ${wrong}`;
  }
  return tooMuchHistory(state, set) ?? neighbour(state);
}

/** S15: what nobody uses any more is kept up to the limit and no further. */
function tooMuchHistory(state: State, set: JsonObject): string | undefined {
  const own = [...state.objects("controllerrevisions.apps")].filter(
    (one) => controllerOf(metaOf(one)) === metaOf(set).uid,
  );
  return own.length > REVISIONS_KEPT + 1 ? `there are ${own.length} revisions` : undefined;
}

/** S17: a neighbour that nobody can read is told what is wrong with it, and gets nothing. */
function neighbour(state: State): string | undefined {
  const status = objectAt(state.object(SETS_TABLE, BROKEN_KEY) ?? {}, "status");
  const conditions = listAt(status, "conditions").filter(isJsonObject);
  const isTold = conditions.some(({ type, reason }) => type === "Stalled" && reason === "InvalidSpec");
  return isTold ? undefined : "the broken set was not told what is wrong with it";
}

function wrongWith(pod: JsonObject, set: JsonObject, node: JsonObject): string | undefined {
  const spec = objectAt(set, "spec");
  const isLarge = objectAt(metaOf(node), "labels")[SIZE_LABEL] === "large";
  const [patch] = listAt(spec, "patches").filter(isJsonObject);
  const wanted = isLarge
    ? objectAt(objectAt(patch ?? {}, "patch"), "spec")
    : objectAt(objectAt(spec, "template"), "spec");
  const [size, image] = [envOf(wanted), imageOf(objectAt(objectAt(spec, "template"), "spec"))];
  const is = objectAt(pod, "spec");
  if (controllerOf(metaOf(pod)) !== metaOf(set).uid) return "its pod is of another set";
  if (envOf(is) !== size || imageOf(is) !== image) return `runs ${envOf(is)} ${imageOf(is)}, not ${size} ${image}`;
  if (!isServing(pod)) return "its pod does not serve";
  if (isMarked(pod)) return "its pod was asked to go, and stays";
  const revision = objectAt(metaOf(pod), "labels")[REVISION_HASH];
  return revision === objectAt(set, "status").updateRevision ? undefined : `its pod bears ${String(revision)}`;
}

function imageOf(podSpec: JsonObject): string {
  return textAt(listAt(podSpec, "containers").filter(isJsonObject)[0] ?? {}, "image");
}

function envOf(podSpec: JsonObject): string {
  const [container = {}] = listAt(podSpec, "containers").filter(isJsonObject);
  return textAt(listAt(container, "env").filter(isJsonObject)[0] ?? {}, "value");
}

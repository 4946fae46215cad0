// What nodes should run by the Module that is in the store now, worked out from its text and not by the code under test.

import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import type { State } from "../../simulator/commit.ts";
import { MODULE_KEY, MODULES, SCOPE } from "./simulated-module.ts";

/** The image for a node, by the scenario's own mappings; undefined when nothing should run there. */
export function wishOf(node: JsonObject, state: State): string | undefined {
  const kernel = kernelOf(node);
  const module = state.object(MODULES, MODULE_KEY);
  const isIn = textAt(objectAt(metaOf(node), "labels"), SCOPE) === "yes";
  if (module === undefined || !isIn || kernel.includes("/")) return undefined;
  const mappings = listAt(objectAt(module, "spec"), "kernelMappings").filter(isJsonObject);
  const match = mappings.find((mapping) => isMeant(textAt(mapping, "regexp"), kernel));
  return match === undefined ? undefined : textAt(match, "containerImage");
}

/** The two expressions that the scenario's mappings use, in words of their own. */
function isMeant(regexp: string, kernel: string): boolean {
  return regexp === "el9" ? kernel.includes("el9") : regexp === "generic$" && kernel.endsWith("generic");
}

export function kernelOf(node: JsonObject): string {
  return textAt(objectAt(objectAt(node, "status"), "nodeInfo"), "kernelVersion");
}

export function nameOf(object: JsonObject): string {
  return textAt(metaOf(object), "name");
}

/** The node that a pod is bound to; empty before. */
export function nodeOf(pod: JsonObject): string {
  return textAt(objectAt(pod, "spec"), "nodeName");
}

/** The image of a pod by its tag; what was built is pinned to a digest behind it. */
export function imageOf(pod: JsonObject): string {
  const [first = {}] = listAt(objectAt(pod, "spec"), "containers").filter(isJsonObject);
  return textAt(first, "image").replace(/@.*$/, "");
}

export function isEnding(object: JsonObject): boolean {
  return metaOf(object).deletionTimestamp !== undefined;
}

/** Whether a condition of an object is True. */
export function isTrue(object: JsonObject, type: string): boolean {
  const conditions = listAt(objectAt(object, "status"), "conditions").filter(isJsonObject);
  return conditions.some((condition) => condition.type === type && condition.status === "True");
}

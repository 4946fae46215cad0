// The order in which containers of a pod get their new images: by Kruise's launch priorities, the highest first. A batch waits
// until the containers of the one before it are ready.

import { textIn } from "../../../core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../../../core/json/json.ts";
import { parseCanonicalInt64 } from "../../../core/values/int64.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";

/** Names of containers in groups that are updated together. */
export type LaunchOrder = readonly (readonly string[])[];

/** A variable of a container that holds its priority. */
const PRIORITY_VARIABLE = "KRUISE_CONTAINER_PRIORITY";
/** An annotation of the template: with the value `Ordered`, containers are launched in the order of the list. */
const PRIORITY_ANNOTATION = "apps.kruise.io/container-launch-priority";

/** The order for a template. Containers without a priority come with the first: nobody said that they should wait. */
export function launchOrder(template: JsonObject): LaunchOrder {
  const isOrdered = objectAt(objectAt(template, "metadata"), "annotations")[PRIORITY_ANNOTATION] === "Ordered";
  const containers = listOf(objectAt(template, "spec").containers).filter(isJsonObject);
  const groups = new Map<number, string[]>();
  for (const [index, container] of containers.entries()) {
    const priority = (isOrdered ? -index : priorityOf(container)) ?? Number.POSITIVE_INFINITY;
    groups.set(priority, [...(groups.get(priority) ?? []), textIn(container.name)]);
  }
  const [first, second, ...rest] = [...groups].sort(([a], [b]) => b - a);
  if (first === undefined) return [];
  const [priority, names] = first;
  const isUnsaid = priority === Number.POSITIVE_INFINITY;
  const [head, tail] = isUnsaid ? [[...names, ...(second?.[1] ?? [])], rest] : [names, second ? [second, ...rest] : []];
  return [head, ...tail.map(([, group]) => group)];
}

/** The groups as far as they hold these containers; what the order does not know comes last. */
export function batchesOf(order: LaunchOrder, names: readonly string[]): LaunchOrder {
  const known = new Set(order.flat());
  const groups = [...order, names.filter((name) => !known.has(name))];
  return groups.map((group) => group.filter((name) => names.includes(name))).filter((group) => group.length > 0);
}

function priorityOf(container: JsonObject): number | undefined {
  const variable = listOf(container.env)
    .filter(isJsonObject)
    .find(({ name }) => name === PRIORITY_VARIABLE);
  const priority = parseCanonicalInt64(textIn(variable?.value));
  return priority === undefined ? undefined : Number(priority);
}

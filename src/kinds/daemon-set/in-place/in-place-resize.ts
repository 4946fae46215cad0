// Whether the resources of a pod can be changed while it runs: the amounts of cpu and memory may, as long as the pod stays in its class
// of service. What this API server would refuse is a reason to make the pod anew.

import { textIn } from "../../../core/decision/object-identity.ts";
import { canonicalJson } from "../../../core/json/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { compareQuantities, parseQuantity } from "../../../core/values/quantity.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";

/**
 * How far the server lets the resources of a running pod be changed.
 * - `none`: not at all.
 * - `growing`: a container that is not restarted for it keeps the memory that it has.
 * - `free`: up and down.
 */
export type Resizing = "none" | "growing" | "free";

export type Resize =
  | {
      readonly can: true;
      /** The new resources of containers whose resources change, whole. */
      readonly resources: Readonly<Record<string, JsonObject>>;
      /** The containers that ask to be restarted for it. */
      readonly restarted: readonly string[];
    }
  | { readonly can: false; readonly because: string };

const RESIZABLE: readonly string[] = ["cpu", "memory"];
const AMOUNTS = ["limits", "requests"] as const;

/** Compares the resources of two templates with the same containers, both as revisions record them. */
export function resizeOf(before: JsonObject, after: JsonObject, resizing: Resizing): Resize {
  const old = containersIn(before, "containers");
  const resources: [string, JsonObject][] = [];
  const restarted: string[] = [];
  for (const [index, container] of containersIn(after, "containers").entries()) {
    const name = textIn(container.name);
    const [was, is] = [objectAt(old[index] ?? {}, "resources"), objectAt(container, "resources")];
    if (canonicalJson(was) === canonicalJson(is)) continue;
    if (resizing === "none") return { can: false, because: "resources differ, and pods are not resized here" };
    const because = refusal(was, is) ?? (resizing === "growing" ? lostMemory(was, is, container) : undefined);
    if (because !== undefined) return { can: false, because: `containers[${name}].resources${because}` };
    if (changedAmounts(was, is).some((amount) => restartsFor(container, amount))) restarted.push(name);
    resources.push([name, is]);
  }
  if (resources.length > 0 && serviceClass(before) !== serviceClass(after))
    return { can: false, because: `the pod would be ${serviceClass(after)} instead of ${serviceClass(before)}` };
  return { can: true, resources: Object.fromEntries(resources), restarted };
}

function refusal(was: JsonObject, is: JsonObject): string | undefined {
  if (canonicalJson(was.claims ?? null) !== canonicalJson(is.claims ?? null)) return ".claims differ";
  for (const part of AMOUNTS) {
    const [old, wanted] = [objectAt(was, part), objectAt(is, part)];
    const names = Object.keys(wanted);
    if (names.length !== Object.keys(old).length || names.some((name) => !Object.hasOwn(old, name)))
      return `.${part} name other resources`;
    const fixed = names.find((name) => !RESIZABLE.includes(name) && !isEqualAmount(old[name], wanted[name]));
    if (fixed !== undefined) return `.${part} differ in ${fixed}, which cannot be resized`;
  }
  return undefined;
}

/** Kubernetes 1.33 refuses to take memory from a running container. */
function lostMemory(was: JsonObject, is: JsonObject, container: JsonObject): string | undefined {
  const isLess = isLower(objectAt(is, "limits").memory, objectAt(was, "limits").memory);
  return isLess && !restartsFor(container, "memory") ? ".limits take memory from a running container" : undefined;
}

function changedAmounts(was: JsonObject, is: JsonObject): readonly string[] {
  return RESIZABLE.filter((name) =>
    AMOUNTS.some((part) => !isEqualAmount(objectAt(was, part)[name], objectAt(is, part)[name])),
  );
}

function restartsFor(container: JsonObject, resource: string): boolean {
  return listOf(container.resizePolicy)
    .filter(isJsonObject)
    .some(({ resourceName, restartPolicy }) => resourceName === resource && restartPolicy === "RestartContainer");
}

/** The class of service, by which the kubelet chooses whom to evict; a resize may not change it. */
function serviceClass(template: JsonObject): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [...containersIn(template, "containers"), ...containersIn(template, "initContainers")];
  const amounts = containers.map((container) => {
    const resources = objectAt(container, "resources");
    const [limits, requests] = [objectAt(resources, "limits"), objectAt(resources, "requests")];
    return RESIZABLE.map((name) => ({ limit: limits[name], request: requests[name] }));
  });
  if (amounts.flat().every(({ limit, request }) => limit === undefined && request === undefined)) return "BestEffort";
  const isSure = amounts
    .flat()
    .every(({ limit, request }) => limit !== undefined && isEqualAmount(request ?? limit, limit));
  return isSure ? "Guaranteed" : "Burstable";
}

function isEqualAmount(a: Json | undefined, b: Json | undefined): boolean {
  return a === b;
}

function isLower(a: Json | undefined, b: Json | undefined): boolean {
  const [left, right] = [parseQuantity(textIn(a)), parseQuantity(textIn(b))];
  return left.ok && right.ok && compareQuantities(left.value, right.value) < 0;
}

function containersIn(template: JsonObject, list: string): readonly JsonObject[] {
  return listOf(objectAt(template, "spec")[list]).filter(isJsonObject);
}

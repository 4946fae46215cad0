// A daemon pod is made for one node. It is pinned there by node affinity, so that the scheduler still checks it,
// and the pin is read back to learn which node a pod without spec.nodeName was made for.

import type { Parsed } from "../decision/problem.ts";
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
const nameField = "metadata.name";

/** The affinity with all required node terms replaced by one that names the node; everything else is kept. */
export function pinToNode(affinity: Json | undefined, nodeName: string): JsonObject {
  const given = objectOf(affinity);
  const required = { nodeSelectorTerms: [{ matchFields: [{ key: nameField, operator: "In", values: [nodeName] }] }] };
  return { ...given, nodeAffinity: { ...objectOf(given.nodeAffinity), [requiredTerms]: required } };
}

/** The node a pod runs on or was made for, or why nobody can tell. */
export function targetNodeName(podSpec: unknown): Parsed<string> {
  const spec = objectOf(podSpec);
  if (typeof spec.nodeName === "string" && spec.nodeName !== "") return { ok: true, value: spec.nodeName };
  const required = objectOf(objectOf(objectOf(spec.affinity).nodeAffinity)[requiredTerms]);
  const path = `spec.affinity.nodeAffinity.${requiredTerms}.nodeSelectorTerms`;
  const pin = listOf(required.nodeSelectorTerms)
    .flatMap((term) => listOf(objectOf(term).matchFields))
    .map(objectOf)
    .find((field) => field.key === nameField && field.operator === "In");
  if (pin === undefined)
    return { ok: false, problems: [{ path, message: "names no node, and spec.nodeName is empty" }] };
  const [name, second] = listOf(pin.values);
  if (typeof name === "string" && second === undefined) return { ok: true, value: name };
  return { ok: false, problems: [{ path, message: `must name exactly one node in its ${nameField} field` }] };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

// What `kubectl apply` makes of a stored object and a manifest: fields that others have written stay, as the pause of a rollout,
// and fields go that the manifest had when it was applied before. Lists are taken whole, as for every custom resource.

import { objectIdentity } from "../../core/decision/object-identity.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { parseJson } from "../../core/json/parse-json.ts";
import { objectAt } from "../../kinds/schema/json-parts.ts";

const NEVER_APPLIED: JsonObject = Object.freeze({});
export const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * The manifest with the spec that the object will have; both in the stored version. Of an object that was never applied nothing goes: nobody can
 * tell which of its fields are somebody else's.
 */
export function appliedForm(
  manifest: JsonObject,
  stored: JsonObject,
  inStoredForm: (object: JsonObject) => JsonObject,
): JsonObject {
  if (!isJsonObject(manifest.spec)) return manifest;
  const last = objectAt(inStoredForm(lastApplied(stored)), "spec");
  return { ...manifest, spec: merged(last, manifest.spec, objectAt(stored, "spec")) };
}

/** What no server has stored is a manifest itself, as in a folder of them, and will have been applied as it stands. */
function lastApplied(stored: JsonObject): JsonObject {
  const { uid, annotations } = objectIdentity(stored);
  if (uid === "") return stored;
  const text = annotations[LAST_APPLIED];
  const before = text === undefined ? undefined : parseJson(text);
  return before?.ok === true && isJsonObject(before.value) ? before.value : NEVER_APPLIED;
}

function merged(last: JsonObject, wanted: JsonObject, live: JsonObject): JsonObject {
  const asked = Object.entries(wanted).filter(([, value]) => value !== null);
  const others = Object.entries(live).filter(([key]) => isLeftAlone(last, wanted, key));
  const settled = asked.map(([key, value]): readonly [string, Json] => {
    const stands = Object.hasOwn(live, key) ? live[key] : undefined;
    const isMap = isJsonObject(value) && isJsonObject(stands);
    return [key, isMap ? merged(objectAt(last, key), value, stands) : value];
  });
  return Object.fromEntries([...others, ...settled]);
}

/** A null asks for a field to go, once: one that was applied before asks for nothing new. */
function isLeftAlone(last: JsonObject, wanted: JsonObject, key: string): boolean {
  if (!Object.hasOwn(wanted, key)) return !Object.hasOwn(last, key);
  return wanted[key] === null && Object.hasOwn(last, key) && last[key] === null;
}

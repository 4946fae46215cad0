// What people may have in a set from Kruise's documents and what has no effect here: they are told at admission, not left to wonder.

import { objectIdentity } from "../../../core/decision/object-identity.ts";
import { isJsonObject } from "../../../core/json/json.ts";
import { objectAt, specOf } from "../../schema/json-parts.ts";

const PREDOWNLOAD = "apps.kruise.io/image-predownload-";

/** Annotations of sets that Kruise once knew. */
const FORMER: ReadonlyMap<string, string> = new Map([
  ["daemonset.kruise.io/ignore-not-ready", "nodes that are not ready never hold up an update"],
  ["daemonset.kruise.io/ignore-unscheduable", "cordoned nodes run their daemons, as with Kubernetes' own DaemonSet"],
]);

/** Warnings about annotations and fields without effect, whatever the shape of the object. */
export function withoutEffectWarnings(object: unknown): readonly string[] {
  if (!isJsonObject(object)) return [];
  const keys = Object.keys(objectIdentity(object).annotations).sort();
  const annotations = keys.flatMap((key) => {
    const because = key.startsWith(PREDOWNLOAD) ? "images are not pulled ahead of an update" : FORMER.get(key);
    return because === undefined ? [] : [`metadata.annotations[${key}]: has no effect: ${because}`];
  });
  const isHooked = isJsonObject(objectAt(specOf(object), "lifecycle").preNormal);
  return [
    ...annotations,
    ...(isHooked ? ["spec.lifecycle.preNormal: has no effect on a DaemonSet, as in Kruise"] : []),
  ];
}

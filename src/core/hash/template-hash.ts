// The pod template hash, as DaemonSets and Deployments of one Kubernetes release compute it. New revisions of ours are
// named by a hash of our own; this one recognises names that other controllers gave.

import type { Parsed } from "../decision/problem.ts";
import type { Json } from "../json/json.ts";
import { fnv1a32, utf8Bytes } from "./fnv.ts";
import { type GoLayout, goDump } from "./go-dump.ts";
import { safeEncode } from "./safe-encode.ts";

export const podTemplateType = "v1.PodTemplateSpec";

/** The hash of a template by the types of one release; a collision count of 0 is not the same as none. */
export function templateHash(layout: GoLayout, template: Json, collisionCount: number | undefined): Parsed<string> {
  const dump = goDump(layout, podTemplateType, template);
  if (!dump.ok) return dump;
  const hash = fnv1a32(utf8Bytes(dump.value));
  const counted = collisionCount === undefined ? hash : fnv1a32(countBytes(collisionCount), hash);
  return { ok: true, value: safeEncode(counted.toString()) };
}

/** Kubernetes reserves eight bytes and fills four of them, the lowest first. */
function countBytes(collisionCount: number): Uint8Array {
  return Uint8Array.of(collisionCount, collisionCount >>> 8, collisionCount >>> 16, collisionCount >>> 24, 0, 0, 0, 0);
}

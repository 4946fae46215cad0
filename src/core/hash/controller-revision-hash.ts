// The hash and the name of a ControllerRevision, as the workload controllers of Kubernetes compute them:
// revisions that another controller left behind keep names that we can recognise.

import { fnv1Hash32, utf8Bytes } from "./fnv.ts";
import { safeEncode } from "./safe-encode.ts";

/** Leaves room for the dash and a hash below the 253 bytes of an object name. */
const PARENT_CHARS_MAX = 223;

/** The hash of revision data as stored, with the collision count appended unless there is none (0 is one). */
export function controllerRevisionHash(rawData: string, collisionCount: number | undefined): string {
  const hashed = collisionCount === undefined ? rawData : `${rawData}${collisionCount}`;
  return safeEncode(fnv1Hash32(utf8Bytes(hashed)).toString());
}

/** `<parent>-<hash>`, with a long parent name cut. */
export function controllerRevisionName(parent: string, hash: string): string {
  return `${parent.slice(0, PARENT_CHARS_MAX)}-${hash}`;
}

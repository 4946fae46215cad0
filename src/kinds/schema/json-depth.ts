// How deep a value is nested. Code that merges or renders one recurses, so the door asks first.
import type { Json } from "../../core/json/json.ts";

/** The levels of a pod template or of a patch of one; Kubernetes' own have about twelve. */
export const TEMPLATE_DEPTH_MAX = 64;

/** Whether a value has more levels than that. It counts with a list of its own, because nesting can exceed the stack. */
export function isDeeperThan(value: Json, limit: number): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; depth <= limit; depth++) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}

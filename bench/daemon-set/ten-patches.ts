// Ten patches of one KiB each, all of which match every node: the most that a set may have.
import type { JsonObject } from "../../src/core/json/json.ts";

const PATCHES = 10;
const BYTES = 1_024;

/** The patches as they stand in a spec. */
export function tenPatches(): readonly JsonObject[] {
  return Array.from({ length: PATCHES }, (_, at) => ({ selector: {}, priority: at, patch: largePatch(at) }));
}

/** Variables until the patch is full, and one annotation that fills the rest. */
function largePatch(at: number): JsonObject {
  const variables = Array.from({ length: 20 }, (_, place) => ({ name: `VAR_${at}_${place}`, value: "x".repeat(8) }));
  const containers = [{ name: "agent", env: variables }];
  const withFill = (fill: string) => ({ metadata: { annotations: { fill } }, spec: { containers } });
  return withFill("y".repeat(BYTES - JSON.stringify(withFill("")).length));
}

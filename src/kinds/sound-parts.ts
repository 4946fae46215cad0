// Parts of a pod template that were found without problems, so that what patches leave alone, and what they bring as it is, is checked once for all
// classes of nodes.
import type { Json, JsonObject } from "../core/json.ts";

/** Lists and objects of a template and of its patches: where one of them comes again in its place, it need not be checked again. */
export type SoundParts = {
  /** It has no problems. */
  readonly has: (part: Json | undefined) => boolean;
  /** Its fields have the shapes of the API's; whether they make sense together is not known. */
  readonly isShaped: (part: Json | undefined) => boolean;
};

/** No part is known to be sound. */
export const NOTHING_SOUND: SoundParts = Object.freeze({ has: () => false, isShaped: () => false });

/** The parts of a template that has no problems, and of patches whose fields have the right shapes. */
export function soundParts(template: JsonObject, patches: readonly JsonObject[] = []): SoundParts {
  const sound = partsOf([template]);
  const shaped = partsOf(patches);
  return { has: (part) => sound.has(part), isShaped: (part) => sound.has(part) || shaped.has(part) };
}

function partsOf(roots: readonly JsonObject[]): ReadonlySet<Json | undefined> {
  const parts = new Set<Json | undefined>();
  const pending: Json[] = [...roots];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (typeof part !== "object" || part === null) continue;
    parts.add(part);
    pending.push(...Object.values(part));
  }
  return parts;
}

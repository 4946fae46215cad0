// Parts of a pod template that were found without problems, so that what patches leave alone is checked once for all classes of nodes.
import type { Json, JsonObject } from "../core/json.ts";

/** Lists and objects of a template without problems: where one of them comes again in its place, it need not be checked again. */
export type SoundParts = { readonly has: (part: Json | undefined) => boolean };

/** No part is known to be sound. */
export const NOTHING_SOUND: SoundParts = Object.freeze({ has: () => false });

/** The parts of a template that has no problems. */
export function soundParts(template: JsonObject): SoundParts {
  const sound = new Set<Json | undefined>();
  const pending: Json[] = [template];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (typeof part !== "object" || part === null) continue;
    sound.add(part);
    pending.push(...Object.values(part));
  }
  return sound;
}

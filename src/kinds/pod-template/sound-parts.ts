// What is known of the parts of a pod template and of its patches, so that what patches leave alone, and what they bring as it is, is checked once for
// all classes of nodes.
import type { Json, JsonObject } from "../../core/json/json.ts";
import type { FieldSchema, StructSchema } from "../../core/strategic-merge/schema.ts";

/** Lists and objects whose fields have the shapes of the API's, each with what it was taken for: an element of a list, or a field. */
export type ShapedParts = ReadonlyMap<Json, FieldSchema | StructSchema>;

export type SoundParts = {
  /** True for a list or object of a template without problems: where it comes again in its place, it need not be checked again. */
  readonly has: (part: Json | undefined) => boolean;
  /** As what the shapes of a part were found to be right; whether its fields make sense together is not known. */
  readonly shapedAt: (part: Json) => FieldSchema | StructSchema | undefined;
};

/** No part is known to be sound. */
export const NOTHING_SOUND: SoundParts = Object.freeze({ has: () => false, shapedAt: () => undefined });

/** The parts of a template that has no problems, and those of its patches. */
export function soundParts(template: JsonObject, ofPatches: readonly ShapedParts[] = []): SoundParts {
  const sound = new Set<Json | undefined>();
  const pending: Json[] = [template];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (typeof part !== "object" || part === null) continue;
    sound.add(part);
    pending.push(...Object.values(part));
  }
  const shaped = new Map(ofPatches.flatMap((parts) => [...parts]));
  return { has: (part) => sound.has(part), shapedAt: (part) => shaped.get(part) };
}

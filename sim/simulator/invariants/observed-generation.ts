// S8, the part that needs no kind: a status never says that it has seen less than before, nor a spec that does not exist yet.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, numberAt, objectAt } from "../../api-server/api-object.ts";
import type { Invariant } from "../commit.ts";

/** `status.observedGeneration` of any object only rises, up to its generation. */
export const observedGenerationRises: Invariant = {
  name: "ObservedGeneration",
  check({ table, key, before, after }) {
    const now = after === undefined ? undefined : observed(after);
    if (now === undefined || after === undefined) return undefined;
    const newest = numberAt(metaOf(after), "generation") ?? now;
    if (now > newest) return `${table} ${key} has seen generation ${now}, but is at ${newest}`;
    const isSame = before !== undefined && metaOf(before).uid === metaOf(after).uid;
    const last = isSame ? observed(before) : undefined;
    return last !== undefined && last > now ? `${table} ${key} had seen ${last}, now only ${now}` : undefined;
  },
};

function observed(object: JsonObject): number | undefined {
  return numberAt(objectAt(object, "status"), "observedGeneration");
}

// A difference between the two servers, and when two of them are the same one: an episode is cut down only as long as what is
// left shows the difference that was found, and not another.
import { isSameJson } from "../../sim/api-server/same-json.ts";
import { isJsonList, isJsonObject, type Json } from "../../src/core/json/json.ts";

export type Difference = {
  readonly says: string;
  readonly sent: Json;
  readonly real: Json;
  readonly embedded: Json;
};

/** True if both were found at the same operation, part at the same places, and have the same numbers and kinds of values there. */
export function isSameDifference(one: Difference, other: Difference): boolean {
  return one.says === other.says && isSameJson(placesOf(one), placesOf(other));
}

/** The places at which the answers part, sorted; items of lists count as one place, since their order follows what was before. */
function placesOf({ real, embedded }: Difference): readonly string[] {
  return [...new Set(partings(real, embedded, ""))].sort();
}

function partings(real: Json | undefined, embedded: Json | undefined, path: string): readonly string[] {
  if (isSameJson(real, embedded)) return [];
  if (isJsonList(real) && isJsonList(embedded)) {
    const length = Math.max(real.length, embedded.length);
    return Array.from({ length }).flatMap((_, at) => partings(real[at], embedded[at], `${path}[]`));
  }
  if (isJsonObject(real) && isJsonObject(embedded)) {
    const keys = new Set([...Object.keys(real), ...Object.keys(embedded)]);
    return [...keys].flatMap((key) => partings(real[key], embedded[key], `${path}.${key}`));
  }
  return [`${path}: ${shapeOf(real)}, ${shapeOf(embedded)}`];
}

/** Texts may name the namespace of an episode; numbers tell a refusal from another. */
function shapeOf(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "number") return String(value);
  return isJsonList(value) ? "list" : typeof value;
}

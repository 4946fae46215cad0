// What an installed definition of a kind lacks beside ours: another operator's definition of the same name has other fields, and what it
// does not know the API server drops without a word.
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { listOf, objectAt } from "./json-parts.ts";

/** Gaps that are looked for; whoever lacks so much is not ours. */
export const GAPS_MAX = 20;
/** What every object has, whether its definition names it or not. */
const OF_EVERY_OBJECT: readonly string[] = ["apiVersion", "kind", "metadata"];

/** The fields of one version of our definition that the installed one would drop, as paths; the version itself if it does not serve it. */
export function definitionGaps(ours: JsonObject, installed: JsonObject, version: string): readonly string[] {
  const wanted = schemaOf(ours, version);
  const found = schemaOf(installed, version);
  if (wanted === undefined) return [];
  if (found === undefined) return [`version ${version}`];
  const gaps: string[] = [];
  compare(wanted, found, "", gaps);
  return gaps;
}

function schemaOf(definition: JsonObject, version: string): JsonObject | undefined {
  const versions = listOf(objectAt(definition, "spec").versions).filter(isJsonObject);
  const served = versions.find(({ name, served: isServed }) => name === version && isServed === true);
  return served === undefined ? undefined : objectAt(objectAt(served, "schema"), "openAPIV3Schema");
}

/** Walks both schemas as far as ours has fields. What keeps unknown fields drops none. */
function compare(ours: JsonObject, installed: JsonObject, path: string, gaps: string[]): void {
  if (gaps.length >= GAPS_MAX || installed["x-kubernetes-preserve-unknown-fields"] === true) return;
  const known = objectAt(installed, "properties");
  for (const [name, wanted] of Object.entries(objectAt(ours, "properties"))) {
    if (gaps.length >= GAPS_MAX) return;
    if (path === "" && OF_EVERY_OBJECT.includes(name)) continue;
    const at = path === "" ? name : `${path}.${name}`;
    const found = known[name];
    if (!isJsonObject(found)) gaps.push(at);
    else if (isJsonObject(wanted)) compare(wanted, found, at, gaps);
  }
  for (const inner of ["items", "additionalProperties"] as const) {
    const wanted = ours[inner];
    const found = installed[inner];
    if (isJsonObject(wanted) && isJsonObject(found)) compare(wanted, found, `${path}[]`, gaps);
  }
}

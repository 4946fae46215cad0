// Whether the definition that is installed for a kind is ours, or at least has all our fields: another operator's may go by the same name.
import type { JsonObject } from "../../core/json/json.ts";
import type { Kind } from "../../kinds/kind.ts";
import { definitionGaps } from "../../kinds/schema/definition-gaps.ts";
import type { StandingBack } from "./rivals.ts";

/** Missing fields that the sentence names. */
const FIELDS_SHOWN_MAX = 5;

/** Judges what is installed; undefined when it will do. */
export function judgeDefinition(
  { plural, group, version }: Kind,
  ours: JsonObject,
  installed: JsonObject,
): StandingBack | undefined {
  const gaps = definitionGaps(ours, installed, version);
  if (gaps.length === 0) return undefined;
  const name = `${plural}.${group}`;
  const more = gaps.length - FIELDS_SHOWN_MAX;
  const lacks = `${gaps.slice(0, FIELDS_SHOWN_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const because = `the installed definition ${name} is not ours and lacks ${lacks}; apply deploy/crds/${name}.yaml`;
  return { isCertain: true, because };
}

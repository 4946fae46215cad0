// Who holds a label of an object, as the API server keeps the books of field managers: from these a label that stays although we let go
// of it is known to be somebody else's too.
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";

/** The names of the managers that hold a label, each once, in order; none where the object tells nothing of its managers. */
export function labelHolders({ metadata }: JsonObject, label: string): readonly string[] {
  const entries = memberOf(metadata, "managedFields");
  if (!Array.isArray(entries)) return [];
  const holders = entries.flatMap((entry: Json) => {
    const labels = ["fieldsV1", "f:metadata", "f:labels"].reduce(memberOf, entry);
    const holder = memberOf(entry, "manager");
    return memberOf(labels, `f:${label}`) !== undefined && typeof holder === "string" ? [holder] : [];
  });
  return [...new Set(holders)].sort();
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

// The shortest JSON patch that our defaults need: members that were added, changed or taken away, object by object.
import { canonicalJson } from "../core/json/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";

export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/**
 * The operations that make one object of the other. Lists are replaced as a whole.
 * Assumes that they share most parts, as an object and the same with defaults do: shared parts are not walked.
 */
export function jsonPatch(before: JsonObject, after: JsonObject, path = ""): readonly PatchOperation[] {
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const removed = gone.map((key): PatchOperation => ({ op: "remove", path: pathTo(path, key) }));
  const written = Object.entries(after).flatMap(([key, value]): readonly PatchOperation[] => {
    const place = pathTo(path, key);
    if (!Object.hasOwn(before, key)) return [{ op: "add", path: place, value }];
    const was = before[key] ?? null;
    if (was === value) return [];
    if (isJsonObject(was) && isJsonObject(value)) return jsonPatch(was, value, place);
    return canonicalJson(was) === canonicalJson(value) ? [] : [{ op: "replace", path: place, value }];
  });
  return [...removed, ...written];
}

function pathTo(path: string, key: string): string {
  return `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

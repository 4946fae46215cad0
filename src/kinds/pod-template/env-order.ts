// Variables that refer to later ones. A strategic merge puts what a patch adds before what the template has, and kubelet
// expands $(NAME) only from variables that stand before: the patched pod would get the letters instead of the value.
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { quoted } from "../../core/values/shown.ts";
import { listOf, objectAt } from "../schema/json-parts.ts";

const REFERENCES = /\$\(([A-Za-z_][\w.-]*)\)/g;
const FOUND_MAX = 10;

/** Sentences about variables that refer to a later one in `rendered` and did not in `template`. */
export function lateVariableWarnings(template: JsonObject, rendered: JsonObject, path: string): readonly string[] {
  const known = new Set(lateReferences(template));
  return lateReferences(rendered)
    .filter((found) => !known.has(found))
    .slice(0, FOUND_MAX)
    .map(
      (found) =>
        `${path}: ${found}, which a merge puts behind it and which is not expanded; repeat it in the patch, first`,
    );
}

function lateReferences(template: JsonObject): readonly string[] {
  const spec = objectAt(template, "spec");
  return [...listOf(spec.initContainers), ...listOf(spec.containers)].flatMap((container) => {
    if (!isJsonObject(container)) return [];
    const env = listOf(container.env).filter(isJsonObject);
    const firstAt = new Map(env.map(({ name }, index) => [name, index] as const).reverse());
    return env.flatMap(({ name, value }, index) =>
      referencesIn(value)
        .filter((other) => (firstAt.get(other) ?? -1) > index)
        .map((other) => `variable ${quoted(name)} of container ${quoted(container.name)} refers to ${quoted(other)}`),
    );
  });
}

function referencesIn(value: Json | undefined): readonly string[] {
  return typeof value === "string" ? [...value.matchAll(REFERENCES)].map(([, name = ""]) => name) : [];
}

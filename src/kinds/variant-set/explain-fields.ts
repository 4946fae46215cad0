// What became of the template on its way to the pods of a cell: the variant's patch, its images, and what binds them to their nodes.
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { PatchLayer } from "../../core/strategic-merge/strategic-merge.ts";
import type { Explanation } from "../kind.ts";
import { fieldOrigins, OPERATOR_LAYER } from "../pod-template/field-origins.ts";
import { listOf, objectAt } from "../schema/json-parts.ts";
import type { VariantSet } from "./api/spec.ts";
import type { Cell } from "./cell.ts";
import { renderTemplate } from "./render.ts";

/** Tells where the fields of a cell's pods come from, given the spec of the DaemonSet that it should have. */
export function explainFields(
  set: VariantSet,
  cell: Cell,
  daemonSet: Json | undefined,
): Pick<Explanation, "fields" | "otherFields"> {
  const { patch, place } = cell.variant;
  const rendered = renderTemplate(set, cell);
  const bound = objectAt(isJsonObject(daemonSet) ? daemonSet : {}, "template");
  const layers: readonly PatchLayer[] = [
    ...(patch === undefined ? [] : [{ name: `${place}.patch`, patch }]),
    { name: `${place}.images`, patch: { spec: imagePatch(objectAt(rendered, "spec"), cell.images) } },
    { name: OPERATOR_LAYER, patch: bindingPatch(rendered, bound) },
  ];
  return { fields: fieldOrigins(set.template, layers), otherFields: "the template" };
}

function imagePatch(spec: JsonObject, images: ReadonlyMap<string, string>): JsonObject {
  const patched = ["containers", "initContainers"].flatMap((field) => {
    const containers = listOf(spec[field]).filter(isJsonObject);
    const given = containers.flatMap(({ name }) => {
      const image = typeof name === "string" ? images.get(name) : undefined;
      return image === undefined ? [] : [{ name: name ?? "", image }];
    });
    return given.length === 0 ? [] : [[field, given] as const];
  });
  return Object.fromEntries(patched);
}

/** The labels and the placement that only the DaemonSet has. */
function bindingPatch(rendered: JsonObject, bound: JsonObject): JsonObject {
  const added = (before: JsonObject, after: JsonObject) =>
    Object.fromEntries(Object.entries(after).filter(([key]) => !Object.hasOwn(before, key)));
  const labels = added(
    objectAt(objectAt(rendered, "metadata"), "labels"),
    objectAt(objectAt(bound, "metadata"), "labels"),
  );
  const [before, after] = [objectAt(rendered, "spec"), objectAt(bound, "spec")];
  const nodeSelector = added(objectAt(before, "nodeSelector"), objectAt(after, "nodeSelector"));
  const hasOwnAffinity = Object.keys(nodeSelector).length === 0 && after.affinity !== undefined;
  return {
    metadata: { labels },
    spec: { nodeSelector, ...(hasOwnAffinity ? { affinity: after.affinity ?? null } : {}) },
  };
}

// Which labels of a node decide what it gets from a set. Nodes that agree in them can share an answer, and the label that the set itself
// writes must not be among them: every binding would change what it follows from.

import type { Problem } from "../../core/decision/problem.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { LabelSelector } from "../../core/labels/label-selector.ts";
import { quoted } from "../../core/values/shown.ts";
import { listOf, objectAt } from "../schema/json-parts.ts";
import type { VariantSet } from "./api/spec.ts";
import { nodeLabelKeys } from "./set-labels.ts";

/** The keys that one field of the set reads. */
export type LabelRead = { readonly path: string; readonly keys: readonly string[] };

/** Lists what the fields of a set read of a node's labels. A patch may not choose nodes, so the template alone does. */
export function labelReads({ scope, variants, template }: VariantSet): readonly LabelRead[] {
  const at = "spec.template.spec";
  return [
    { path: "spec.nodeSelector", keys: scope.kind === "selected" ? keysOf(scope.selector) : ["kubernetes.io/os"] },
    ...variants.map(({ place, match }) => {
      return { path: `${place}.match.labels`, keys: match.labels === undefined ? [] : keysOf(match.labels) };
    }),
    { path: `${at}.nodeSelector`, keys: Object.keys(objectAt(objectAt(template, "spec"), "nodeSelector")) },
    {
      path: `${at}.affinity.nodeAffinity`,
      keys: requiredTerms(template).flatMap((term) => listOf(term.matchExpressions).flatMap(keyIn)),
    },
  ];
}

/** The terms of the template's node affinity of which one must match. */
export function requiredTerms(template: JsonObject): readonly JsonObject[] {
  const affinity = objectAt(objectAt(objectAt(template, "spec"), "affinity"), "nodeAffinity");
  const required = objectAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  return listOf(required.nodeSelectorTerms).filter(isJsonObject);
}

/** Names every field that reads a label which the set writes. */
export function ownLabelProblems(set: VariantSet): readonly Problem[] {
  const written = nodeLabelKeys(set);
  return labelReads(set).flatMap(({ path, keys }) => {
    const key = keys.find((each) => written.includes(each));
    if (key === undefined) return [];
    const message = `${quoted(key)} is the label that the set writes to nodes, so it cannot choose them; use another label`;
    return [{ path, message }];
  });
}

function keyIn(expression: Json): readonly string[] {
  return isJsonObject(expression) && typeof expression.key === "string" ? [expression.key] : [];
}

function keysOf(selector: LabelSelector): readonly string[] {
  return selector.kind === "nothing" ? [] : selector.requirements.map(({ key }) => key);
}

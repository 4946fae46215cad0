// Admission of an advanced DaemonSet, in either version: what would stop it at reconcile refuses it here, and so do patches
// that could not be used, that are too large, or that name fields no pod has.

import type { Problem } from "../../../core/decision/problem.ts";
import { canonicalJson } from "../../../core/json/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { strategicMerge } from "../../../core/strategic-merge/strategic-merge.ts";
import type { Admission } from "../../kind.ts";
import { lateVariableWarnings } from "../../pod-template/env-order.ts";
import { unknownPatchFields } from "../../pod-template/patch-fields.ts";
import { reservedKeys } from "../../pod-template/template-patch.ts";
import { admission, problem } from "../../schema/admission.ts";
import { listOf, objectAt, specOf } from "../../schema/json-parts.ts";
import { readObject } from "../../schema/read-spec.ts";
import { plainPatch } from "../revision/revision.ts";
import { olderToNewer } from "./convert.ts";
import { parseDaemonSet } from "./parse.ts";
import { olderDaemonSetSpecSchema, PATCH_BYTES_MAX } from "./schema.ts";
import type { AdvancedDaemonSet, NodePatch } from "./spec.ts";
import { withoutEffectWarnings } from "./without-effect.ts";

export type AdmissionOptions = {
  /** The gate AdvancedDaemonSetNodeLabelPatches: while it is off, patches may stay as they are but none may come. */
  readonly arePatchesEnabled: boolean;
};

/** Judges a DaemonSet that someone wants to store; `before` is what was stored until now, undefined for a new one. */
export function validateDaemonSet(
  object: unknown,
  before: unknown,
  options: AdmissionOptions = { arePatchesEnabled: true },
): Admission {
  const older = isOlder(object) ? readObject(olderDaemonSetSpecSchema, object) : undefined;
  if (older?.ok === false) return admission(older);
  const newer = newerOf(object);
  const old = newerOf(before);
  const parsed = parseDaemonSet(newer);
  const selector = selectorProblems(newer, old);
  if (!parsed.ok) return admission(parsed, { problems: selector });
  const set = parsed.value;
  return admission(
    { problems: selector },
    { problems: gateProblems(newer, old, options) },
    { problems: templateKeyProblems(newer, old) },
    { problems: set.patches.flatMap((patch) => patchFieldProblems(patch, isPatchStored(patch, old))) },
    { warnings: [...set.patches.flatMap((patch) => patchWarnings(patch, set)), ...strategyWarnings(set, newer)] },
    { warnings: withoutEffectWarnings(object) },
  );
}

function isOlder(object: unknown): boolean {
  return isJsonObject(object) && object.apiVersion === "apps.kruise.io/v1alpha1";
}

function newerOf(object: unknown): unknown {
  return isJsonObject(object) && isOlder(object) ? olderToNewer(object) : object;
}

function selectorProblems(object: unknown, old: unknown): readonly Problem[] {
  if (old === undefined || selectorText(object) === selectorText(old)) return [];
  return problem("spec.selector", "cannot be changed: create another DaemonSet, or keep the selector");
}

/** The selector of a set as Go compares it: an empty list or map is the same as none. */
function selectorText(set: unknown): string {
  const { matchLabels, matchExpressions } = objectAt(specOf(set), "selector");
  const conditions = listOf(matchExpressions).map((each) =>
    isJsonObject(each) ? { ...each, values: each.values ?? [] } : each,
  );
  return canonical([matchLabels ?? {}, conditions]);
}

function gateProblems(object: unknown, old: unknown, { arePatchesEnabled }: AdmissionOptions): readonly Problem[] {
  const patches = listOf(specOf(object).patches);
  if (arePatchesEnabled || patches.length === 0) return [];
  const textOf = (patch: Json) => canonical(plainPatch(patch));
  const stored = new Set(listOf(specOf(old).patches).map(textOf));
  if (patches.every((patch) => stored.has(textOf(patch)))) return [];
  return problem(
    "spec.patches",
    "the feature gate AdvancedDaemonSetNodeLabelPatches is off; switch it on, or add none to those that are stored",
  );
}

/** The controller writes its own over them. Who has stored such a template keeps it: a set of Kruise's is taken as it is. */
function templateKeyProblems(object: unknown, old: unknown): readonly Problem[] {
  const keysIn = (set: unknown) => reservedKeys(objectAt(objectAt(specOf(set), "template"), "metadata"));
  const stored = keysIn(old);
  const added = keysIn(object).filter((key) => !stored.includes(key));
  return added.flatMap((key) =>
    problem(`spec.template.metadata.${key}`, "is the controller's own, which would be written over it; remove it"),
  );
}

function isPatchStored({ patch }: NodePatch, old: unknown): boolean {
  const written = canonical(patch);
  return listOf(specOf(old).patches).some((each) => isJsonObject(each) && canonical(each.patch) === written);
}

/** A limit that came later must not block other changes of an object, so a stored patch may stay as large as it is. */
function patchFieldProblems({ patch, index, faults }: NodePatch, isStored: boolean): readonly Problem[] {
  if (faults.length > 0) return faults;
  const path = `spec.patches[${index}].patch`;
  const bytes = new TextEncoder().encode(compactJson(patch)).length;
  const message = `has ${bytes} bytes as compact JSON; at most ${PATCH_BYTES_MAX} are allowed: move what all nodes share to spec.template`;
  return [...(bytes > PATCH_BYTES_MAX && !isStored ? problem(path, message) : []), ...unknownPatchFields(patch, path)];
}

/** Assumes a bounded depth, which the parser has checked. */
function compactJson(value: JsonObject): string {
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === "bigint" ? Number(each) : each));
}

function patchWarnings({ selector, index, patch, faults }: NodePatch, set: AdvancedDaemonSet): readonly string[] {
  const path = `spec.patches[${index}]`;
  const isForAll = selector.kind === "all-of" && selector.requirements.length === 0;
  const { template } = set;
  return [
    ...(isForAll
      ? [`${path}.selector: is empty, so the patch is for every node; spec.template could say the same`]
      : []),
    // A patch with faults is refused; one without can be merged.
    ...(faults.length > 0 ? [] : lateVariableWarnings(template, strategicMerge(template, patch), `${path}.patch`)),
  ];
}

function strategyWarnings({ updateStrategy, template }: AdvancedDaemonSet, object: unknown): readonly string[] {
  const written = objectAt(objectAt(specOf(object), "updateStrategy"), "rollingUpdate");
  if (updateStrategy.kind === "OnDelete")
    return written.partition === undefined
      ? []
      : ["spec.updateStrategy.rollingUpdate.partition: has no effect with the type OnDelete"];
  const isSurging = updateStrategy.budget.kind === "surge";
  return isSurging && holdsHostPort(objectAt(template, "spec"))
    ? ["spec.updateStrategy.rollingUpdate.maxSurge: two pods of a node cannot share a host port; the new one will wait"]
    : [];
}

function holdsHostPort(podSpec: JsonObject): boolean {
  return listOf(podSpec.containers).some((container) =>
    listOf(isJsonObject(container) ? container.ports : undefined).some(
      (port) => isJsonObject(port) && (typeof port.hostPort === "number" || podSpec.hostNetwork === true),
    ),
  );
}

function canonical(value: Json | undefined): string {
  return canonicalJson(value ?? null);
}

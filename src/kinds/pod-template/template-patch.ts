// A strategic merge patch on a pod template, as VariantSet and DaemonSet have them: what such a patch may not touch, and the
// check of the template with that patch alone applied. Per-key reasoning makes the check of single patches sufficient for
// labels; combinations are checked again when they are rendered.
//
// This folder checks pod templates, and follows patches on them. Beside this file:
//   pod-template-schema.ts: the field of a custom resource
//   pod-template-problems.ts, container-fields.ts: checks that decisions rely on
//   pod-template-shapes.ts, pod-template-scalars.ts: lists, objects, flags: the types the API takes
//   patch-fields.ts: misspelt fields in a patch
//   env-order.ts, order-changes.ts, field-origins.ts: what a patch did, for explanations
//   sound-parts.ts: remembers which parts were checked

import type { Problem } from "../../core/decision/problem.ts";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { type LabelSelector, matchLabels } from "../../core/labels/label-selector.ts";
import { StrategicMergeError } from "../../core/strategic-merge/error.ts";
import { strategicMerge } from "../../core/strategic-merge/strategic-merge.ts";
import { quoted, shown } from "../../core/values/shown.ts";
import { problem, problemsOf } from "../schema/admission.ts";
import { isDeeperThan, TEMPLATE_DEPTH_MAX } from "../schema/json-depth.ts";
import { objectAt } from "../schema/json-parts.ts";
import { podTemplateProblems, templateLabels } from "./pod-template-problems.ts";

const reservedMetadata: readonly string[] = [
  ..."name namespace generateName uid ownerReferences resourceVersion generation".split(" "),
  ..."creationTimestamp deletionTimestamp deletionGracePeriodSeconds managedFields finalizers selfLink".split(" "),
];
/**
 * Keys that controllers write on the pods; a patch of them would be overwritten or would mislead. Those under kubelet.farrier.dev nobody
 * writes: by them people tell simulated kubelets how a pod behaves.
 */
const reservedKey =
  /^(controller-revision-hash|pod-template-generation|lifecycle\.apps\.kruise\.io\/.*|apps\.kruise\.io\/inplace-.*|inplace-update-(state|grace)|daemonset\.kruise\.io\/(patch-combined-hash|applied-patches)|(?!kubelet\.)([^/]+\.)?farrier\.dev\/.*)$/;
const required = "requiredDuringSchedulingIgnoredDuringExecution";
/** Where a patch may not make a difference, by whatever means. */
const fixedFields: readonly (readonly [path: string, at: (template: JsonObject) => Json | undefined])[] = [
  ["metadata.finalizers", ({ metadata }) => (isJsonObject(metadata) ? metadata.finalizers : undefined)],
  ["spec.nodeName", (template) => objectAt(template, "spec").nodeName],
  ["spec.nodeSelector", (template) => objectAt(template, "spec").nodeSelector],
  [`spec.affinity.nodeAffinity.${required}`, (template) => nodeAffinityOf(objectAt(template, "spec"))[required]],
];
const none: readonly Problem[] = Object.freeze([]);

export type PatchGround = {
  readonly template: JsonObject;
  /** Pods of the patched template must still match it; undefined where the operator makes the selector. */
  readonly selector: LabelSelector | undefined;
  /** Where the template's faults are reported, so that they are not blamed on the patch again. */
  readonly templateProblems: readonly Problem[];
};

/** Whether a label or an annotation of a pod is the controllers' own. */
export function isReservedKey(key: string): boolean {
  return reservedKey.test(key);
}

/** Labels and annotations in the metadata of a template or patch that are the controllers', as paths: `labels["…"]`. */
export function reservedKeys(metadata: JsonObject): readonly string[] {
  return ["labels", "annotations"].flatMap((map) => {
    const reserved = Object.keys(objectAt(metadata, map)).filter(isReservedKey);
    return reserved.map((key) => `${map}[${quoted(key)}]`);
  });
}

/** Lists why a patch cannot be used on its template; never throws, whatever the patch holds. */
export function patchProblems(patch: JsonObject, ground: PatchGround, path: string): readonly Problem[] {
  if (isDeeperThan(patch, TEMPLATE_DEPTH_MAX))
    return problem(path, `nests deeper than ${TEMPLATE_DEPTH_MAX} levels; no pod template does`);
  const forbidden = [...rootProblems(patch, path), ...metadataProblems(patch.metadata, `${path}.metadata`)];
  const inSpec = placementProblems(patch.spec, `${path}.spec`);
  const all = [...forbidden, ...inSpec, ...protoProblems(patch, path)];
  return all.length > 0 ? all : renderedProblems(patch, ground, path);
}

/** The depth has been looked at before. The root has a message of its own for what does not belong there. */
function protoProblems(value: Json, path: string, isRoot = true): readonly Problem[] {
  if (typeof value !== "object" || value === null) return none;
  return Object.entries(value).flatMap(([key, child]) => {
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${shown(key)}`;
    if (key === "__proto__") return isRoot ? none : problem(at, "is no field of a pod template; remove it");
    return protoProblems(child, at, false);
  });
}

function rootProblems(patch: JsonObject, path: string): readonly Problem[] {
  const rooted = "a patch starts at the pod template, with metadata and spec";
  if (isJsonObject(patch.spec) && Object.hasOwn(patch.spec, "template"))
    return problem(
      `${path}.spec.template`,
      `${rooted}: move what stands under spec.template up to the root of the patch`,
    );
  return Object.keys(patch).flatMap((key) => {
    if (key === "metadata" || key === "spec") return none;
    if (key === "$patch")
      return problem(`${path}.$patch`, "is not allowed at the root: it would discard or keep the whole template");
    return problem(`${path}.${shown(key)}`, `${quoted(key)} is no part of a pod template: ${rooted}`);
  });
}

function metadataProblems(metadata: Json | undefined, path: string): readonly Problem[] {
  if (metadata === undefined) return none;
  if (!isJsonObject(metadata)) return problem(path, `must be an object, not ${quoted(metadata)}`);
  const fields = Object.keys(metadata).filter((key) => {
    // Go writes an empty time as null, so that every patch made of its types has one; no template has another.
    if (key === "creationTimestamp" && metadata[key] === null) return false;
    return reservedMetadata.includes(key);
  });
  const reserved = [...fields, ...reservedKeys(metadata)].flatMap((field) =>
    problem(`${path}.${field}`, "is not the patch's to set: it belongs to the API server or to the controller"),
  );
  return [...wholeProblems(metadata, path, "metadata"), ...reserved];
}

function wholeProblems(part: JsonObject, path: string, name: string): readonly Problem[] {
  if (!Object.hasOwn(part, "$patch")) return none;
  return problem(`${path}.$patch`, `is not allowed here: it would discard or keep the whole ${name} of the template`);
}

/** A node is chosen before its patches are, so a patch that chooses nodes could move the pod away from its own. */
function placementProblems(spec: Json | undefined, path: string): readonly Problem[] {
  if (spec === undefined) return none;
  if (!isJsonObject(spec)) return problem(path, `must be an object, not ${quoted(spec)}`);
  const found = [
    ...["nodeName", "nodeSelector"].filter((field) => Object.hasOwn(spec, field)),
    ...(Object.hasOwn(nodeAffinityOf(spec), required) ? [`affinity.nodeAffinity.${required}`] : []),
  ];
  const placing = found.flatMap((field) =>
    problem(
      `${path}.${field}`,
      "must be left out: a patch may not decide on which node its pod runs; use the template",
    ),
  );
  return [...wholeProblems(spec, path, "spec"), ...placing];
}

function nodeAffinityOf(spec: JsonObject): JsonObject {
  return objectAt(objectAt(spec, "affinity"), "nodeAffinity");
}

/** Nulls and directives around a field take it away without naming it. */
function fixedProblems(before: JsonObject, after: JsonObject, path: string): readonly Problem[] {
  const moved = fixedFields.filter(([, at]) => canonicalJson(at(before) ?? null) !== canonicalJson(at(after) ?? null));
  return moved.flatMap(([field]) =>
    problem(path, `takes template.${field} away, or changes it; leave it as the template has it`),
  );
}

function renderedProblems(patch: JsonObject, ground: PatchGround, path: string): readonly Problem[] {
  const rendered = rendering(ground.template, patch, path);
  if (!rendered.ok) return problemsOf(rendered);
  const known = new Set(ground.templateProblems.map(({ message }) => message));
  const own = podTemplateProblems(rendered.value, "").filter(({ message }) => !known.has(message));
  const prefix = "with this patch applied, ";
  const faults = [
    ...own.map((each) => ({ path, message: `${prefix}template${each.path}: ${each.message}` })),
    ...fixedProblems(ground.template, rendered.value, path),
  ];
  const { selector } = ground;
  if (selector === undefined || matchLabels(selector, templateLabels(rendered.value))) return faults;
  if (!matchLabels(selector, templateLabels(ground.template))) return faults;
  const message = `${prefix}the pod's labels do not match spec.selector; leave the labels that it names alone`;
  return [...faults, { path: `${path}.metadata.labels`, message }];
}

type Rendering =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly problems: readonly Problem[] };

function rendering(template: JsonObject, patch: JsonObject, path: string): Rendering {
  try {
    return { ok: true, value: strategicMerge(template, patch) };
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    return { ok: false, problems: problem(path, error.message) };
  }
}

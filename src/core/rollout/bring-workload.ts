// Bringing a native DaemonSet in line with what we would write: made if it is missing, changed if it differs, adopted if nobody controls it.
// What we applied is known by its hash in an annotation; what others changed since is found by comparing fields.
//
// Guarantees: a DaemonSet that another object controls is not touched. A change that only concerns where pods may go, adoption
// included, leaves the pods current: the hash that they carry is recorded as equivalent.

import { objectIdentity, textsIn } from "../decision/object-identity.ts";
import { type ObjectBody, type Step, targetOf } from "../decision/step.ts";
import { contentHash } from "../hash/content-hash.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { holds, patchToHold } from "../json/json-holding.ts";
import type { Workload } from "./workload.ts";
import { EQUIVALENT_REVISIONS, equivalentRevisions, equivalentsAfter } from "./workload-revision.ts";

/** The hash of what we applied last. */
export const APPLIED = "farrier.dev/applied";
/** The hash of the template that we applied last, apart from where its pods may go. */
export const APPLIED_CONTENT = "farrier.dev/applied-content";
/** It was there before us: fields of its former owner are patched, since an apply would leave or fight them. */
export const ADOPTED = "farrier.dev/adopted";

/** A DaemonSet as we would write it, with the hashes that tell it from others. */
export type WantedWorkload = {
  readonly body: ObjectBody;
  readonly ownerUid: string;
  readonly hash: string;
  readonly contentHash: string;
};

export type Bringing =
  | { readonly is: "there" }
  | {
      readonly is: "step";
      readonly step: Step;
      readonly reason: BringingReason;
      /** Pods that it has now will not be as its template says. */
      readonly outdatesPods: boolean;
    }
  /** It has to wait, for a moment as a rule. */
  | { readonly is: "waiting"; readonly because: string }
  /** The name is somebody else's. */
  | { readonly is: "taken"; readonly because: string };

export type BringingReason = "WorkloadCreated" | "WorkloadUpdated" | "WorkloadAdopted";

/** Computes the hashes of a body once; it must carry the owner reference of the object that it is made for. */
export function wantedWorkload(body: ObjectBody): WantedWorkload {
  const { controllerUid: ownerUid } = objectIdentity(body);
  if (ownerUid === undefined) throw new Error(`DaemonSet "${body.metadata.name}" would be controlled by nobody`);
  const content = canonicalJson(withoutPlacement(templateOf(body.spec)));
  return { body, ownerUid, hash: contentHash(canonicalJson(body)), contentHash: contentHash(content) };
}

/** Says what must be done about a DaemonSet; `currentHash` is that of the revision of its present template. */
export function bringWorkload(
  wanted: WantedWorkload,
  seen: Workload | undefined,
  currentHash: string | undefined,
): Bringing {
  const { name } = wanted.body.metadata;
  if (seen === undefined) {
    const step: Step = { do: "apply", object: annotated(wanted, {}), why: `${name} is needed and not there` };
    return { is: "step", step, reason: "WorkloadCreated", outdatesPods: false };
  }
  if (seen.isLeaving) return { is: "waiting", because: `DaemonSet "${name}" is being deleted` };
  if (seen.controllerUid !== undefined && seen.controllerUid !== wanted.ownerUid) {
    return {
      is: "taken",
      because: `DaemonSet "${name}" exists and is controlled by another object; orphan or rename it`,
    };
  }
  if (isAsWanted(wanted, seen)) return { is: "there" };
  const equivalents = equivalentsOf(wanted, seen, currentHash);
  if (equivalents === undefined) {
    return { is: "waiting", because: `the revision of DaemonSet "${name}" as it is now is not known yet` };
  }
  const annotations: Readonly<Record<string, string>> =
    equivalents.length === 0 ? {} : { [EQUIVALENT_REVISIONS]: equivalents.join(",") };
  const outdatesPods = hasNewContent(wanted, seen);
  if (!isAdopted(seen)) {
    const step: Step = { do: "apply", object: annotated(wanted, annotations), why: `${name} is not as it should be` };
    return { is: "step", step, reason: "WorkloadUpdated", outdatesPods };
  }
  const reason = isStrange(seen) ? "WorkloadAdopted" : "WorkloadUpdated";
  return { is: "step", step: patchStep(wanted, seen, annotations), reason, outdatesPods };
}

/** More changes than where pods may go. What we applied before and somebody has changed since is only put back. */
function hasNewContent(wanted: WantedWorkload, seen: Workload): boolean {
  if (!isStrange(seen)) return seen.annotations[APPLIED_CONTENT] !== wanted.contentHash;
  return !holds(withoutPlacement(templateOf(seen.spec)), withoutPlacement(templateOf(wanted.body.spec)));
}

/** Whether its pods can only go to nodes that the wanted template selects. */
export function isNarrowed({ body }: WantedWorkload, { spec }: Workload): boolean {
  return holds(placementOf(templateOf(spec)), placementOf(templateOf(body.spec)));
}

function isAsWanted(wanted: WantedWorkload, seen: Workload): boolean {
  const { body, hash } = wanted;
  if (seen.controllerUid === undefined || seen.annotations[APPLIED] !== hash) return false;
  const isSelectorClean = !isAdopted(seen) || foreignSelectors(wanted, seen).length === 0;
  return isSelectorClean && holds(seen.labels, body.metadata.labels ?? {}) && holds(seen.spec, body.spec ?? {});
}

/** The revisions that stay as good as the one to come; undefined while that cannot be told. */
function equivalentsOf(
  wanted: WantedWorkload,
  seen: Workload,
  currentHash: string | undefined,
): readonly string[] | undefined {
  // What we applied is put back as it was, and at once: without its selector it would spread over all nodes.
  if (seen.controllerUid !== undefined && seen.annotations[APPLIED] === wanted.hash) return equivalentRevisions(seen);
  const template = templateOf(wanted.body.spec);
  const present = templateOf(seen.spec);
  const isContentKept = holds(withoutPlacement(present), withoutPlacement(template));
  if (!isStrange(seen) && seen.annotations[APPLIED_CONTENT] !== wanted.contentHash) return [];
  // Adopted with something new in it, or changed by somebody since: only what was equivalent before is.
  if (!isContentKept) return isStrange(seen) ? [] : equivalentRevisions(seen);
  const isPlacementKept = holds(present, template) && foreignSelectors(wanted, seen).length === 0;
  if (isPlacementKept && !isStrange(seen)) return equivalentRevisions(seen);
  return currentHash === undefined ? undefined : equivalentsAfter(seen, currentHash);
}

function patchStep(wanted: WantedWorkload, seen: Workload, annotations: Readonly<Record<string, string>>): Step {
  const { body } = wanted;
  const { ownerReferences = [] } = body.metadata;
  // The selector cannot be changed, and the wanted one was made for the labels of its pods.
  const { selector: _selector, ...rest } = isJsonObject(body.spec) ? body.spec : {};
  const cleared = Object.fromEntries(foreignSelectors(wanted, seen).map((key) => [key, null]));
  const spec = withSelectors(patchToHold(seen.spec, rest) ?? {}, cleared);
  const metadata = annotated(wanted, { ...annotations, [ADOPTED]: "true" }).metadata;
  const stale = Object.hasOwn(annotations, EQUIVALENT_REVISIONS) ? {} : { [EQUIVALENT_REVISIONS]: null };
  const marks = { ...stale, ...textsIn(metadata.annotations) };
  const patch = {
    metadata: { uid: seen.uid, labels: textsIn(metadata.labels), annotations: marks, ownerReferences },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
  const isNew = isStrange(seen);
  const why = isNew ? `${seen.name} is taken over as it runs` : `${seen.name} is not as it should be`;
  return { do: "patch", patchType: "merge", target: targetOf({ do: "apply", object: body, why }), patch, why };
}

/** A rolling update has settings that another strategy may not have. */
function withSelectors(spec: JsonObject, cleared: JsonObject): JsonObject {
  const { updateStrategy } = spec;
  const strategy = isJsonObject(updateStrategy) ? { updateStrategy: { ...updateStrategy, rollingUpdate: null } } : {};
  if (Object.keys(cleared).length === 0) return { ...spec, ...strategy };
  const template = isJsonObject(spec.template) ? spec.template : {};
  const podSpec = isJsonObject(template.spec) ? template.spec : {};
  const nodeSelector = { ...cleared, ...(isJsonObject(podSpec.nodeSelector) ? podSpec.nodeSelector : {}) };
  return { ...spec, ...strategy, template: { ...template, spec: { ...podSpec, nodeSelector } } };
}

/** Node selectors that an adopted DaemonSet had and should not have: nobody writes those labels any more. */
function foreignSelectors({ body }: WantedWorkload, { spec }: Workload): readonly string[] {
  const wanted = selectorsOf(templateOf(body.spec));
  return Object.keys(selectorsOf(templateOf(spec))).filter((key) => !Object.hasOwn(wanted, key));
}

function isAdopted(seen: Workload): boolean {
  return isStrange(seen) || Object.hasOwn(seen.annotations, ADOPTED);
}

/** Nobody controls it, or its object does and another program wrote it: its fields are not ours yet. */
function isStrange({ controllerUid, annotations }: Workload): boolean {
  return controllerUid === undefined || !Object.hasOwn(annotations, APPLIED);
}

function annotated({ body, hash, contentHash: content }: WantedWorkload, more: JsonObject): ObjectBody {
  const annotations = { ...textsIn(body.metadata.annotations), [APPLIED]: hash, [APPLIED_CONTENT]: content, ...more };
  return { ...body, metadata: { ...body.metadata, annotations } };
}

function templateOf(spec: Json | undefined): JsonObject {
  const template = isJsonObject(spec) ? spec.template : undefined;
  return isJsonObject(template) ? template : {};
}

function podSpecOf({ spec }: JsonObject): JsonObject {
  return isJsonObject(spec) ? spec : {};
}

function selectorsOf(template: JsonObject): JsonObject {
  const { nodeSelector } = podSpecOf(template);
  return isJsonObject(nodeSelector) ? nodeSelector : {};
}

/** Where pods of a template may go: what changes nothing in a pod that is there already. */
function placementOf(template: JsonObject): JsonObject {
  const { affinity } = podSpecOf(template);
  const nodeAffinity = isJsonObject(affinity) ? (affinity.nodeAffinity ?? {}) : {};
  return { nodeSelector: selectorsOf(template), nodeAffinity };
}

function withoutPlacement(template: JsonObject): JsonObject {
  const { nodeSelector: _where, affinity, ...spec } = podSpecOf(template);
  const { nodeAffinity: _which, ...others } = isJsonObject(affinity) ? affinity : {};
  return { ...template, spec: Object.keys(others).length === 0 ? spec : { ...spec, affinity: others } };
}

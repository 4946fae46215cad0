// Rendering: the DaemonSet of one cell. The template of the set, changed by the variant's patch and images, on the nodes that are bound to
// the cell. The inputs are never changed, and equal inputs give equal objects.

import { textsIn } from "../../core/decision/object-identity.ts";
import type { ObjectBody } from "../../core/decision/step.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { Labels } from "../../core/labels/label-requirement.ts";
import { labelSafe } from "../../core/labels/label-safe.ts";
import { strategicMerge } from "../../core/strategic-merge/strategic-merge.ts";
import { templateLabels } from "../pod-template/pod-template-problems.ts";
import { listOf, objectAt } from "../schema/json-parts.ts";
import type { VariantSet } from "./api/spec.ts";
import type { Cell } from "./cell.ts";
import { requiredTerms } from "./label-reads.ts";

/** The pod selector of a DaemonSet that we make: one label, whose value is the DaemonSet's name, for ever. */
export const WORKLOAD_LABEL = "farrier.dev/workload";
/** On a DaemonSet: the key of its cell. */
export const KEY_LABEL = "farrier.dev/variant";
/** On a DaemonSet: the set that it belongs to, for people who list them. */
export const SET_LABEL = "farrier.dev/variant-set";

/** The pod template of a cell, before it is bound to nodes. */
export function renderTemplate({ template }: VariantSet, { variant, images }: Cell): JsonObject {
  const patched = variant.patch === undefined ? template : strategicMerge(template, variant.patch);
  const spec = objectAt(patched, "spec");
  const withImages = (list: Json | undefined): Json =>
    Array.isArray(list) ? list.map((container: Json) => withImage(container, images)) : (list ?? []);
  return {
    ...patched,
    spec: {
      ...spec,
      containers: withImages(spec.containers),
      ...(spec.initContainers === undefined ? {} : { initContainers: withImages(spec.initContainers) }),
    },
  };
}

export type RenderGround = {
  readonly ownerUid: string;
  /** The labels by which a DaemonSet that is adopted knows its pods; undefined for one that we make. */
  readonly adoptedSelector: Labels | undefined;
  /** Values of the node label by which nodes of the cell are still known; none as a rule. */
  readonly formerKeys: readonly string[];
};

/** The DaemonSet of a cell. */
export function renderWorkload(set: VariantSet, cell: Cell, ground: RenderGround): ObjectBody {
  const { ownerUid, adoptedSelector, formerKeys } = ground;
  const { name, key } = cell;
  const selector = adoptedSelector ?? { [WORKLOAD_LABEL]: name };
  const template = renderTemplate(set, cell);
  const spec = objectAt(template, "spec");
  const owner = { apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet", name: set.name, uid: ownerUid };
  return {
    ...{ apiVersion: "apps/v1", kind: "DaemonSet" },
    metadata: {
      ...{ namespace: set.namespace, name },
      labels: { [SET_LABEL]: labelSafe(set.name), [KEY_LABEL]: key },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      selector: { matchLabels: selector },
      // Kubernetes replaces no pod by itself: which node is next is decided over all variants together.
      updateStrategy: { type: "OnDelete" },
      template: {
        ...template,
        metadata: { ...objectAt(template, "metadata"), labels: { ...templateLabels(template), ...selector } },
        spec: { ...spec, ...placement(template, set.nodeLabel, [...formerKeys, key]) },
      },
    },
  };
}

/** The part of a pod's spec that binds it to nodes; a node selector knows one value per label, so several need an affinity. */
function placement(template: JsonObject, nodeLabel: string, keys: readonly string[]): JsonObject {
  const { nodeSelector, affinity } = objectAt(template, "spec");
  const [only, ...others] = keys;
  if (only !== undefined && others.length === 0)
    return { nodeSelector: { ...textsIn(nodeSelector), [nodeLabel]: only } };
  const bound = { key: nodeLabel, operator: "In", values: keys };
  const terms = requiredTerms(template);
  // One of the terms must match, so each of them gets the condition; it stands first, where it is found again.
  const nodeSelectorTerms = (terms.length === 0 ? [{}] : terms).map((term) => {
    return { ...term, matchExpressions: [bound, ...listOf(term.matchExpressions)] };
  });
  const whole = isJsonObject(affinity) ? affinity : {};
  const nodeAffinity = {
    ...objectAt(whole, "nodeAffinity"),
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  };
  return { nodeSelector: textsIn(nodeSelector), affinity: { ...whole, nodeAffinity } };
}

function withImage(container: Json, images: ReadonlyMap<string, string>): Json {
  if (!isJsonObject(container) || typeof container.name !== "string") return container;
  const image = images.get(container.name);
  return image === undefined ? container : { ...container, image };
}

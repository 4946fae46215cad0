// The pod of one node: what was rendered for its class, pinned to the node, under a name that follows from what it is for.
//
// Guarantees: the same set, node, rendering and predecessor give the same bytes, so that an answer that was lost, an old cache or a
// second leader meets AlreadyExists instead of making a twin. What is shared between nodes is not copied.
import type { JsonObject } from "../../core/json.ts";
import type { Labels } from "../../core/label-requirement.ts";
import { childName } from "../../core/names.ts";
import { pinToNode } from "../../core/node-pinning.ts";
import { textsIn } from "../../core/object-identity.ts";
import type { StoredObject } from "../../core/snapshot.ts";
import type { ObjectBody } from "../../core/step.ts";
import { listOf, objectAt } from "../json-parts.ts";
import {
  APPLIED_PATCHES,
  FAILURES,
  RENDERED_HASH,
  REVISION_HASH,
  TEMPLATE_GENERATION,
  TEMPLATE_GENERATION_OF_SET,
} from "./pod-keys.ts";
import type { Rendered } from "./render.ts";

/** Pod names become host names. */
const NAME_CHARS_MAX = 63;
/** The scheduler's name for pods that it should leave alone. */
const NO_SCHEDULER = "kubernetes.io/daemonset-controller";

export type Binding = "scheduler" | "nodeName";

export type PodOrder = {
  readonly set: StoredObject;
  readonly node: string;
  readonly rendered: Rendered;
  /** The revision's hash. */
  readonly revision: string;
  readonly binding: Binding;
  /** The pod that ended on this node and that this one replaces, and how often that happened in a row. */
  readonly failed?: { readonly uid: string; readonly failures: string };
  /** A pod that has the name which this one would have, and is not ours any more: somebody took its labels away to look at it. */
  readonly released?: string;
};

/** The pod that a node gets, under its name, which may be known already. */
export function podBody(order: PodOrder, name = podName(order)): ObjectBody {
  const { set, rendered, revision, failed } = order;
  const metadata = objectAt(rendered.template, "metadata");
  const finalizers = listOf(metadata.finalizers);
  const annotations = {
    ...textsIn(metadata.annotations),
    ...(rendered.places === "" ? {} : { [APPLIED_PATCHES]: rendered.places }),
    ...(failed === undefined ? {} : { [FAILURES]: failed.failures }),
  };
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ name, namespace: set.namespace },
      labels: { ...textsIn(metadata.labels), ...generationLabel(set), ...identityLabels(rendered, revision) },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(finalizers.length === 0 ? {} : { finalizers }),
      ownerReferences: [ownerReference(set.name, set.uid)],
    },
    spec: boundTo(order),
  };
}

/** The labels by which a pod is told to be of a revision and of a rendering. */
export function identityLabels({ hash }: Rendered, revision: string): Labels {
  return { [REVISION_HASH]: revision, [RENDERED_HASH]: hash };
}

/**
 * The name that the pod will have. A pod that replaces one that ended is named after that one alone: whatever two leaders
 * think that it should be made of, only one of them makes it.
 */
export function podName({ set, node, rendered, failed, released }: Omit<PodOrder, "revision" | "binding">): string {
  const parts = [set.uid, node, failed === undefined ? rendered.hash : failed.uid];
  return childName(set.name, released === undefined ? parts : [...parts, released], NAME_CHARS_MAX);
}

/** The reference by which a set owns what it makes. */
export function ownerReference(name: string, uid: string): JsonObject {
  const of = { apiVersion: "apps.kruise.io/v1beta1", kind: "DaemonSet", name, uid };
  return { ...of, controller: true, blockOwnerDeletion: true };
}

function boundTo({ node, rendered: { podSpec }, binding }: PodOrder): JsonObject {
  if (binding === "nodeName") return { ...podSpec, nodeName: node, schedulerName: NO_SCHEDULER };
  return { ...podSpec, affinity: pinToNode(podSpec.affinity, node) };
}

/** Only old clients number the template; what they wrote and is no number is left alone. */
function generationLabel({ annotations }: StoredObject): Labels {
  const generation = annotations[TEMPLATE_GENERATION_OF_SET];
  return generation !== undefined && /^\d{1,18}$/.test(generation) ? { [TEMPLATE_GENERATION]: generation } : {};
}

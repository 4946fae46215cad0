// The pod of one node: what was rendered for its class, pinned to the node, under the name that `pod-name.ts` gives it.
//
// Guarantees: the same order gives the same bytes. What is shared between nodes is not copied.

import { textsIn } from "../../../core/decision/object-identity.ts";
import type { StoredObject } from "../../../core/decision/snapshot.ts";
import type { ObjectBody } from "../../../core/decision/step.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import type { Labels } from "../../../core/labels/label-requirement.ts";
import { pinToNode } from "../../../core/node/node-pinning.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";
import type { Rendered } from "../render.ts";
import {
  APPLIED_PATCHES,
  FAILURES,
  RENDERED_HASH,
  REVISION_HASH,
  TEMPLATE_GENERATION,
  TEMPLATE_GENERATION_OF_SET,
} from "./pod-keys.ts";

/** The scheduler's name for pods that it should leave alone. */
const NO_SCHEDULER = "kubernetes.io/daemonset-controller";

export type Binding = "scheduler" | "nodeName";

export type PodOrder = {
  readonly set: StoredObject;
  readonly name: string;
  readonly node: string;
  readonly rendered: Rendered;
  /** The revision's hash. */
  readonly revision: string;
  readonly binding: Binding;
  /** How often pods of this node ended in a row, if the last one did. */
  readonly failures?: string;
};

/** The pod that a node gets. */
export function podBody(order: PodOrder): ObjectBody {
  const { set, name, rendered, revision, failures } = order;
  const metadata = objectAt(rendered.template, "metadata");
  const finalizers = listOf(metadata.finalizers);
  const annotations = {
    ...textsIn(metadata.annotations),
    ...(rendered.places === "" ? {} : { [APPLIED_PATCHES]: rendered.places }),
    ...(failures === undefined ? {} : { [FAILURES]: failures }),
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

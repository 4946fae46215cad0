// The objects of the advanced DaemonSet's story: the fleet, the set that a person writes, and the pods that it comes down to.
import { mixedFleet } from "../../sim/fleets/mixed-fleet.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { pinToNode } from "../../src/core/node/node-pinning.ts";
import { withDaemonTolerations } from "../../src/core/scheduling/daemon-tolerations.ts";
import { strategicMerge } from "../../src/core/strategic-merge/strategic-merge.ts";
import { listOf, objectAt } from "../../src/kinds/schema/json-parts.ts";
import type { OwnerReference } from "../../src/kube/resource.ts";
import { podTemplate } from "../core/pod-template.ts";
import type { SeenNode } from "../real/fleet-observer.ts";
import { NODES } from "../real/fleet-size.ts";
import { type Body, NAMESPACE } from "../real/resources.ts";

export const BUDGET = "10%";
export const NAME = "agent";
/** A node with this label gets the patch of large nodes. */
export const TIER = "example.org/tier";
const DISK = "example.org/disk";
const EDGE = "example.org/edge";

/** A third of the nodes has a tier, a quarter has fast disks, a fifth is at the edge: eight combinations. */
export const machines = mixedFleet({ count: NODES }).map((machine, at) => ({
  ...machine,
  labels: {
    ...machine.labels,
    ...(at % 3 === 1 ? { [TIER]: "large" } : {}),
    ...(at % 4 === 1 ? { [DISK]: "nvme" } : {}),
    ...(at % 5 === 1 ? { [EDGE]: "yes" } : {}),
  },
}));

const setting = (name: string, value: string): JsonObject => ({
  spec: { containers: [{ name: "agent", env: [{ name, value }] }] },
});

export const patches = [
  { label: [TIER, "large"], patch: setting("CACHE_SIZE", "8Gi") },
  { label: [DISK, "nvme"], patch: setting("QUEUE_DEPTH", "128") },
  { label: [EDGE, "yes"], patch: setting("UPSTREAM", "https://edge.example.org") },
] as const;

const selector = { matchLabels: { app: "csi-node-agent" } };
const rollingUpdate = { maxUnavailable: BUDGET };

/** The template of 2 KB with an image of this tag. */
export function templateOf(tag: string): JsonObject {
  const containers = [{ name: "agent", image: `registry.example.com/agent:${tag}` }];
  return strategicMerge(podTemplate, { spec: { containers, terminationGracePeriodSeconds: 1 } });
}

/** The set with its patches. */
export function advancedSet(tag: string): Body {
  const written = patches.map(({ label: [key, value], patch }) => ({
    selector: { matchLabels: { [key]: value } },
    patch,
  }));
  return {
    ...{ apiVersion: "apps.kruise.io/v1beta1", kind: "DaemonSet", metadata: { name: NAME, namespace: NAMESPACE } },
    spec: {
      selector,
      template: templateOf(tag),
      patches: written,
      updateStrategy: { type: "RollingUpdate", rollingUpdate },
    },
  };
}

/** What comes closest to it without us: one template for all. */
export function nativeSet(tag: string): Body {
  return {
    ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: NAME, namespace: NAMESPACE } },
    spec: { selector, template: templateOf(tag), updateStrategy: { type: "RollingUpdate", rollingUpdate } },
  };
}

/** The pod of a node as the operator would make it; `owner` stands for the set. */
export function podFor(node: SeenNode, tag: string, owner: OwnerReference): Body {
  const matched = patches.filter(({ label: [key, value] }) => node.labels[key] === value);
  const template = matched.reduce((rendered, { patch }) => strategicMerge(rendered, patch), templateOf(tag));
  const spec = objectAt(template, "spec");
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ name: `${NAME}-${node.name}-${tag}-${matched.length}`, namespace: NAMESPACE },
      labels: {
        ...selector.matchLabels,
        "controller-revision-hash": tag,
        "daemonset.kruise.io/patch-combined-hash": tag,
      },
      annotations: { "daemonset.kruise.io/applied-patches": matched.map((patch) => patches.indexOf(patch)).join(",") },
      ...{ ownerReferences: [owner] },
    },
    spec: {
      ...spec,
      affinity: pinToNode(undefined, node.name),
      tolerations: withDaemonTolerations(listOf(spec.tolerations), true),
    },
  };
}

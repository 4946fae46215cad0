// The world of the VariantSet scenarios: a set, a small fleet, and the cluster as far as the set goes, read from a store of whichever
// server.

import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { parseNodeFacts } from "../../../src/core/node/node-facts.ts";
import { parseVariantSet } from "../../../src/kinds/variant-set/api/parse.ts";
import { createResolver, type Resolve, type Resolved } from "../../../src/kinds/variant-set/resolver.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import { metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import type { MachineSpec } from "../../nodes/machine.ts";
import type { State } from "../../simulator/commit.ts";
import { controllerOf } from "../../simulator/invariants/at-most-one.ts";

export type AnyObject = KubeObject & { readonly spec?: unknown; readonly status?: unknown };
const resource = (group: string, plural: string, kind: string, namespaced: boolean): Resource<AnyObject> => ({
  ...{ group, version: group === "farrier.dev" ? "v1alpha1" : "v1", plural, kind, namespaced },
});
export const variantSets = resource("farrier.dev", "variantsets", "VariantSet", true);
export const daemonSets = resource("apps", "daemonsets", "DaemonSet", true);
export const nodesResource = resource("", "nodes", "Node", false);
export const podsResource = resource("", "pods", "Pod", true);
export const revisionsResource = resource("apps", "controllerrevisions", "ControllerRevision", true);
export const definitions = resource(
  "apiextensions.k8s.io",
  "customresourcedefinitions",
  "CustomResourceDefinition",
  false,
);

export const SETS = "variantsets.farrier.dev";
export const DAEMON_SETS = "daemonsets.apps";
export const SET_KEY = "default/agent";
export const NODE_LABEL = "variant.farrier.dev/default.agent";
export const KEY_LABEL = "farrier.dev/variant";
/** The kind without its schema: reading that takes longer than a short history, and other tests judge objects by it. */
export const thinDefinition: AnyObject = {
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: SETS } },
  spec: {
    ...{ group: "farrier.dev", scope: "Namespaced" },
    names: { plural: "variantsets", singular: "variantset", kind: "VariantSet", listKind: "VariantSetList" },
    versions: [
      {
        ...{ name: "v1alpha1", served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
/** Nodes with this label are in scope. */
export const ROLE = "role";
export const UNAVAILABLE_MAX = 1;

/** Kernels on both sides of the line, and one that nobody can read. */
export const kernels = ["4.18.0-193.el8.x86_64", "5.3.18-57-default", "5.12.0", "6.1.0-25-amd64", "corrupted"] as const;

/** Four machines, of which one is out of scope at first. */
export function fleet(): readonly MachineSpec[] {
  return [0, 1, 2, 3].map((place) => ({
    ...{
      name: `node-${place}`,
      kernel: kernels[place] ?? "",
      osImage: "Ubuntu 22.04.4 LTS",
      arch: "amd64",
      taints: [],
    },
    labels: place === 3 ? {} : { [ROLE]: "storage" },
  }));
}

/** The set as it is written first; a short grace period, so that pruning happens within a history. */
export function aSet(tag = "1"): AnyObject {
  return {
    ...{ apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet", metadata: { name: "agent", namespace: "default" } },
    spec: {
      nodeSelector: { matchLabels: { [ROLE]: "storage" } },
      template: {
        metadata: { labels: { app: "agent" } },
        spec: {
          ...{ terminationGracePeriodSeconds: 1, tolerations: [{ operator: "Exists" }] },
          containers: [{ name: "agent", image: "registry.example.com/agent:base" }],
        },
      },
      ...tagged(tag),
      ...{ updateStrategy: { maxUnavailable: UNAVAILABLE_MAX }, prune: { after: "20s" } },
    },
  };
}

/** The part of a spec in which every node gets an image of this tag. */
export function tagged(tag: string): JsonObject {
  return { variants: variants("new", tag), default: { images: { agent: `registry.example.com/agent:old-${tag}` } } };
}

/** The variants: one without a name for its DaemonSet and one with; names and images may change. */
export function variants(name: string, tag: string, inPlace = "six"): readonly JsonObject[] {
  const images = (which: string) => ({ agent: `registry.example.com/agent:${which}-${tag}` });
  return [
    { name: inPlace, match: { kernel: "6.x" }, images: images("six"), daemonSetName: "agent-six" },
    { name, match: { kernel: ">=5.4" }, images: images(name) },
  ];
}

/** One node as the set should see it. */
export type Place = {
  readonly name: string;
  readonly node: JsonObject;
  readonly boundTo: string | undefined;
  readonly resolved: Resolved;
  readonly isNodeReady: boolean;
  /** Pods of the set's DaemonSets that have not ended. */
  readonly pods: readonly {
    readonly pod: JsonObject;
    readonly key: string;
    readonly isServing: boolean;
    readonly image: string;
  }[];
};

/** Reads places; remembers the resolver of each spec, since checks look after every write. */
export function createPlaces(): (state: State) => readonly Place[] {
  const resolvers = new WeakMap<JsonObject, Resolve>();
  return (state) => {
    const set = state.object(SETS, SET_KEY);
    if (set === undefined) return [];
    const spec = objectAt(set, "spec");
    const known = resolvers.get(spec) ?? resolverOf(set);
    if (known === undefined) return [];
    resolvers.set(spec, known);
    return placesIn(state, set, known);
  };
}

function resolverOf(set: JsonObject): Resolve | undefined {
  const parsed = parseVariantSet(set);
  return parsed.ok ? createResolver(parsed.value) : undefined;
}

/** Every node, with what it should have and what it has. */
function placesIn(state: State, set: JsonObject, resolve: Resolve): readonly Place[] {
  const keys = workloadKeys(state, textAt(metaOf(set), "uid"));
  const pods = [...state.objects("pods")];
  return [...state.objects("nodes")].map((node) => {
    const facts = parseNodeFacts(node);
    const there = pods.filter((pod) => textAt(objectAt(pod, "spec"), "nodeName") === facts.name && !hasEnded(pod));
    return {
      ...{ name: facts.name, node, boundTo: facts.labels[NODE_LABEL], resolved: resolve(facts) },
      isNodeReady: facts.ready === true,
      pods: there.flatMap((pod) => {
        const key = keys.get(controllerOf(metaOf(pod)));
        return key === undefined ? [] : [{ pod, key, isServing: isServing(pod), image: imageOf(pod) }];
      }),
    };
  });
}

/** The keys of a set's DaemonSets, by UID. */
function workloadKeys(state: State, setUid: string): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const set of state.objects(DAEMON_SETS)) {
    const meta = metaOf(set);
    if (controllerOf(meta) === setUid) keys.set(textAt(meta, "uid"), textAt(objectAt(meta, "labels"), KEY_LABEL));
  }
  return keys;
}

function hasEnded(pod: JsonObject): boolean {
  const phase = textAt(objectAt(pod, "status"), "phase");
  return phase === "Failed" || phase === "Succeeded";
}

/** The pod is ready, and nobody has asked it to end. */
export function isServing(pod: JsonObject): boolean {
  const { conditions } = objectAt(pod, "status");
  const isReady =
    Array.isArray(conditions) &&
    conditions.some((one) => isJsonObject(one) && one.type === "Ready" && one.status === "True");
  return isReady && metaOf(pod).deletionTimestamp === undefined;
}

function imageOf(pod: JsonObject): string {
  const { containers } = objectAt(pod, "spec");
  const [first] = Array.isArray(containers) ? containers : [];
  return isJsonObject(first) ? textAt(first, "image") : "";
}

// What befalls a cluster on paper and no plan asks for: nodes that leave, and pods that fail. For tests.

import type { Snapshot } from "../../../core/decision/snapshot.ts";
import { isJsonObject } from "../../../core/json/json.ts";
import type { PaperCluster } from "../paper-cluster.ts";
import { keyOf } from "../paper-shelf.ts";

/** The pods on a node are not ready any more, or are gone. */
export function failPods(cluster: PaperCluster, node: string, { isGone }: { readonly isGone: boolean }): void {
  for (const pod of cluster.pods.values().filter((each) => each.node === node)) {
    const object = cluster.pods.object(keyOf(pod)) ?? {};
    const status = isJsonObject(object.status) ? object.status : {};
    if (isGone) cluster.remove(cluster.pods, keyOf(pod));
    else cluster.put({ ...object, status: { ...status, conditions: [{ type: "Ready", status: "False" }] } });
  }
}

/** The snapshot without the nodes of these names. */
export function withoutNodes(snapshot: Snapshot, gone: ReadonlySet<string>): Snapshot {
  return { ...viewOf(snapshot), nodes: snapshot.nodes.filter(({ name }) => !gone.has(name)) };
}

/** The same picture as a plain value, of which parts can be replaced: methods of a picture may live on its prototype. */
export function viewOf(snapshot: Snapshot): Snapshot {
  return {
    nodes: snapshot.nodes,
    factsSinceMs: (node, labelKeys) => snapshot.factsSinceMs(node, labelKeys),
    aloneSinceMs: (object, node, labelKeys) => snapshot.aloneSinceMs(object, node, labelKeys),
    refusal: (uid, kind, name) => snapshot.refusal?.(uid, kind, name),
    workloadsOf: (uid) => snapshot.workloadsOf(uid),
    workloadsLabelled: (namespace, key, value) => snapshot.workloadsLabelled(namespace, key, value),
    workloadNamed: (namespace, name) => snapshot.workloadNamed(namespace, name),
    podsOf: (uid) => snapshot.podsOf(uid),
    ownedBy: (uid, kind) => snapshot.ownedBy(uid, kind),
    objectNamed: (namespace, name, kind) => snapshot.objectNamed(namespace, name, kind),
    strayPods: (namespace) => snapshot.strayPods(namespace),
    strays: (namespace, kind) => snapshot.strays(namespace, kind),
    tasks: () => snapshot.tasks(),
    image: (reference) => snapshot.image(reference),
    configText: (namespace, key) => snapshot.configText(namespace, key),
    isTerminating: (namespace) => snapshot.isTerminating(namespace),
  };
}

// A large fleet that a Module has nothing to do for, as the operator's snapshot shows it: eight kernels, a pod on every node.
import type { DaemonPod } from "../../src/core/daemon-pod.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { createFactsParser, type NodeFacts } from "../../src/core/node-facts.ts";
import type { Snapshot, StoredObject } from "../../src/core/snapshot.ts";
import { objectAt } from "../../src/kinds/json-parts.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import { aNodeObject, mappedModule } from "../../src/kinds/module/module-builders.ts";
import { bindingLabel, KERNEL_VERSION, readyLabel } from "../../src/kinds/module/module-labels.ts";
import { ModuleStage } from "../../src/kinds/module/module-stage.ts";
import { fleet } from "../core/fleet.ts";

export const KERNELS: readonly string[] = Array.from({ length: 8 }, (_, index) => `6.8.0-${40 + index}-generic`);
const MODULE = { namespace: "default", name: "my-kmod" };

export type SettledFleet = {
  readonly kind: Kind;
  readonly stored: StoredObject;
  readonly snapshot: Snapshot;
  /** The Node objects as the API server sends them. */
  readonly nodeObjects: readonly JsonObject[];
  /** The same fleet with one node that has rebooted into another kernel: a new list in which one entry is new. */
  readonly withReboot: (turn: number) => Snapshot;
  readonly nowMs: number;
};

/** Makes the fleet: what a small stage settled to, many times over. */
export function settledFleet(count: number): SettledFleet {
  const mappings = [{ regexp: "generic$", containerImage: `registry.example.com/kmod:\${KERNEL_FULL_VERSION}` }];
  const stage = new ModuleStage(KERNELS.map((kernel, index) => ({ name: `seed-${index}`, kernel })));
  stage.store(mappedModule(mappings)).settle();
  const parse = createFactsParser();
  const nodeObjects = Array.from({ length: count }, (_, index) => nodeObject(index, kernelAt(index)));
  const nodes = nodeObjects.map(parse).sort((a, b) => (a.name < b.name ? -1 : 1));
  const sets = stage.cluster.workloadsOf("uid-of-my-kmod");
  const pods = new Map(
    sets.map(({ uid, labels }) => [uid, podsFor(stage.cluster.podsOf(uid)[0], labels[KERNEL_VERSION] ?? "", nodes)]),
  );
  const revisions = new Map(sets.map(({ uid }) => [uid, stage.cluster.ownedBy(uid, "ControllerRevision")]));
  const base = {
    factsSinceMs: () => 0,
    workloadsOf: () => sets,
    workloadsLabelled: () => [],
    workloadNamed: () => undefined,
    podsOf: (uid: string) => pods.get(uid) ?? [],
    ownedBy: (uid: string) => revisions.get(uid) ?? [],
    objectNamed: () => undefined,
    strayPods: () => [],
    strays: () => [],
    tasks: () => [],
    image: () => ({ is: "present", digest: "", askedMs: 0 }) as const,
    configText: () => ({ is: "withheld" }) as const,
    isTerminating: () => false,
  };
  const rebooted = KERNELS.map((kernel, index) => parse(nodeObject(0, kernel, KERNELS[(index + 1) % KERNELS.length])));
  return {
    ...{ kind: stage.kind, stored: stage.stored(), nodeObjects, nowMs: stage.nowMs, snapshot: { ...base, nodes } },
    withReboot: (turn) => ({ ...base, nodes: nodes.with(0, rebooted[turn % rebooted.length] ?? parse({})) }),
  };
}

function kernelAt(index: number): string {
  return KERNELS[index % KERNELS.length] ?? "";
}

/** As large as a real Node: the images that a kubelet lists are most of it. */
function nodeObject(index: number, kernel: string, bound = kernel): JsonObject {
  const labels = { [bindingLabel(MODULE)]: bound, [readyLabel(MODULE)]: "", [KERNEL_VERSION]: bound };
  const small = aNodeObject({ name: `node-${String(index).padStart(5, "0")}`, kernel, labels });
  const large = fleet[index % fleet.length] ?? {};
  return { ...large, ...small, metadata: mergedAt(large, small, "metadata"), status: mergedAt(large, small, "status") };
}

function mergedAt(large: JsonObject, small: JsonObject, key: string): JsonObject {
  return { ...objectAt(large, key), ...objectAt(small, key) };
}

function podsFor(pattern: DaemonPod | undefined, kernel: string, nodes: readonly NodeFacts[]): readonly DaemonPod[] {
  if (pattern === undefined) throw new Error("the stage has not settled");
  return nodes
    .filter((node) => node.kernel.raw === kernel)
    .map(({ name }) => ({ ...pattern, name: `pod-on-${name}`, uid: `pod-${name}`, node: name }));
}

// A set and its fleet on paper, for tests: decisions are performed at once, and pods become ready when the test says so.
import { timestamp } from "../../../core/decision/conditions.ts";
import { objectIdentity } from "../../../core/decision/object-identity.ts";
import type { Plan } from "../../../core/decision/plan.ts";
import type { StoredObject } from "../../../core/decision/snapshot.ts";
import { type Step, targetOf } from "../../../core/decision/step.ts";
import { isJsonObject, type JsonObject } from "../../../core/json/json.ts";
import type { NodeFacts } from "../../../core/node/node-facts.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { mergeObject } from "../../../core/strategic-merge/merge-patch.ts";
import { PaperCluster } from "../../forecast/paper-cluster.ts";
import { settlePaper } from "../../forecast/paper-controllers.ts";
import { keyOf } from "../../forecast/paper-shelf.ts";
import type { Explanation, Kind } from "../../kind.ts";
import { objectAt } from "../../schema/json-parts.ts";
import { createDaemonSetKind, type DaemonSetOptions } from "../daemon-set-kind.ts";
import { aDaemonSet } from "./cases.ts";

/** 2026-03-01T12:00:00Z. */
export const NOON_MS = 1_772_366_400_000;

/** What a look at the set came to, in the words of the tables: pods created, pods deleted. */
export type Look = { readonly created: readonly string[]; readonly deleted: readonly string[]; readonly plan: Plan };

/** A cluster that nodes can leave. */
class FleetOnPaper extends PaperCluster {
  readonly #gone = new Set<string>();
  #last: { readonly all: readonly NodeFacts[]; readonly there: readonly NodeFacts[] } | undefined;

  /** The same list as before while no node changes. */
  override get nodes(): readonly NodeFacts[] {
    const all = super.nodes;
    if (this.#last?.all !== all) this.#last = { all, there: all.filter(({ name }) => !this.#gone.has(name)) };
    return this.#last.there;
  }

  lose(node: string): void {
    this.#gone.add(node);
    this.#last = undefined;
  }

  join(node: JsonObject): void {
    this.#gone.delete(objectIdentity(node).name);
    this.put(node);
  }
}

export class SetOnPaper {
  readonly cluster: FleetOnPaper;
  nowMs = NOON_MS;
  /** Since when labels of a node are as they are; long ago for those that are not named. */
  readonly relabelledMs = new Map<string, number>();
  /** Since when nobody else can act upon an older wish, for every node; always, if nothing is said. */
  aloneSinceMs = 0;
  #kind: Kind;
  #object: JsonObject;

  constructor(spec: JsonObject, nodes: readonly JsonObject[], options?: DaemonSetOptions) {
    this.cluster = new FleetOnPaper(nodes, { image: () => ({ is: "unasked" }), isOurLabel: () => false });
    this.cluster.factsSinceMs = (node?: string) => this.relabelledMs.get(node ?? "") ?? 0;
    this.cluster.aloneSinceMs = () => this.aloneSinceMs;
    this.#kind = createDaemonSetKind(options);
    this.#object = mergeObject(aDaemonSet(spec), { metadata: { uid: "set-uid", generation: 1 } });
  }

  get stored(): StoredObject {
    return { ...objectIdentity(this.#object), object: this.#object };
  }

  get status(): JsonObject {
    return objectAt(this.#object, "status");
  }

  get pods(): readonly DaemonPod[] {
    return this.cluster.podsOf("set-uid");
  }

  /** Another process takes over, perhaps with other options. */
  restart(options?: DaemonSetOptions): void {
    this.#kind = createDaemonSetKind(options);
  }

  /** Changes the spec as a merge patch does. */
  edit(spec: JsonObject): void {
    const { generation } = this.stored;
    this.#object = mergeObject(this.#object, { spec, metadata: { generation: generation + 1 } });
  }

  /** The decision of the kind that has seen all that happened, or of another. */
  decide(kind: Kind = this.#kind): Plan {
    return kind.observe(this.cluster, this.stored).decide(this.nowMs).plan;
  }

  explain(node: string): Explanation | undefined {
    return this.#kind.observe(this.cluster, this.stored).explain(node, this.nowMs);
  }

  /** Decides and performs; a second passes. */
  look(): Look {
    const plan = this.decide();
    const named = (what: Step["do"]) =>
      plan.steps.filter((step) => step.do === what && targetOf(step).kind === "Pod").map((step) => targetOf(step).name);
    const look = { created: named("create"), deleted: named("delete"), plan };
    for (const step of plan.steps) {
      if (step.do === "status") this.#object = { ...this.#object, status: step.status };
      else this.cluster.perform(step, this.nowMs);
    }
    this.nowMs += 1_000;
    return look;
  }

  /** How many pods are created and deleted in one look after the other. */
  looks(count: number): readonly (readonly [number, number])[] {
    return Array.from({ length: count }, () => {
      const { created, deleted } = this.look();
      return [created.length, deleted.length] as const;
    });
  }

  /** Lets kubelets do what there is to do, readiness gates and changed images included. */
  kubelet(): void {
    settlePaper(this.cluster, this.nowMs);
  }

  /** Looks until nothing changes, with every pod ready at once. */
  settle(): this {
    for (let round = 0; round < 200; round++) {
      this.kubelet();
      const { plan } = this.look();
      if (plan.steps.length === 0) return this;
    }
    throw new Error("the set does not settle");
  }

  /** Lets pods run, and be ready or not. */
  ready(isReady = true, which: (pod: DaemonPod) => boolean = () => true): this {
    for (const pod of this.pods.filter(which)) {
      if ((pod.readySinceMs !== undefined) === isReady) continue;
      const status = isReady ? "True" : "False";
      const condition = { type: "Ready", status, lastTransitionTime: timestamp(this.nowMs) };
      this.change(pod, { spec: { nodeName: pod.node }, status: { phase: "Running", conditions: [condition] } });
    }
    return this;
  }

  /** Changes a pod as a merge patch does. */
  change(pod: DaemonPod, patch: JsonObject): void {
    const object = this.cluster.pods.object(keyOf(pod));
    if (object !== undefined) this.cluster.pods.put(mergeObject(object, patch));
  }

  /** The pod of a node, as a whole object. */
  podOn(node: string): JsonObject {
    const [pod] = this.pods.filter((one) => one.node === node);
    const object = pod && this.cluster.pods.object(keyOf(pod));
    if (!isJsonObject(object)) throw new Error(`${node} has no pod`);
    return object;
  }

  nodeOf(pod: string): string {
    return this.pods.find(({ name }) => name === pod)?.node ?? "";
  }
}

/** A node that is ready, with these labels. */
export function aNode(name: string, labels: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return mergeObject(
    {
      ...{ apiVersion: "v1", kind: "Node", metadata: { name, uid: `uid-${name}`, labels } },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    },
    more,
  );
}

/** So many nodes, named n0, n1 and so on. */
export function nodes(count: number, labels: JsonObject = {}): readonly JsonObject[] {
  return Array.from({ length: count }, (_, index) => aNode(`n${index}`, labels));
}

/** A template that differs from the first one in its image. */
export function image(tag: string): JsonObject {
  const containers = [{ name: "agent", image: `registry.example.com/agent:${tag}` }];
  return { template: { spec: { containers } } };
}

/** A rolling update with these fields. */
export function rolling(rollingUpdate: JsonObject): JsonObject {
  return { updateStrategy: { type: "RollingUpdate", rollingUpdate } };
}

/** A set that runs on all nodes of its fleet. */
export function running(spec: JsonObject, fleet: readonly JsonObject[] = nodes(5)): SetOnPaper {
  return new SetOnPaper(spec, fleet).settle();
}

/** For places where a test knows that there is a pod. */
export function never(): never {
  throw new Error("there is no pod");
}

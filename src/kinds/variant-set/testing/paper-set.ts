// A set on a cluster on paper, for tests: its decisions are performed round by round, Kubernetes' own controllers follow at once, and a
// test looks at what is there or at what the next plan says.

import { objectIdentity } from "../../../core/decision/object-identity.ts";
import { isQuiet, type Plan } from "../../../core/decision/plan.ts";
import type { ImageState, StoredObject } from "../../../core/decision/snapshot.ts";
import type { Step } from "../../../core/decision/step.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { mergeObject } from "../../../core/strategic-merge/merge-patch.ts";
import { PaperCluster } from "../../forecast/paper-cluster.ts";
import { settlePaper } from "../../forecast/paper-controllers.ts";
import { aTemplate } from "../../testing/kind-case.ts";
import { createVariantSetKind } from "../variant-set-kind.ts";

/** 2026-01-01T12:00:00Z */
export const NOON = 1_767_268_800_000;
const ROUND_MS = 1_000;
const ROUNDS_MAX = 200;

export type NodeForm = {
  readonly kernel?: string;
  readonly osImage?: string;
  readonly labels?: JsonObject;
  readonly taints?: readonly JsonObject[];
  readonly isReady?: boolean;
};

/** A node as a kubelet would report it. */
export function aNodeObject(name: string, form: NodeForm = {}): JsonObject {
  const { kernel = "5.14.0-427.13.1.el9_4.x86_64", osImage = "Ubuntu 22.04.4 LTS", labels = {}, taints = [] } = form;
  return {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name, uid: `uid-${name}`, labels } },
    spec: { taints },
    status: {
      conditions: [{ type: "Ready", status: form.isReady === false ? "False" : "True" }],
      nodeInfo: {
        ...{ kernelVersion: kernel, osImage, operatingSystem: "linux", architecture: "amd64" },
        containerRuntimeVersion: "containerd://1.7.13",
      },
    },
  };
}

/** A set with two variants by kernel, unless the test says otherwise. */
export function aSetObject(spec: JsonObject = {}, name = "agent"): JsonObject {
  return {
    ...{ apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet" },
    metadata: { name, namespace: "storage", uid: `uid-${name}`, generation: 1 },
    spec: {
      template: aTemplate(),
      variants: [
        { name: "new", match: { kernel: ">=5.4" }, images: { agent: "registry.example.com/agent:new" } },
        { name: "old", match: { kernel: "<5.4" }, images: { agent: "registry.example.com/agent:old" } },
      ],
      ...spec,
    },
  };
}

/** The image with a tag, of the container in the template. */
export function agentImage(tag: string): string {
  return `registry.example.com/agent:${tag}`;
}

/** A variant with an image of its own name. */
export function aVariant(name: string, match: JsonObject): JsonObject {
  return { name, match, images: { agent: agentImage(name) } };
}

/** What nodes of these forms are bound to, once a set has done all that there is to do. */
export function boundTo(nodes: Readonly<Record<string, NodeForm>>, spec: JsonObject = {}): PaperBindings {
  const objects = Object.entries(nodes).map(([name, form]) => aNodeObject(name, form));
  return new PaperSet(objects, aSetObject(spec)).settle().bindings();
}

type PaperBindings = Readonly<Record<string, string | undefined>>;

export class PaperSet {
  readonly kind = createVariantSetKind();
  readonly cluster: PaperCluster;
  readonly images = new Map<string, ImageState>();
  nowMs = NOON;
  /** Since when the facts of a node are as they are; others are old. */
  readonly youngSinceMs = new Map<string, number>();
  #object: JsonObject;

  constructor(nodes: readonly JsonObject[], object: JsonObject = aSetObject(), others: readonly JsonObject[] = []) {
    this.#object = object;
    const image = (reference: string): ImageState => this.images.get(reference) ?? { is: "unasked" };
    const isOurLabel = (key: string) => key === this.nodeLabel || key.endsWith(".trace.variant.farrier.dev/set");
    this.cluster = new PaperCluster([...nodes, ...others], { image, isOurLabel });
    this.cluster.factsSinceMs = (...names: readonly string[]) => this.youngSinceMs.get(names[0] ?? "") ?? 0;
  }

  get stored(): StoredObject {
    return { ...objectIdentity(this.#object), object: this.#object };
  }

  get status(): JsonObject {
    return Object(this.#object.status ?? {});
  }

  get nodeLabel(): string {
    const { namespace, name, object } = this.stored;
    return String(Object(object.spec).nodeLabel ?? `variant.farrier.dev/${namespace}.${name}`);
  }

  /** Changes the spec as a user would; null takes a field away. */
  edit(spec: JsonObject): void {
    const { generation } = this.stored;
    this.#object = mergeObject(this.#object, { metadata: { generation: generation + 1 }, spec });
  }

  /** Puts a node in the place of the one of its name, which keeps the labels that we wrote. */
  change(name: string, form: NodeForm): void {
    const kept = this.labelsOf(name);
    const labels = Object.fromEntries(
      Object.entries(kept).filter(([key]) => key.includes("farrier.dev/") || key === this.nodeLabel),
    );
    this.cluster.put(aNodeObject(name, { ...form, labels: { ...labels, ...form.labels } }));
  }

  plan(): Plan {
    return this.kind.observe(this.cluster, this.stored).decide(this.nowMs).plan;
  }

  /** Decides once and performs it; Kubernetes does not follow yet. */
  act(): Plan {
    const plan = this.plan();
    for (const step of plan.steps) this.#perform(step);
    return plan;
  }

  /** Lets Kubernetes follow. */
  follow(): void {
    settlePaper(this.cluster, this.nowMs);
    this.nowMs += ROUND_MS;
  }

  /** Goes on until nothing is left to do; throws when that takes too long. */
  settle(look: () => void = () => undefined): this {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const before = this.cluster.changes;
      const plan = this.act();
      look();
      this.follow();
      look();
      if (isQuiet(plan) && this.cluster.changes === before) return this;
    }
    throw new Error(`not settled: ${JSON.stringify(this.plan().steps)}`);
  }

  labelsOf(name: string): Readonly<Record<string, string>> {
    return this.cluster.nodes.find((node) => node.name === name)?.labels ?? {};
  }

  /** What nodes are bound to, by name. */
  bindings(): PaperBindings {
    return Object.fromEntries(this.cluster.nodes.map(({ name, labels }) => [name, labels[this.nodeLabel]]));
  }

  /** `w-1 registry.example.com/agent:new`, by node. */
  running(): readonly string[] {
    return this.cluster.pods
      .objects()
      .map((pod) => `${Object(pod.spec).nodeName} ${Object(pod.spec).containers[0].image}`)
      .sort();
  }

  workloadNames(): readonly string[] {
    return this.cluster.workloads.values().map(({ name }) => name);
  }

  #perform(step: Step): void {
    if (step.do === "status") this.#object = { ...this.#object, status: step.status };
    else this.cluster.perform(step, this.nowMs);
  }
}

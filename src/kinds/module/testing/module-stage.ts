// A stage for tests of the Module kind: a cluster on paper in which Modules are decided about in turn, each as its own field manager, and
// everybody else does their part in between. Tests say what changes, and look at what became of it.

import { objectIdentity, textsIn } from "../../../core/decision/object-identity.ts";
import type { ImageState, StoredObject } from "../../../core/decision/snapshot.ts";
import type { ObjectBody, Step } from "../../../core/decision/step.ts";
import { isJsonObject, type JsonObject } from "../../../core/json/json.ts";
import { PaperCluster } from "../../forecast/paper-cluster.ts";
import { settlePaper } from "../../forecast/paper-controllers.ts";
import type { Decision, Kind } from "../../kind.ts";
import type { ImageProgress } from "../build/image-need.ts";
import type { PlanBuilds } from "../decide.ts";
import { createModuleKind } from "../module-kind.ts";
import { bindingLabel, readyLabel } from "../module-labels.ts";
import { aNodeObject, type NodeWishes } from "./module-builders.ts";

const ROUNDS_MAX = 200;
const ROUND_MS = 1_000;

/** Builds nothing: an image is there, or it is not. */
export const imagesAsTheyAre: PlanBuilds = ({ wanted, snapshot }) => ({
  steps: [],
  asks: wanted.map(({ image }) => ({ image, pullSecrets: [], was: snapshot.image(image) })),
  images: new Map(wanted.map(({ image }) => [image, progressOf(image, snapshot.image(image))])),
});

function progressOf(image: string, state: ImageState): ImageProgress {
  switch (state.is) {
    case "present":
      return state.digest === "" ? { is: "ready" } : { is: "ready", digest: state.digest };
    case "missing":
      return { is: "missing", reason: "ImageMissing", because: `the registry does not have ${image}` };
    case "unreachable":
      return { is: "unreachable", reason: "ImageUnreachable", because: state.because };
    case "unasked":
      return { is: "waiting", reason: "WaitingForImage", because: `${image} was not asked for yet` };
  }
}

export class ModuleStage {
  readonly kind: Kind;
  readonly cluster: PaperCluster;
  readonly images = new Map<string, ImageState>();
  readonly #modules = new Map<string, JsonObject>();
  /** Who applied which label, by node and key: a label goes with its last owner. */
  readonly #owners = new Map<string, Set<string>>();
  /** All steps that were performed, in their order. */
  readonly log: Step[] = [];
  /** Images, by tag, whose pods do not become ready. */
  readonly broken = new Set<string>();
  /** Whether controllers and kubelets do their part. */
  isAlive = true;
  nowMs = Date.parse("2026-01-01T00:00:00Z");
  /** When nodes changed, and labels that we wrote, by node and key. */
  readonly #changedMs = new Map<string, number>();

  constructor(nodes: readonly NodeWishes[] = [], planBuilds: PlanBuilds = imagesAsTheyAre) {
    this.kind = createModuleKind({ planBuilds });
    const stage = this;
    // Facts have ages here: a change has to last before a bound node is moved.
    this.cluster = new (class extends PaperCluster {
      override factsSinceMs(name = "", keys: readonly string[] = []): number {
        const changes = [name, ...keys.map((key) => `${name} ${key}`)];
        return Math.max(...changes.map((change) => stage.#changedMs.get(change) ?? 0));
      }
    })([], {
      image: (reference) => this.images.get(reference) ?? { is: "present", digest: "", askedMs: 0 },
      isOurLabel: () => false,
    });
    for (const node of nodes) this.node(node);
  }

  /** Lets a node join, or be another one than it was; what we wrote to it stays. */
  node(wishes: NodeWishes): void {
    const name = wishes.name ?? "w-1";
    const was = this.cluster.nodes.find((node) => node.name === name);
    const kept = Object.keys(was?.labels ?? {}).filter((key) => this.#owners.has(`${name} ${key}`));
    const ours = Object.fromEntries(kept.map((key) => [key, was?.labels[key] ?? ""]));
    this.cluster.put(aNodeObject({ ...wishes, labels: { ...ours, ...wishes.labels } }));
    if (was !== undefined) this.#changedMs.set(name, this.nowMs);
  }

  /** Stores a Module, new or changed. */
  store(object: JsonObject): this {
    const { namespace, name } = objectIdentity(object);
    const before = this.#modules.get(`${namespace}/${name}`);
    const generation = (before === undefined ? 0 : objectIdentity(before).generation) + 1;
    const metadata = { name, namespace, uid: uidOf(name, namespace), generation };
    const status = isJsonObject(before?.status) ? { status: before.status } : {};
    this.#modules.set(`${namespace}/${name}`, { ...object, metadata, ...status });
    return this;
  }

  /** Takes a Module away, with all that it controls; what it wrote to nodes is cleared as the operator does. */
  remove(name: string, namespace = "default"): void {
    this.#modules.delete(`${namespace}/${name}`);
    for (const workload of this.cluster.workloadsOf(uidOf(name, namespace))) {
      this.cluster.remove(this.cluster.workloads, `${workload.namespace}/${workload.name}`);
    }
    const plan = this.kind.traces?.clear(this.cluster, { namespace, name });
    for (const step of plan?.steps ?? []) this.#perform(step, `${namespace}/${name}`);
  }

  stored(name = "my-kmod", namespace = "default"): StoredObject {
    const object = this.#modules.get(`${namespace}/${name}`);
    if (object === undefined) throw new Error(`there is no Module ${namespace}/${name}`);
    return { ...objectIdentity(object), object };
  }

  status(name = "my-kmod"): JsonObject {
    const { status } = this.stored(name).object;
    return isJsonObject(status) ? status : {};
  }

  /** `True AllNodesFitted`, by type. */
  conditions(name = "my-kmod"): Readonly<Record<string, string>> {
    const { conditions } = this.status(name);
    const list = Array.isArray(conditions) ? conditions.filter(isJsonObject) : [];
    return Object.fromEntries(list.map(({ type, status, reason }) => [String(type), `${status} ${reason}`]));
  }

  decide(name = "my-kmod", namespace = "default"): Decision {
    return this.kind.observe(this.cluster, this.stored(name, namespace)).decide(this.nowMs);
  }

  /** Every Module is decided about once, then everybody else does their part; returns how much was written besides status and events. */
  round(): number {
    let writes = 0;
    for (const key of this.#modules.keys()) {
      const [namespace = "", name = ""] = key.split("/");
      for (const step of this.decide(name, namespace).plan.steps) {
        this.#perform(step, key);
        if (step.do !== "status" && step.do !== "event") writes += 1;
      }
    }
    if (this.isAlive) this.#live();
    this.nowMs += ROUND_MS;
    return writes;
  }

  /** Rounds until nothing is written any more and no timer is near. */
  settle(aheadMs = 15_000): this {
    let quietMs = 0;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      quietMs = this.round() === 0 ? quietMs + ROUND_MS : 0;
      if (quietMs > aheadMs) return this;
    }
    throw new Error("the stage does not come to rest");
  }

  /** `w-1: 5.14.0… ready my-kmod-…`, one line per node: what it is bound to, whether the driver is ready, and the images of its pods. */
  picture(name = "my-kmod", namespace = "default"): Readonly<Record<string, string>> {
    const module = { namespace, name };
    const entries = this.cluster.nodes.map((node) => {
      const ready = Object.hasOwn(node.labels, readyLabel(module)) ? ["ready"] : [];
      return [
        node.name,
        [node.labels[bindingLabel(module)] ?? "-", ...ready, ...this.imagesOn(node.name, name)].join(" "),
      ];
    });
    return Object.fromEntries(entries);
  }

  /** The tags of the images of a Module's pods on a node. */
  imagesOn(node: string, module = "my-kmod"): readonly string[] {
    const sets = this.cluster.workloadsOf(`uid-of-${module}`);
    const pods = sets.flatMap(({ uid }) => this.cluster.podsOf(uid)).filter((pod) => pod.node === node);
    return pods.map(({ namespace, name }) => imageIn(this.cluster.pods.object(`${namespace}/${name}`) ?? {})).sort();
  }

  /** The node lifecycle controller marks the pods of a node that is lost. */
  unready(node: string): void {
    for (const pod of this.cluster.pods.objects()) {
      if (Object(pod.spec).nodeName !== node) continue;
      const conditions = [{ type: "Ready", status: "False" }];
      this.cluster.put({ ...pod, status: { ...Object(pod.status), conditions } });
    }
  }

  #live(): void {
    settlePaper(this.cluster, this.nowMs);
    for (const object of this.cluster.pods.objects()) {
      const status = isJsonObject(object.status) ? object.status : {};
      if (!this.broken.has(imageIn(object).replace(/^.*:/, ""))) continue;
      this.cluster.put({ ...object, status: { ...status, conditions: [{ type: "Ready", status: "False" }] } });
    }
  }

  #perform(step: Step, manager: string): void {
    this.log.push(step);
    if (step.do === "status") {
      const object = this.#modules.get(manager);
      if (object !== undefined) this.#modules.set(manager, { ...object, status: step.status });
    } else if (step.do === "apply" && step.object.kind === "Node") this.#label(step.object, manager);
    else this.cluster.perform(step, this.nowMs);
  }

  /** Server-side apply: others' labels stay, a value of theirs that differs is a conflict, and a label goes with its last owner. */
  #label({ metadata }: ObjectBody, manager: string): void {
    const node = this.cluster.nodes.find(({ name }) => name === metadata.name);
    if (node === undefined) throw new Error(`there is no node ${metadata.name}`);
    const applied = textsIn(metadata.labels);
    const labels: Record<string, string> = { ...node.labels };
    for (const key of Object.keys(node.labels)) {
      const owners = this.#owners.get(`${node.name} ${key}`);
      if (!owners?.has(manager) || Object.hasOwn(applied, key)) continue;
      owners.delete(manager);
      if (owners.size > 0) continue;
      this.#owners.delete(`${node.name} ${key}`);
      delete labels[key];
    }
    for (const [key, value] of Object.entries(applied)) {
      const owners = this.#owners.get(`${node.name} ${key}`) ?? new Set();
      const hasOthers = [...owners].some((owner) => owner !== manager);
      if (hasOthers && labels[key] !== value) throw new Error(`${manager} fights for label ${key} of ${node.name}`);
      this.#owners.set(`${node.name} ${key}`, owners.add(manager));
      labels[key] = value;
    }
    // As in the operator: what is written to a node changes its facts, whoever writes it.
    for (const key of new Set([...Object.keys(labels), ...Object.keys(node.labels)])) {
      if (labels[key] !== node.labels[key]) this.#changedMs.set(`${node.name} ${key}`, this.nowMs);
    }
    const object = this.#nodeObject(node.name);
    const meta = isJsonObject(object.metadata) ? object.metadata : {};
    this.cluster.put({ ...object, metadata: { ...meta, labels } });
  }

  #nodeObject(name: string): JsonObject {
    const found = this.cluster
      .objects()
      .find((object) => object.kind === "Node" && objectIdentity(object).name === name);
    if (found === undefined) throw new Error(`there is no node ${name}`);
    return found;
  }
}

function uidOf(name: string, namespace: string): string {
  return namespace === "default" ? `uid-of-${name}` : `uid-of-${namespace}-${name}`;
}

function imageIn({ spec }: JsonObject): string {
  const containers = isJsonObject(spec) && Array.isArray(spec.containers) ? spec.containers : [];
  const [first] = containers;
  const image = isJsonObject(first) && typeof first.image === "string" ? first.image : "";
  return image.slice(image.lastIndexOf("/") + 1);
}

// A cluster on paper: the objects of a snapshot, on which the steps of plans are performed at once and without a server. What Kubernetes'
// own controllers and kubelets would make of it is in `paper-controllers.ts`; both together tell what a change would do before it is done.
//
// Caveats: it is an ideal cluster. Every write succeeds, and nobody else writes.

import { timestamp } from "../../core/decision/conditions.ts";
import { textIn } from "../../core/decision/config-text.ts";
import { type ObjectIdentity, objectIdentity, textsIn } from "../../core/decision/object-identity.ts";
import type {
  ConfigKey,
  ConfigText,
  ImageState,
  Refusable,
  Refusal,
  Snapshot,
  StoredObject,
} from "../../core/decision/snapshot.ts";
import { type ObjectBody, type ObjectRef, type PatchStep, refText, type Step } from "../../core/decision/step.ts";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import { isJsonList, isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { type NodeFacts, parseNodeFacts } from "../../core/node/node-facts.ts";
import { type DaemonPod, parseDaemonPod } from "../../core/pod/daemon-pod.ts";
import { parseWorkload, type Workload } from "../../core/rollout/workload.ts";
import { mergeObject } from "../../core/strategic-merge/merge-patch.ts";
import { strategicMerge } from "../../core/strategic-merge/strategic-merge.ts";
import { keyOf, type PaperKey, PaperShelf } from "./paper-shelf.ts";

export type PaperOptions = {
  /** What is known of images; a build makes one present. */
  readonly image: (reference: string) => ImageState;
  /** Whether a label of a node was written by what is forecast, so that an apply without it takes it away. */
  readonly isOurLabel: (key: string, node: NodeFacts) => boolean;
  /** What is known of writes that were not taken; nothing where nobody has tried. */
  readonly refusal?: Snapshot["refusal"];
};

const UID_PREFIX = "paper-";
/** Stands for the digest of what a build will push: nobody knows it before. */
const PAPER_DIGEST = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

export class PaperCluster implements Snapshot {
  readonly workloads = new PaperShelf<Workload>(parseWorkload);
  readonly pods = new PaperShelf<DaemonPod>(parseDaemonPod);
  /** Everything else, by kind. */
  readonly #others = new Map<string, PaperShelf<StoredObject>>();
  readonly #nodes = new Map<string, { readonly object: JsonObject; readonly facts: NodeFacts }>();
  readonly #options: PaperOptions;
  /** What the registry has answered, or a build has pushed. */
  readonly #images = new Map<string, ImageState>();
  #sorted: readonly NodeFacts[] | undefined;
  #births = 0;
  /** Changes of nodes and of what is known of images. */
  #facts = 0;

  constructor(objects: Iterable<JsonObject>, options: PaperOptions) {
    this.#options = options;
    for (const object of objects) this.put(object);
  }

  get nodes(): readonly NodeFacts[] {
    this.#sorted ??= [...this.#nodes.keys()].sort().flatMap((name) => this.#nodes.get(name)?.facts ?? []);
    return this.#sorted;
  }

  /** On paper every fact has lasted. */
  factsSinceMs(): number {
    return 0;
  }

  /** On paper nobody else acts. */
  aloneSinceMs(): number {
    return 0;
  }

  refusal(ownerUid: string, kind: Refusable, name: string): Refusal | undefined {
    return this.#options.refusal?.(ownerUid, kind, name);
  }

  workloadsOf(ownerUid: string): readonly Workload[] {
    return this.workloads.ofOwner(ownerUid);
  }

  workloadsLabelled(namespace: string, key: string, value: string): readonly Workload[] {
    return this.workloads.values().filter((one) => one.namespace === namespace && one.labels[key] === value);
  }

  workloadNamed(namespace: string, name: string): Workload | undefined {
    return this.workloads.get(keyOf({ namespace, name }));
  }

  podsOf(ownerUid: string): readonly DaemonPod[] {
    return this.pods.ofOwner(ownerUid);
  }

  ownedBy(ownerUid: string, kind: string): readonly StoredObject[] {
    return this.shelf(kind).ofOwner(ownerUid);
  }

  objectNamed(namespace: string, name: string, kind: string): StoredObject | undefined {
    return this.shelf(kind).get(keyOf({ namespace, name }));
  }

  strayPods(namespace: string): readonly DaemonPod[] {
    return this.pods.values().filter((pod) => pod.controllerUid === undefined && pod.namespace === namespace);
  }

  strays(namespace: string, kind: string): readonly StoredObject[] {
    const all = this.shelf(kind).values();
    return all.filter((one) => one.controllerUid === undefined && one.namespace === namespace);
  }

  tasks(): readonly StoredObject[] {
    return this.shelf("Job").values();
  }

  image(reference: string): ImageState {
    return this.#images.get(reference) ?? this.#options.image(reference);
  }

  /** A ConfigMap that nobody has put on paper is not known to be missing. */
  configText(namespace: string, { name, key }: ConfigKey): ConfigText {
    const found = this.objectNamed(namespace, name, "ConfigMap");
    return found === undefined ? { is: "withheld" } : textIn(found.object, key);
  }

  isTerminating(namespace: string): boolean {
    return this.shelf("Namespace").get(`/${namespace}`)?.isLeaving === true;
  }

  /** All that there is. */
  objects(): readonly JsonObject[] {
    const shelves = [this.pods, this.workloads, ...this.#others.values()];
    return [...[...this.#nodes.values()].map(({ object }) => object), ...shelves.flatMap((shelf) => shelf.objects())];
  }

  /** How often something has changed: the same number means the same cluster. */
  get changes(): number {
    const shelves = [this.pods, this.workloads, ...this.#others.values()];
    return shelves.reduce((sum, { changes }) => sum + changes, this.#facts);
  }

  /** The objects of a kind that has no shelf of its own. */
  shelf(kind: string): PaperShelf<StoredObject> {
    const shelf = this.#others.get(kind) ?? new PaperShelf((object) => ({ ...objectIdentity(object), object }));
    this.#others.set(kind, shelf);
    return shelf;
  }

  /** Puts an object in the place of the one of its name. */
  put(object: JsonObject): void {
    if (object.kind === "Node") {
      const facts = parseNodeFacts(object);
      this.#nodes.set(facts.name, { object, facts });
      this.#sorted = undefined;
      this.#facts += 1;
      return;
    }
    const { uid } = this.#shelfOf(object).put(object);
    // What an earlier forecast made keeps its UID for itself.
    if (uid.startsWith(UID_PREFIX)) this.#births = Math.max(this.#births, Number(uid.slice(UID_PREFIX.length)) || 0);
  }

  /** Makes an object that is new to the cluster. */
  make(body: JsonObject, nowMs: number): void {
    const uid = `${UID_PREFIX}${++this.#births}`;
    const creationTimestamp = timestamp(nowMs);
    this.put(mergeObject(body, { metadata: { uid, creationTimestamp, generation: 1 } }));
  }

  /** Takes an object and all that it controls away. */
  remove(shelf: PaperShelf<ObjectIdentity>, key: PaperKey): void {
    const { uid } = shelf.get(key) ?? {};
    shelf.remove(key);
    if (uid === undefined) return;
    for (const each of [this.pods, this.workloads, ...this.#others.values()]) {
      for (const owned of each.ofOwner(uid)) this.remove(each, keyOf(owned));
    }
  }

  /** What a build has pushed is there from now on. In place of an image that was there before it is another one. */
  push(image: string, nowMs: number): void {
    const wasThere = this.image(image).is === "present";
    this.know(image, { is: "present", digest: wasThere ? PAPER_DIGEST : "", askedMs: nowMs });
  }

  /** From now on this is known of an image. */
  know(image: string, state: ImageState): void {
    this.#images.set(image, state);
    this.#facts += 1;
  }

  /** Does what a step asks for. */
  perform(step: Step, nowMs: number): void {
    switch (step.do) {
      case "create":
        if (this.#found(step.object) === undefined) this.make(step.object, nowMs);
        return;
      case "apply":
        if (step.object.kind === "Node") this.#label(step.object);
        else this.#apply(step.object, nowMs);
        return;
      case "patch":
        this.#patch(step);
        return;
      case "delete": {
        const shelf = this.#shelfOf(step.target);
        const key = keyOfRef(step.target);
        if (shelf.get(key)?.uid === step.uid) this.remove(shelf, key);
        return;
      }
      case "status":
      case "event":
        return;
    }
  }

  #label({ metadata }: ObjectBody): void {
    const known = this.#nodes.get(metadata.name);
    if (known === undefined) return;
    const foreign = Object.entries(known.facts.labels).filter(([key]) => !this.#options.isOurLabel(key, known.facts));
    const labels = { ...Object.fromEntries(foreign), ...textsIn(metadata.labels) };
    const { metadata: before } = known.object;
    this.put({ ...known.object, metadata: { ...(isJsonObject(before) ? before : {}), labels } });
  }

  /** We apply whole specs, so what is applied is what is there. */
  #apply(body: ObjectBody, nowMs: number): void {
    const before = this.#found(body);
    if (before === undefined) this.make(body, nowMs);
    else {
      const metadata = mergeObject({ metadata: before.metadata ?? {} }, { metadata: body.metadata }).metadata ?? {};
      this.#change(before, { ...before, metadata, spec: body.spec ?? {} });
    }
  }

  #patch({ target, patch, patchType }: PatchStep): void {
    const before = this.#shelfOf(target).object(keyOfRef(target));
    if (before === undefined || !isJsonObject(patch)) return;
    if (patchType === "json") throw new Error(`a JSON patch of ${refText(target)} cannot be forecast`);
    this.#change(before, patchType === "merge" ? mergeObject(before, patch) : strategicPatch(before, patch));
  }

  #change(before: JsonObject, after: JsonObject): void {
    const isSame = canonicalJson(before.spec ?? null) === canonicalJson(after.spec ?? null);
    const { generation } = objectIdentity(before);
    this.put(isSame ? after : mergeObject(after, { metadata: { generation: generation + 1 } }));
  }

  #found(body: ObjectBody): JsonObject | undefined {
    return this.#shelfOf(body).object(keyOfRef(body.metadata));
  }

  #shelfOf({ kind, apiVersion }: JsonObject | ObjectRef): PaperShelf<Workload | DaemonPod | StoredObject> {
    if (kind === "Pod") return this.pods;
    // The advanced DaemonSet has the same name in another group.
    if (kind === "DaemonSet") return apiVersion === "apps/v1" ? this.workloads : this.shelf("advanced DaemonSet");
    return this.shelf(typeof kind === "string" ? kind : "");
  }
}

/** What we patch so has the metadata and the spec of a pod template; of a status we set conditions, which are told by their types. */
function strategicPatch(before: JsonObject, { status: news, ...patch }: JsonObject): JsonObject {
  const { status = {}, ...object } = before;
  const merged = { ...strategicMerge(object, patch), status };
  if (!isJsonObject(status) || !isJsonObject(news)) return merged;
  const given = conditionsIn(news);
  const types = new Set(given.map(({ type }) => type));
  return {
    ...merged,
    status: { ...status, conditions: [...conditionsIn(status).filter(({ type }) => !types.has(type)), ...given] },
  };
}

function conditionsIn({ conditions }: JsonObject): readonly JsonObject[] {
  return isJsonList(conditions) ? conditions.filter(isJsonObject) : [];
}

function keyOfRef({ namespace = "", name }: Pick<ObjectRef, "namespace" | "name">): PaperKey {
  return keyOf({ namespace, name });
}

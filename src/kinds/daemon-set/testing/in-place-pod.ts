// A pod on paper with its kubelet, for tests of updates in place: steps are performed as the API server would, and the kubelet does
// its part when the test says so.
import { timestamp } from "../../../core/decision/conditions.ts";
import { objectIdentity, textIn } from "../../../core/decision/object-identity.ts";
import type { PatchStep } from "../../../core/decision/step.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { type DaemonPod, parseDaemonPod } from "../../../core/pod/daemon-pod.ts";
import { mergeObject } from "../../../core/strategic-merge/merge-patch.ts";
import { strategicMerge } from "../../../core/strategic-merge/strategic-merge.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";

/** 2026-03-01T12:00:00Z. */
export const NOON_MS = 1_772_366_400_000;

type Running = {
  readonly image: string;
  readonly starts: number;
  readonly startedMs: number;
  readonly isBroken: boolean;
};

export class InPlacePod {
  nowMs = NOON_MS;
  object: JsonObject;
  /** The digests of images; those that are not named have one of their own. */
  digests: Readonly<Record<string, string>> = {};
  /** The runtime tells images by names of its own. */
  isMirrored = false;
  /** Images that no registry has. */
  readonly missing = new Set<string>();
  #running = new Map<string, Running>();
  #resources = new Map<string, JsonObject>();

  constructor(template: JsonObject, gates: readonly string[] = ["InPlaceUpdateReady"]) {
    const metadata = objectAt(template, "metadata");
    this.object = {
      metadata: { ...metadata, name: "agent-x", namespace: "infra", uid: "pod-uid", resourceVersion: "1" },
      spec: { ...objectAt(template, "spec"), readinessGates: gates.map((conditionType) => ({ conditionType })) },
      status: { phase: "Running" },
    };
    this.sync();
  }

  get seen(): DaemonPod {
    return parseDaemonPod(this.object);
  }

  get isReady(): boolean {
    return this.seen.readySinceMs !== undefined;
  }

  /** The images that run, by container. */
  get images(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#running].map(([name, { image }]) => [name, image]));
  }

  get starts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#running].map(([name, { starts }]) => [name, starts]));
  }

  /** Does what a step asks for, as the API server would; refuses a patch of another pod, or of another state of it. */
  perform({ patch, subresource }: PatchStep): void {
    if (!isJsonObject(patch)) throw new Error("a patch is an object");
    const { uid, resourceVersion } = objectIdentity(patch);
    if (uid !== this.seen.uid) throw new Error(`the patch is for ${uid}`);
    const version = this.seen.resourceVersion;
    if (![version, ""].includes(resourceVersion)) throw new Error(`the patch is for version ${resourceVersion}`);
    this.object = mergeObject(this.object, { metadata: { resourceVersion: `${Number(version) + 1}` } });
    if (subresource === "status") {
      const conditions = listOf(objectAt(patch, "status").conditions);
      this.#setConditions(conditions.filter(isJsonObject));
      return;
    }
    const { status = {}, ...rest } = this.object;
    this.object = { ...strategicMerge(rest, patch), status };
  }

  /** The kubelet starts what is new, sets up resources and reports; of the named containers only, if any are named. */
  sync(only?: readonly string[]): void {
    for (const container of listOf(objectAt(this.object, "spec").containers).filter(isJsonObject)) {
      const name = textIn(container.name);
      if (only !== undefined && !only.includes(name)) continue;
      this.#resources.set(name, objectAt(container, "resources"));
      const image = textIn(container.image);
      const before = this.#running.get(name);
      if (before?.image === image && before.isBroken === this.missing.has(image)) continue;
      const isBroken = this.missing.has(image);
      const starts = (before?.starts ?? 0) + (isBroken ? 0 : 1);
      this.#running.set(name, { image, starts, startedMs: this.nowMs, isBroken });
    }
    this.#report();
  }

  /** Ready as the kubelet sees it: all containers run, and all gates are open. */
  #report(): void {
    const statuses = [...this.#running].map(([name, { image, starts, startedMs, isBroken }]) => ({
      ...{
        name,
        image: this.isMirrored ? `mirror.example.org/${image}` : image,
        ready: !isBroken,
        resources: this.#resources.get(name) ?? {},
      },
      ...(isBroken
        ? { imageID: "", state: { waiting: { reason: "ErrImagePull" } } }
        : {
            imageID: this.digests[image] ?? `sha256:${image}`,
            state: { running: { startedAt: timestamp(startedMs) } },
          }),
      containerID: `c-${name}-${starts}`,
    }));
    this.object = { ...this.object, status: { ...objectAt(this.object, "status"), containerStatuses: statuses } };
    const isOpen = this.seen.gates.every(({ condition }) => condition?.isTrue === true);
    const isRunning = statuses.every(({ ready }) => ready);
    this.#setConditions([{ type: "Ready", status: isOpen && isRunning ? "True" : "False" }]);
  }

  #setConditions(said: readonly JsonObject[]): void {
    const status = objectAt(this.object, "status");
    const stored = listOf(status.conditions).filter(isJsonObject);
    const others = stored.filter(({ type }) => said.every((one) => one.type !== type));
    const merged: readonly Json[] = said.map((one) => {
      const before = stored.find(({ type }) => type === one.type);
      const isMoved = before?.status !== one.status;
      return {
        ...before,
        lastTransitionTime: timestamp(this.nowMs),
        ...one,
        ...(isMoved ? {} : { lastTransitionTime: before?.lastTransitionTime ?? null }),
      };
    });
    this.object = { ...this.object, status: { ...status, conditions: [...others, ...merged] } };
  }
}

// What a kubelet does about the pods that are bound to its node: it decides (decide-pod.ts), remembers, and writes.

import type { Cache } from "../../../src/kube/cache/cache.ts";
import { ApiError } from "../../../src/kube/client/api-error.ts";
import type { Key } from "../../../src/kube/resource.ts";
import type { Behaviour } from "../behaviour.ts";
import type { KubeletPorts } from "../kubelet-ports.ts";
import type { LinkOf } from "../link.ts";
import type { MachineSpec } from "../machine.ts";
import { type Again, delivered } from "../node-duty.ts";
import { type NodeView, nodeLabels, podsMaxOf } from "../node-object.ts";
import { generousRegistry, type Registry } from "../registry.ts";
import type { Residents } from "../residents.ts";
import type { SteadyTime } from "../steady-time.ts";
import type { Premises } from "./admit-pod.ts";
import { decidePod } from "./decide-pod.ts";
import { podHappenings } from "./pod-happenings.ts";
import type { PodRun } from "./pod-run.ts";
import { isFinished, type PodView } from "./pod-view.ts";
import { performDecision } from "./pod-writes.ts";

/** What a test wants of a pod instead of what its annotations say; asked at every decision. */
export type Overrule = (pod: PodView) => Partial<Behaviour>;

export type PodDutyParts = {
  readonly ports: KubeletPorts;
  readonly residents: Residents;
  readonly linkOf: LinkOf;
  readonly now: SteadyTime;
  readonly pods: Pick<Cache<PodView, "node">, "by">;
  /** Pod and node as their kubelet knows them. */
  readonly podOf: (key: Key) => PodView | undefined;
  readonly nodeOf: (name: string) => NodeView | undefined;
};

type PodMemory = {
  readonly run: PodRun | undefined;
  readonly ip: string;
  /** The UID of the pod whose end the server has been told: what it makes of that may be heard later than other news. */
  readonly endedUid?: string;
};

export class PodDuty {
  readonly #parts: PodDutyParts;
  readonly #memories = new Map<Key, PodMemory>();
  overrule: Overrule = () => ({});
  registry: Registry = generousRegistry;

  constructor(parts: PodDutyParts) {
    this.#parts = parts;
  }

  /** Brings a pod to where it should be by now, and says when it changes next. */
  async lookAfter(key: Key, signal: AbortSignal): Promise<Again> {
    const { ports, residents, linkOf, now, podOf } = this.#parts;
    const { client, clock } = ports;
    const pod = podOf(key);
    const resident = pod === undefined ? undefined : residents.get(pod.nodeName);
    if (pod === undefined || resident === undefined) {
      this.#memories.delete(key);
      return undefined;
    }
    const { machine } = resident;
    const memory = this.#memories.get(key) ?? { run: undefined, ip: pod.reported.podIP ?? residents.newAddress() };
    const decision = decidePod({
      ...{ pod, machine, run: memory.run, podIp: memory.ip, registry: this.registry, nowMs: now() },
      overruled: this.overrule(pod),
      premises: () => this.#premisesOf(pod, machine.spec),
    });
    this.#memories.set(key, { ...memory, run: decision.run });
    const isEnding = decision.isGone && memory.endedUid !== pod.uid;
    const isSilent = decision.status === undefined && !isEnding;
    if (!isSilent) {
      await delivered(clock, linkOf(pod.nodeName).tellsAfterMs, signal);
      await performDecision(client, pod, { ...decision, isGone: isEnding }).catch((error: unknown) =>
        this.#complain(error),
      );
      if (isEnding) this.#memories.set(key, { ...memory, run: decision.run, endedUid: pod.uid });
      if (ports.tell !== undefined) for (const happening of podHappenings(pod, decision)) ports.tell(happening);
    }
    return decision.againAtMs === undefined ? undefined : { againInMs: Math.max(0, decision.againAtMs - now()) };
  }

  /** What the kubelet goes by when it admits a pod: its own picture of the node, or its settings before it has one. */
  #premisesOf(pod: PodView, spec: MachineSpec): Premises {
    const { nodeOf, pods } = this.#parts;
    const { name } = spec;
    const view = nodeOf(name) ?? { labels: nodeLabels(spec), taints: [] };
    let podsHere = 0;
    for (const other of pods.by("node", name)) {
      const isHere = other.key !== pod.key && !isFinished(other) && this.#memories.get(other.key)?.run !== undefined;
      if (isHere) podsHere += 1;
    }
    return { node: { name, labels: view.labels, taints: view.taints }, podsMax: podsMaxOf(spec), podsHere };
  }

  #complain(error: unknown): never {
    // Not the weather but a fault of ours: it will not pass by itself, so it must be heard.
    if (error instanceof ApiError && error.status === 422)
      this.#parts.ports.log.error("a pod's status is refused", { error });
    throw error;
  }
}

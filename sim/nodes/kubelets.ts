// The kubelets of a whole fleet in one process: they register their nodes, keep their leases, and run the pods that the
// scheduler binds to them, against any API server. What they do about a pod is decided in decide-pod.ts.
//
// Guarantees: level-triggered: every write follows from the cached pod and can be repeated; a restart of the API server
// costs retries, never a pod that is forgotten.
// Caveat: the cache may lag behind our own write; the same status is then written once more.
import { ApiError } from "../../src/kube/api-error.ts";
import { type Cache, createCache } from "../../src/kube/cache.ts";
import type { Client } from "../../src/kube/client.ts";
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { Key } from "../../src/kube/resource.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { Controller } from "../../src/runtime/controller.ts";
import type { Logger } from "../../src/runtime/log.ts";
import { NODES, PODS } from "./api-shapes.ts";
import type { Behaviour } from "./behaviour.ts";
import { decidePod } from "./decide-pod.ts";
import { type Heartbeat, heartbeatFor } from "./heartbeat.ts";
import { type Machine, type MachineSpec, newMachine, rebooted, returned, settled, vanished } from "./machine.ts";
import { isTold, type NodeView, parseNode } from "./node-object.ts";
import { registerNode, renewLease, reportNode } from "./node-writes.ts";
import type { PodRun } from "./pod-run.ts";
import { type PodView, parsePod } from "./pod-view.ts";
import { performDecision } from "./pod-writes.ts";
import { SignalSource } from "./signal-source.ts";

export type KubeletPorts = {
  readonly client: Client;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
};

export type KubeletOptions = {
  /** What the nodes say of themselves. */
  readonly kubeletVersion: string;
  /** How often each node says that it lives; fitted to the size of the fleet when absent. */
  readonly heartbeat?: Heartbeat;
};

/** What a test wants of a pod instead of what its annotations say; asked at every decision. */
export type Overrule = (pod: PodView) => Partial<Behaviour>;

const WORKERS = 48;
const RUN_TIMEOUT_MS = 30_000;
const KEYS_MAX = 500_000;
const RETRY = { baseMs: 100, maxMs: 3_000 };
const STOP_DRAIN_MS = 1_000;

/** A machine of ours and what the API knows of it. */
type Resident = {
  readonly machine: Machine;
  readonly nodeUid: string | undefined;
  /** Whether the API has the status of this boot. */
  readonly isReported: boolean;
};

type PodMemory = { readonly run: PodRun | undefined; readonly ip: string };

type Again = { readonly againInMs: number } | undefined;

/** Starts to watch pods; resolves when the kubelets are ready for machines to join. */
export async function startKubelets(ports: KubeletPorts, options: KubeletOptions): Promise<Kubelets> {
  const kubelets = new Kubelets(ports, options);
  await kubelets.start();
  return kubelets;
}

export class Kubelets {
  readonly #ports: KubeletPorts;
  readonly #options: KubeletOptions;
  readonly #residents = new Map<string, Resident>();
  readonly #joining = new Map<string, PromiseWithResolvers<void>>();
  readonly #memories = new Map<Key, PodMemory>();
  readonly #pods: Cache<PodView, "node">;
  readonly #nodes: Cache<NodeView, never>;
  readonly #source = new SignalSource(() => this.#existingKeys());
  readonly #controller: Controller;
  readonly #abort = new AbortController();
  #overrule: Overrule = () => ({});
  #addressesGiven = 0;

  constructor(ports: KubeletPorts, options: KubeletOptions) {
    this.#ports = ports;
    this.#options = options;
    const { transport, clock, rand, log } = ports;
    const feed = { transport, clock, rand, hooks: { onUnreadable: (message: string) => log.error(message) } };
    const indexes = { node: (pod: PodView) => [pod.nodeName] };
    this.#pods = createCache({ ...feed, resource: PODS, fieldSelector: "spec.nodeName!=", project: parsePod, indexes });
    this.#nodes = createCache({ ...feed, resource: NODES, project: parseNode, indexes: {} });
    this.#controller = new Controller(
      {
        ...{ name: "kubelets", workers: WORKERS, timeoutMs: RUN_TIMEOUT_MS },
        sources: [this.#source],
        reconcile: (key) => this.#reconcile(key),
        queue: { backOff: RETRY, spacingMs: 0, keysMax: KEYS_MAX },
      },
      ports,
    );
  }

  async start(): Promise<void> {
    for (const cache of [this.#pods, this.#nodes]) void cache.run(this.#abort.signal);
    await Promise.all([this.#pods.synced, this.#nodes.synced]);
    this.#pods.changes((change) => this.#source.wake(`pod ${change.key}`));
    this.#nodes.changes((change) => this.#source.wake(`node ${change.key}`));
    this.#controller.start();
  }

  /** The machines are switched on; resolves when all their nodes are registered. */
  async join(specs: readonly MachineSpec[]): Promise<void> {
    const registered = specs.map((spec) => {
      if (this.#residents.has(spec.name)) throw new Error(`machine "${spec.name}" has joined already`);
      const machine = newMachine(spec, this.#newBootId(), this.#newAddress());
      this.#residents.set(spec.name, { machine, nodeUid: undefined, isReported: false });
      const joining = Promise.withResolvers<void>();
      this.#joining.set(spec.name, joining);
      this.#source.wake(`node ${spec.name}`);
      return joining.promise;
    });
    await Promise.all(registered);
  }

  /** The machine goes down, and comes up after `downMs` with its pods restarted, and another kernel if one is given. */
  reboot(name: string, how: { readonly kernel?: string; readonly downMs?: number } = {}): void {
    const untilMs = this.#ports.clock.wallMs() + (how.downMs ?? 0);
    const boot = { bootId: this.#newBootId(), untilMs, kernel: how.kernel };
    this.#change(name, rebooted(this.#resident(name).machine, boot));
  }

  /** Nobody hears of the machine any more: no lease, no status. Its containers run on. */
  vanish(name: string): void {
    this.#change(name, vanished(this.#resident(name).machine));
  }

  /** A machine that had vanished is heard again. */
  comeBack(name: string): void {
    this.#change(name, returned(this.#resident(name).machine));
  }

  /** The machine is taken out of the cluster together with its Node; it may join again. */
  async leave(name: string): Promise<void> {
    this.#resident(name);
    this.#residents.delete(name);
    await this.#ports.client.remove(NODES, name);
  }

  /** From now on `overrule` has the last word on how pods behave. */
  behave(overrule: Overrule): void {
    this.#overrule = overrule;
    for (const pod of this.#pods.values()) this.#source.wake(`pod ${pod.key}`);
  }

  get machines(): readonly MachineSpec[] {
    return [...this.#residents.values()].map(({ machine }) => machine.spec);
  }

  /** Stops everything; the nodes stay in the API as they are and will be found silent. */
  async stop(): Promise<void> {
    const reason = new Error("the kubelets are stopped");
    this.#abort.abort(reason);
    for (const joining of this.#joining.values()) joining.reject(reason);
    await this.#controller.stop(STOP_DRAIN_MS);
  }

  #reconcile(key: string): Promise<Again> {
    const [kind, name = ""] = key.split(" ");
    switch (kind) {
      case "node":
        return this.#lookAfterNode(name);
      case "lease":
        return this.#renew(name);
      default:
        return this.#lookAfterPod(name);
    }
  }

  async #lookAfterNode(name: string): Promise<Again> {
    const { client, clock } = this.#ports;
    const nowMs = clock.wallMs();
    const resident = this.#residents.get(name);
    if (resident === undefined) return undefined;
    const machine = settled(resident.machine, nowMs);
    if (machine.presence.is === "booting") return { againInMs: machine.presence.untilMs - nowMs };
    if (machine.presence.is === "away") return undefined;
    const node = this.#nodes.get(name);
    // A node that somebody has deleted stays away until its machine joins again, as with real kubelets.
    if (resident.isReported && (node === undefined || isTold(node, machine))) return undefined;
    const write = resident.nodeUid === undefined ? registerNode : reportNode;
    const nodeUid = await write(client, machine, this.#options, nowMs);
    // The machine may have been rebooted or taken away meanwhile; then it has been woken again.
    if (this.#residents.get(name) !== resident) return undefined;
    this.#residents.set(name, { machine, nodeUid, isReported: true });
    this.#source.wake(`lease ${name}`);
    this.#wakePodsOf(name);
    this.#joining.get(name)?.resolve();
    this.#joining.delete(name);
    return undefined;
  }

  async #renew(name: string): Promise<Again> {
    const { client, clock, rand } = this.#ports;
    const resident = this.#residents.get(name);
    if (resident?.nodeUid === undefined || resident.machine.presence.is !== "up") return undefined;
    const heartbeat = this.#options.heartbeat ?? heartbeatFor(this.#residents.size);
    const node = { uid: resident.nodeUid, leaseSeconds: heartbeat.graceSeconds };
    await renewLease(client, resident.machine, node, clock.wallMs());
    // Spread, so that a fleet that joined at once does not renew at once for ever.
    return { againInMs: heartbeat.everyMs * (0.75 + 0.25 * rand.next()) };
  }

  async #lookAfterPod(key: Key): Promise<Again> {
    const { client, clock } = this.#ports;
    const pod = this.#pods.get(key);
    const resident = pod === undefined ? undefined : this.#residents.get(pod.nodeName);
    if (pod === undefined || resident === undefined) {
      this.#memories.delete(key);
      return undefined;
    }
    const memory = this.#memories.get(key) ?? { run: undefined, ip: pod.reported.podIP ?? this.#newAddress() };
    const nowMs = clock.wallMs();
    const decision = decidePod({
      ...{ pod, nowMs, run: memory.run, podIp: memory.ip, machine: resident.machine },
      overruled: this.#overrule(pod),
    });
    this.#memories.set(key, { ...memory, run: decision.run });
    await performDecision(client, pod, decision).catch((error: unknown) => {
      // Not the weather but a fault of ours: it will not pass by itself, so it must be heard.
      if (error instanceof ApiError && error.status === 422)
        this.#ports.log.error("a pod's status is refused", { error });
      throw error;
    });
    return decision.againAtMs === undefined
      ? undefined
      : { againInMs: Math.max(0, decision.againAtMs - clock.wallMs()) };
  }

  #resident(name: string): Resident {
    const resident = this.#residents.get(name);
    if (resident === undefined) throw new Error(`no machine "${name}" has joined`);
    return resident;
  }

  #change(name: string, machine: Machine): void {
    this.#residents.set(name, { ...this.#resident(name), machine, isReported: false });
    this.#source.wake(`node ${name}`);
  }

  #wakePodsOf(name: string): void {
    for (const pod of this.#pods.by("node", name)) this.#source.wake(`pod ${pod.key}`);
  }

  *#existingKeys(): Generator<string> {
    for (const name of this.#residents.keys()) yield* [`node ${name}`, `lease ${name}`];
    for (const pod of this.#pods.values()) yield `pod ${pod.key}`;
  }

  #newBootId(): string {
    const digits = Array.from({ length: 32 }, () => Math.floor(this.#ports.rand.next() * 16).toString(16)).join("");
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  #newAddress(): string {
    const number = ++this.#addressesGiven;
    return `10.${64 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`;
  }
}

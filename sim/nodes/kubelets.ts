// The kubelets of a whole fleet in one process: they register their nodes, keep their leases, and run the pods that the
// scheduler binds to them, against any API server. One watch serves them all; what each of them knows may be late.
//
// Guarantees: level-triggered: every write follows from the cached pod and can be repeated; a restart of the API server
// costs retries, never a pod that is forgotten.
// Caveat: the cache may lag behind our own write; the same status is then written once more.
//
// The kubelets of a fleet. Beside this file:
//   start-nodes.ts, kubelet-ports.ts, residents.ts: a fleet as one part of a cluster
//   machine.ts, behaviour.ts, registry.ts: the computer, its containers, its images
//   node-duty.ts, node-object.ts, node-writes.ts, heartbeat.ts: what a kubelet does for its Node
//   pod/pod-duty.ts, pod/decide-pod.ts, pod/pod-status.ts: what it does for a pod
//   link.ts, late-view.ts, mortal-transport.ts: how late it hears and is heard
//   api-shapes.ts, covers.ts: the objects that it reads and writes
import { type Cache, createCache } from "../../src/kube/cache/cache.ts";
import { Controller } from "../../src/runtime/queue/controller.ts";
import { NODES, PODS } from "./api-shapes.ts";
import type { KubeletOptions, KubeletPorts } from "./kubelet-ports.ts";
import { LateView } from "./late-view.ts";
import { promptLinks } from "./link.ts";
import { type Machine, type MachineSpec, newMachine, rebooted, returned, vanished } from "./machine.ts";
import { type Again, NodeDuty } from "./node-duty.ts";
import { type NodeView, parseNode } from "./node-object.ts";
import { type Overrule, PodDuty } from "./pod/pod-duty.ts";
import { type PodView, parsePod } from "./pod/pod-view.ts";
import type { Registry } from "./registry.ts";
import { Residents } from "./residents.ts";
import { SignalSource } from "./signal-source.ts";
import { type SteadyTime, steadyTime } from "./steady-time.ts";

const WORKERS = 48;
/** Longer than the slowest link and a few attempts to write. */
const RUN_TIMEOUT_MS = 150_000;
const KEYS_MAX = 500_000;
const RETRY = { baseMs: 100, maxMs: 3_000 };
const STOP_DRAIN_MS = 1_000;

/** Starts to watch pods; resolves when the kubelets are ready for machines to join. */
export async function startKubelets(ports: KubeletPorts, options: KubeletOptions): Promise<Kubelets> {
  const kubelets = new Kubelets(ports, options);
  await kubelets.start();
  return kubelets;
}

export class Kubelets {
  readonly #ports: KubeletPorts;
  readonly #residents: Residents;
  readonly #now: SteadyTime;
  readonly #joining = new Map<string, PromiseWithResolvers<void>>();
  readonly #pods: Cache<PodView, "node">;
  readonly #nodes: Cache<NodeView, never>;
  readonly #heardPods: LateView<PodView>;
  readonly #heardNodes: LateView<NodeView>;
  readonly #nodeDuty: NodeDuty;
  readonly #podDuty: PodDuty;
  readonly #source = new SignalSource(() => this.#existingKeys());
  readonly #controller: Controller;
  readonly #abort = new AbortController();

  constructor(ports: KubeletPorts, options: KubeletOptions) {
    this.#ports = ports;
    const { transport, clock, rand, log } = ports;
    const residents = new Residents(rand);
    this.#residents = residents;
    const feed = { transport, clock, rand, hooks: { onUnreadable: (message: string) => log.error(message) } };
    const indexes = { node: (pod: PodView) => [pod.nodeName] };
    const pods = createCache({ ...feed, resource: PODS, fieldSelector: "spec.nodeName!=", project: parsePod, indexes });
    const nodes = createCache({ ...feed, resource: NODES, project: parseNode, indexes: {} });
    const linkOf = options.linkOf ?? promptLinks;
    this.#heardPods = new LateView(clock, {
      current: (key) => pods.get(key),
      delayOf: (pod: PodView) => linkOf(pod.nodeName).hearsAfterMs,
      onHeard: (key) => this.#source.wake(`pod ${key}`),
    });
    this.#heardNodes = new LateView(clock, {
      current: (name) => nodes.get(name),
      delayOf: (node: NodeView) => linkOf(node.name).hearsAfterMs,
      onHeard: (name) => this.#source.wake(`node ${name}`),
    });
    const nodeOf = (name: string) => this.#heardNodes.get(name);
    const podOf = (key: string) => this.#heardPods.get(key);
    const onReported = (name: string) => this.#reported(name);
    const now = steadyTime(clock);
    this.#now = now;
    this.#pods = pods;
    this.#nodes = nodes;
    this.#nodeDuty = new NodeDuty({ ports, options, residents, linkOf, now, nodeOf, onReported });
    this.#podDuty = new PodDuty({ ports, residents, linkOf, now, pods, podOf, nodeOf });
    this.#controller = new Controller(
      {
        ...{ name: "kubelets", workers: WORKERS, timeoutMs: RUN_TIMEOUT_MS },
        sources: [this.#source],
        reconcile: (key, { signal }) => this.#reconcile(key, signal),
        queue: { backOff: RETRY, spacingMs: 0, keysMax: KEYS_MAX },
      },
      ports,
    );
  }

  async start(): Promise<void> {
    for (const cache of [this.#pods, this.#nodes]) void cache.run(this.#abort.signal);
    await Promise.all([this.#pods.synced, this.#nodes.synced]);
    this.#abort.signal.throwIfAborted();
    this.#pods.changes((change) => this.#heardPods.take(change));
    this.#nodes.changes((change) => this.#heardNodes.take(change));
    this.#controller.start();
  }

  /** The kubelets of these machines are started; resolves when all their nodes are registered. */
  async join(specs: readonly MachineSpec[]): Promise<void> {
    this.#abort.signal.throwIfAborted();
    const registered = specs.map((spec) => {
      const { name } = spec;
      if (this.#residents.get(name) !== undefined) throw new Error(`machine "${name}" has joined already`);
      const machine = this.#switchedOn(spec);
      this.#residents.set(name, { machine, nodeUid: undefined, isReported: false, hasLease: false });
      const joining = Promise.withResolvers<void>();
      this.#joining.set(name, joining);
      this.#source.wake(`node ${name}`);
      return joining.promise;
    });
    await Promise.all(registered);
  }

  /** The machine goes down, and comes up after `downMs` with its pods restarted, and another kernel if one is given. */
  reboot(name: string, how: { readonly kernel?: string; readonly downMs?: number } = {}): void {
    const untilMs = this.#now() + (how.downMs ?? 0);
    const boot = { bootId: this.#residents.newBootId(), untilMs, kernel: how.kernel };
    // A kubelet that starts registers, so that a node that was deleted comes back with the boot.
    this.#change(name, rebooted(this.#residents.known(name).machine, boot), { nodeUid: undefined });
  }

  /** Nobody hears of the machine any more: no lease, no status. Its containers run on. */
  vanish(name: string): void {
    this.#change(name, vanished(this.#residents.known(name).machine));
  }

  /** A machine that had vanished is heard again. */
  comeBack(name: string): void {
    this.#change(name, returned(this.#residents.known(name).machine));
  }

  /** The machine is taken out of the cluster together with its Node; it may join again, as another one of the same name. */
  async leave(name: string): Promise<void> {
    this.#residents.known(name);
    this.#residents.delete(name);
    await this.#ports.client.remove(NODES, name);
  }

  /** From now on `overrule` has the last word on how pods behave. */
  behave(overrule: Overrule): void {
    this.#podDuty.overrule = overrule;
    for (const pod of this.#pods.values()) this.#source.wake(`pod ${pod.key}`);
  }

  /** From now on images are pulled from this registry. */
  pullFrom(registry: Registry): void {
    this.#podDuty.registry = registry;
  }

  get machines(): readonly MachineSpec[] {
    return this.#residents.specs();
  }

  /** Stops everything, after what is under way had a moment to end; the nodes stay in the API and will be found silent. */
  async stop(drainMs = STOP_DRAIN_MS): Promise<void> {
    const reason = new Error("the kubelets are stopped");
    this.#abort.abort(reason);
    for (const joining of this.#joining.values()) joining.reject(reason);
    await this.#controller.stop(drainMs);
  }

  #reconcile(key: string, signal: AbortSignal): Promise<Again> {
    const [kind, name = ""] = key.split(" ");
    switch (kind) {
      case "node":
        return this.#nodeDuty.lookAfter(name, signal);
      case "lease":
        return this.#nodeDuty.renew(name, signal);
      default:
        return this.#podDuty.lookAfter(name, signal);
    }
  }

  /** A machine whose node is there has run all the time and only its kubelet is new; any other has just been booted. */
  #switchedOn(spec: MachineSpec): Machine {
    const ip = this.#residents.newAddress();
    const { bootId = "", kernel = spec.kernel } = this.#nodes.get(spec.name) ?? {};
    if (bootId !== "") return newMachine({ ...spec, kernel }, { bootId, ip, bootedAtMs: 0 });
    return newMachine(spec, { bootId: this.#residents.newBootId(), ip, bootedAtMs: this.#now() });
  }

  #reported(name: string): void {
    this.#source.wake(`lease ${name}`);
    this.#wakePodsOf(name);
    this.#joining.get(name)?.resolve();
    this.#joining.delete(name);
  }

  #wakePodsOf(name: string): void {
    for (const pod of this.#pods.by("node", name)) this.#source.wake(`pod ${pod.key}`);
  }

  #change(name: string, machine: Machine, forgotten: { readonly nodeUid?: undefined } = {}): void {
    this.#residents.set(name, { ...this.#residents.known(name), ...forgotten, machine, isReported: false });
    this.#source.wake(`node ${name}`);
  }

  *#existingKeys(): Generator<string> {
    for (const name of this.#residents.names()) yield* [`node ${name}`, `lease ${name}`];
    for (const pod of this.#pods.values()) yield `pod ${pod.key}`;
  }
}

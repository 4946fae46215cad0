// A real control plane with simulated kubelets and operators for advanced DaemonSets alone: what the end-to-end tests of that kind stand on.
import { mixedFleet } from "../../../sim/fleets/mixed-fleet.ts";
import { NAMESPACE, nodes, pods, setDefinition, sets } from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import { createOperator, type OperatorOptions } from "../../../src/controllers/loop/create-operator.ts";
import { createDaemonSetKind, type DaemonSetOptions } from "../../../src/kinds/daemon-set/daemon-set-kind.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import { logToList } from "../../../src/runtime/log/testing/log-to-list.ts";
import type { Binaries } from "../../control-plane/binaries.ts";
import { eventually } from "../../control-plane/eventually.ts";
import type { ClusterWithNodes } from "../../kubelets/cluster-with-nodes.ts";
import { type InstalledCluster, startInstalledCluster } from "../../program/installed-cluster.ts";

const GONE = { deadlineMs: 60_000, everyMs: 200 };

/** The cluster with so many machines, and what tests do there. */
export class DaemonSetCluster {
  readonly client: Client;
  readonly admin: ClusterWithNodes["admin"];
  readonly kubelets: ClusterWithNodes["kubelets"];
  /** In the order of their names. */
  readonly nodeNames: readonly string[];
  readonly #world: InstalledCluster;
  readonly #lives: AbortController[] = [];

  private constructor(world: InstalledCluster, nodeNames: readonly string[]) {
    this.#world = world;
    this.admin = world.admin;
    this.client = world.admin.client;
    this.kubelets = world.kubelets;
    this.nodeNames = nodeNames;
  }

  /** Starts it and installs the definition. */
  static async start(binaries: Binaries, count: number): Promise<DaemonSetCluster> {
    const machines = mixedFleet({ count });
    const world = await startInstalledCluster({ binaries, definitions: [setDefinition()], machines });
    const { items } = await world.admin.client.list(nodes);
    return new DaemonSetCluster(world, items.map(({ metadata }) => metadata.name).sort());
  }

  /** Starts an operator; its life, which `kill` ends too. */
  operate(kind?: DaemonSetOptions, more: Partial<OperatorOptions> = {}): AbortController {
    const life = new AbortController();
    this.#lives.push(life);
    const { transport, clock, rand } = this.#world.operator;
    const ports = { identity: `operator-${this.#lives.length}`, transport, clock, rand, log: logToList().log };
    const options = { kinds: [createDaemonSetKind(kind)], program: "farrier", ...more };
    void createOperator(ports, options).run(life.signal);
    return life;
  }

  /** Ends all operators, as a kill does. */
  kill(): void {
    for (const life of this.#lives.splice(0)) life.abort(new Error("killed"));
  }

  async pods(namespace = NAMESPACE) {
    return (await this.client.list(pods, { namespace })).items;
  }

  /** Names and UIDs: as long as they are the same, nothing was made anew. */
  async identities(namespace = NAMESPACE): Promise<readonly string[]> {
    return (await this.pods(namespace)).map(({ metadata }) => `${metadata.name} ${metadata.uid}`).sort();
  }

  /** Takes all sets and pods of a namespace away, and waits until they are gone. */
  async clean(namespace = NAMESPACE): Promise<void> {
    for (const { metadata } of (await this.client.list(sets, { namespace })).items) {
      await this.client.remove(sets, `${namespace}/${metadata.name}`);
    }
    // The garbage collector may take half a minute to learn of a new kind, and no test is about it. An operator that has not seen the end of a
    // set yet may make one pod more.
    const isEmpty = async () => {
      const left = await this.pods(namespace);
      for (const { metadata } of left) await this.client.remove(pods, `${namespace}/${metadata.name}`);
      return left.length === 0 ? true : undefined;
    };
    await eventually("no pod is left", isEmpty, GONE);
  }

  stop(): Promise<void> {
    this.kill();
    return this.#world.stop();
  }
}

// A set on a fleet of a real control plane, with operators as processes of their own, of which every change is read from what etcd committed:
// the ground of tests that let operators and servers do their worst and judge the record afterwards.
import { mixedFleet } from "../../../sim/fleets/mixed-fleet.ts";
import {
  aSet,
  aTemplate,
  NAMESPACE,
  SET_KEY,
  type SetObject,
  setDefinition,
  sets,
} from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import type { Binaries } from "../../control-plane/binaries.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { type InstalledCluster, startInstalledCluster } from "../../program/installed-cluster.ts";
import { type OperatorOptions, type OperatorProcess, startOperatorProcess } from "../../program/operator-process.ts";
import { type Committed, type Observer, STORES_JSON, startObserver } from "../../runtime/observer.ts";
import { servingWith } from "./rollout-judge.ts";

const SOON = { deadlineMs: 300_000, everyMs: 500 };

export class RecordedFleet {
  readonly client: Client;
  readonly cluster: InstalledCluster["cluster"];
  readonly #world: InstalledCluster;
  readonly #observer: Observer;
  readonly #operators: OperatorProcess[] = [];

  private constructor(world: InstalledCluster, observer: Observer) {
    this.client = world.admin.client;
    this.cluster = world.cluster;
    this.#world = world;
    this.#observer = observer;
  }

  /** Starts so many machines and the record; nobody operates yet. */
  static async start(binaries: Binaries, count: number): Promise<RecordedFleet> {
    const machines = mixedFleet({ count });
    const definitions = [setDefinition()];
    const world = await startInstalledCluster({ binaries, definitions, machines, extraArgs: STORES_JSON });
    try {
      return new RecordedFleet(world, await startObserver(world.cluster.etcdPort));
    } catch (error) {
      await world.stop();
      throw error;
    }
  }

  /** Starts an operator for advanced DaemonSets, which `stop` ends at the latest. */
  async operate({ flags = [], ...options }: OperatorOptions = {}): Promise<OperatorProcess> {
    const all = ["--kinds", "DaemonSet", ...flags];
    const operator = await startOperatorProcess(this.#world.operatorKubeconfig, { ...options, flags: all });
    this.#operators.push(operator);
    return operator;
  }

  /** Makes the set, with these fields in its spec, and waits until so many nodes run it. */
  async run(spec: JsonObject, count: number): Promise<void> {
    await this.client.create(sets, aSet(spec));
    await this.serves("1", count);
  }

  /** Everything that has happened to pods, in the order of the store. */
  record(): readonly Committed[] {
    return this.#observer.changes("pods", NAMESPACE);
  }

  /** Resolves when so many nodes run the template of this tag. */
  async serves(tag: string, count: number): Promise<void> {
    const look = () => {
      const there = servingWith(this.record(), tag);
      if (there < count) throw new Error(`${there} do`);
      return true;
    };
    await eventually(`${count} nodes run ${tag}`, look, SOON);
  }

  /** Asks for the template of this tag. */
  edit(tag: string): Promise<SetObject> {
    return this.client.patch(sets, SET_KEY, { type: "merge", body: { spec: { template: aTemplate(tag) } } });
  }

  async stop(): Promise<void> {
    this.#observer.stop();
    for (const operator of this.#operators) await operator.kill();
    await this.#world.stop();
  }
}

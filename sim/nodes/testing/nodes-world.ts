// A fleet on an embedded API server in virtual time, for the tests of the nodes: what a test does between two moves of the clock.
import { createClient } from "../../../src/kube/client/create-client.ts";
import { namedKey } from "../../../src/kube/resource.ts";
import type { Logger } from "../../../src/runtime/log/log.ts";
import { type LogLine, logToList } from "../../../src/runtime/log/testing/log-to-list.ts";
import { type ApiServer, createApiServer } from "../../api-server/api-server.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { expandFleet } from "../../fleets/expand-fleet.ts";
import { readFleet } from "../../fleets/read-fleet.ts";
import { seededRand } from "../../seeded-rand.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { type ApiNode, type ApiPod, LEASE_NAMESPACE, LEASES, NODES, PODS } from "../api-shapes.ts";
import { type Nodes, type NodesOptions, startNodes } from "../start-nodes.ts";

const kinds = builtInKinds();
export const small = expandFleet(readFleet("small-5"));

/** An embedded API server with a fleet, all in virtual time. */
export class NodesWorld {
  readonly clock = new VirtualClock();
  readonly server: ApiServer;
  readonly client;
  readonly nodes: Nodes;
  readonly trace: string[] = [];
  /** What the kubelets complained about. */
  readonly complaints: readonly LogLine[];
  readonly #log: Logger;
  readonly #seed: number;

  constructor(options: Partial<NodesOptions> = {}, seed = 1) {
    this.#seed = seed;
    ({ log: this.#log, lines: this.complaints } = logToList());
    this.server = createApiServer({ clock: this.clock, rand: seededRand(seed), builtIn: kinds });
    const { clock } = this;
    const rand = seededRand(seed + 1);
    this.client = createClient({ transport: this.server.transport(), clock, rand, fieldManager: "test" });
    this.server.onCommit(({ key, revision }) => this.trace.push(`${clock.monotonicMs()} ${revision} ${key}`));
    this.nodes = this.start(options);
  }

  start(options: Partial<NodesOptions> = {}): Nodes {
    const rand = seededRand(this.#seed + 2);
    return startNodes({
      transport: this.server.transport(),
      clock: this.clock,
      rand,
      log: this.#log,
      fleet: small,
      ...options,
    });
  }

  async up(): Promise<this> {
    await this.clock.elapse(10_000);
    await this.nodes.ready;
    return this;
  }

  /** A pod that somebody has bound to a node. */
  async bind(name: string, nodeName: string, spec: object = {}): Promise<void> {
    await this.during(
      this.client.create(PODS, {
        ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" } },
        spec: { nodeName, containers: [{ name: "main", image: "tool:v1" }], ...spec },
      }),
    );
  }

  /** Lets virtual time do what a call waits for. */
  async during<T>(work: Promise<T>): Promise<T> {
    await this.clock.settle();
    return work;
  }

  node(name: string): Promise<ApiNode | undefined> {
    return this.during(this.client.get(NODES, name));
  }

  pod(name: string): Promise<ApiPod | undefined> {
    return this.during(this.client.get(PODS, namedKey(name, "default")));
  }

  async phase(name: string): Promise<string | undefined> {
    return (await this.pod(name))?.status?.phase;
  }

  async renewedAt(node: string): Promise<string | undefined> {
    const lease = await this.during(this.client.get(LEASES, namedKey(node, LEASE_NAMESPACE)));
    return lease?.spec.renewTime;
  }
}

/** Worlds that are taken down together. */
export class Worlds {
  readonly #all: NodesWorld[] = [];

  /** A world whose nodes are ready. */
  async build(options: Partial<NodesOptions> = {}): Promise<NodesWorld> {
    const world = new NodesWorld(options);
    this.#all.push(world);
    return world.up();
  }

  async stop(): Promise<void> {
    for (const world of this.#all.splice(0)) await world.nodes.stop();
  }
}

/** "True", "False" or "Unknown". */
export function isReady(object: ApiNode | ApiPod | undefined): string | undefined {
  return object?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

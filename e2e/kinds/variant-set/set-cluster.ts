// A real control plane with simulated kubelets and operators that can be killed: what the end-to-end tests of VariantSets stand on.
import { expect } from "vitest";
import { mixedFleet } from "../../../sim/fleets/mixed-fleet.ts";
import { podsResource, variantSets } from "../../../sim/scenarios/variant-set/set-world.ts";
import { createOperator } from "../../../src/controllers/loop/create-operator.ts";
import { customResourceDefinition } from "../../../src/kinds/schema/crd.ts";
import { variantSetCrd } from "../../../src/kinds/variant-set/api/crd.ts";
import { csiBaremetalSet } from "../../../src/kinds/variant-set/testing/cases.ts";
import { createVariantSetKind } from "../../../src/kinds/variant-set/variant-set-kind.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import type { HttpRequest, Transport } from "../../../src/kube/transport.ts";
import { logToList } from "../../../src/runtime/log/testing/log-to-list.ts";
import type { Binaries } from "../../control-plane/binaries.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { type InstalledCluster, startInstalledCluster } from "../../program/installed-cluster.ts";
import { type SetPicture, setPicture } from "./set-picture.ts";

export const SOON = { deadlineMs: 120_000, everyMs: 200 };
export const KEY = "default/agent";
/** The merged label of the proposal. */
export const LABEL = "node-daemonset-image";
const TWINS_LOOK_MS = 50;

/** The cluster with one machine per kernel, and what tests do there. */
export class SetCluster {
  readonly client: Client;
  readonly nodeNames: readonly string[];
  /** What operators have sent, events apart. */
  readonly writes: string[] = [];
  readonly #world: InstalledCluster;
  readonly #lives: AbortController[] = [];

  private constructor(world: InstalledCluster, count: number) {
    this.#world = world;
    this.client = world.admin.client;
    this.nodeNames = Array.from({ length: count }, (_, place) => `node-00${place + 1}`);
  }

  /** Starts it and installs the definition. */
  static async start(binaries: Binaries, kernels: readonly string[]): Promise<SetCluster> {
    const machines = mixedFleet({ count: kernels.length, kernels });
    const definitions = [Object(customResourceDefinition(variantSetCrd))];
    return new SetCluster(await startInstalledCluster({ binaries, definitions, machines }), kernels.length);
  }

  stop(): Promise<void> {
    return this.#world.stop();
  }

  /** Starts an operator process that dies at its n-th write, with the answer lost; its life. */
  operate(diesAtWrite = Number.POSITIVE_INFINITY): AbortSignal {
    const life = new AbortController();
    this.#lives.push(life);
    const { clock, rand, transport } = this.#world.operator;
    const ports = {
      ...{ identity: `operator-${this.#lives.length}`, clock, rand, log: logToList().log },
      transport: mortal(transport, life, diesAtWrite, (write) => this.writes.push(write)),
    };
    void createOperator(ports, { kinds: [createVariantSetKind()], program: "farrier" }).run(life.signal);
    return life.signal;
  }

  /** Ends all operators, as a kill does. */
  kill(): void {
    for (const life of this.#lives.splice(0)) life.abort(new Error("killed"));
  }

  /** Takes all sets away, and waits until nothing is left of them. */
  async clean(): Promise<void> {
    if (this.#lives.length === 0) this.operate();
    for (const { metadata } of (await this.client.list(variantSets)).items)
      await this.client.remove(variantSets, `default/${metadata.name}`);
    await this.settled("agent", { bindings: {}, pods: [] });
    this.kill();
  }

  create(spec: object = {}) {
    const set = csiBaremetalSet();
    return this.client.create(variantSets, Object({ ...set, spec: { ...Object(set.spec), ...spec } }));
  }

  edit(spec: object) {
    return this.client.patch(variantSets, KEY, { type: "merge", body: { spec: Object(spec) } });
  }

  /** Waits until the cluster is as wanted. */
  settled(name: string, wanted: Partial<SetPicture>): Promise<SetPicture> {
    return eventually(
      `the cluster is ${JSON.stringify(wanted)}`,
      async () => {
        const picture = await setPicture(this.client, `default/${name}`, LABEL);
        expect(picture).toMatchObject(wanted);
        return picture;
      },
      SOON,
    );
  }

  reboot(place: number, kernel: string): void {
    this.#world.kubelets.reboot(this.nodeNames[place] ?? "", { kernel });
  }

  /** The state in which the nodes have these variants, in their order. */
  fitted(tag: string, line: readonly (string | undefined)[]): Pick<SetPicture, "bindings" | "pods"> {
    const nodes = line.flatMap((key, place) => (key === undefined ? [] : [{ key, name: this.nodeNames[place] ?? "" }]));
    return {
      bindings: Object.fromEntries(nodes.map(({ name, key }) => [name, key])),
      pods: nodes.map(({ name, key }) => `${name} ${imageOf(key, tag)} ready`),
    };
  }

  /** The UIDs of pods by node. */
  async uids(): Promise<Readonly<Record<string, string>>> {
    const { items } = await this.client.list(podsResource);
    return Object.fromEntries(items.map(({ metadata, spec }) => [String(Object(spec).nodeName), metadata.uid]).sort());
  }

  /** Looks at the pods again and again; tells the nodes that had pods of two DaemonSets. */
  watchTwins(): { readonly end: () => Promise<readonly string[]> } {
    const seen = new Set<string>();
    let isOver = false;
    const looking = (async () => {
      while (!isOver) {
        const { items } = await this.client.list(podsResource);
        for (const [node, pods] of Map.groupBy(items, ({ spec }) => String(Object(spec).nodeName))) {
          const sets = new Set(pods.map(({ metadata }) => metadata.ownerReferences?.[0]?.name));
          if (node !== "undefined" && sets.size > 1) seen.add(`${node}: ${[...sets].sort().join(", ")}`);
        }
        await pause(TWINS_LOOK_MS);
      }
    })();
    const end = async () => {
      isOver = true;
      await looking;
      return [...seen];
    };
    return { end };
  }
}

/** The variants of the proposal with images of one tag. */
export function images(tag: string, name = "5.x"): object {
  return {
    variants: [
      {
        ...{ name, match: { kernel: "5.x" }, daemonSetName: "csi-baremetal-node-kernel-5.x" },
        images: { node: `registry.example.com/node-kernel-5.x:${tag}` },
      },
    ],
    default: { images: { node: `registry.example.com/node:${tag}` }, daemonSetName: "csi-baremetal-node" },
  };
}

/** Waits in real time: for what must not happen, there is nothing to wait for. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function imageOf(key: string, tag: string): string {
  return key === "default" ? `node:${tag}` : `node-kernel-5.x:${tag}`;
}

/** A connection of a process that is gone once its life has ended: nothing is sent, and no answer comes any more. */
function mortal(
  transport: Transport,
  life: AbortController,
  diesAtWrite: number,
  onWrite: (write: string) => void,
): Transport {
  const never = new Promise<never>(() => undefined);
  let count = 0;
  const send = async (request: HttpRequest) => {
    const isWrite = request.method !== "GET" && !request.path.includes("/events");
    count += isWrite ? 1 : 0;
    if (isWrite) onWrite(`${request.method} ${request.path.split("?")[0]}`);
    const answer = await transport.request(request);
    if (isWrite && count >= diesAtWrite) life.abort(new Error("killed"));
    return life.signal.aborted ? never : answer;
  };
  return {
    request: (request) => (life.signal.aborted ? never : send(request)),
    stream: (request) => (life.signal.aborted ? never : transport.stream(request)),
  };
}

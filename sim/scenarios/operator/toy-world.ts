// A cluster in virtual time with the operator in it: the embedded API server, the model controllers and kubelets of sim/, and any number
// of operator processes, each behind its own connection that a test can make bad.

import { createOperator, type Operator, type OperatorOptions } from "../../../src/controllers/loop/create-operator.ts";
import { createClient } from "../../../src/kube/client/create-client.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import type { HttpAnswer, HttpRequest, Transport } from "../../../src/kube/transport.ts";
import { TransportError } from "../../../src/kube/transport-error.ts";
import type { Ending } from "../../../src/runtime/lifecycle.ts";
import { logToList } from "../../../src/runtime/log/testing/log-to-list.ts";
import { type ApiServer, createApiServer } from "../../api-server/api-server.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import type { Replica } from "../../api-server/replica.ts";
import { type ControllerName, type RunningControllers, startControllers } from "../../controllers/start-controllers.ts";
import { expandFleet } from "../../fleets/expand-fleet.ts";
import { readFleet } from "../../fleets/read-fleet.ts";
import { type Nodes, startNodes } from "../../nodes/start-nodes.ts";
import { seededRand } from "../../seeded-rand.ts";
import { stateOf } from "../../simulator/commit.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { deafTransport } from "./deaf-transport.ts";
import { aToy, toyDefinition, toyKind, toys, WANTED } from "./toy-kind.ts";
import {
  type AnyObject,
  definitions,
  isToyPod,
  nodeOf,
  nodes,
  type Picture,
  placeOf,
  podSummary,
  stalledOf,
  type ToyCondition,
  toyPicture,
} from "./toy-picture.ts";

/** What becomes of a request of the operator: it is sent, and its answer comes; or what the function makes of it. */
export type Fate = (request: HttpRequest, send: () => Promise<HttpAnswer>) => Promise<HttpAnswer>;
export type OperatorWish = Partial<OperatorOptions> & Partial<Connection>;

/** How an operator process is connected. */
type Connection = {
  readonly fate: Fate;
  /** Which of its watches are silent at present. */
  readonly isDeafTo: (request: HttpRequest) => boolean;
  readonly replica: Replica | undefined;
};

/** An operator process: killing it ends it as a crash does, stopping it in good order. */
export type Process = {
  readonly operator: Operator;
  readonly logs: () => readonly string[];
  kill(): void;
  stop(): Promise<Ending>;
};

const kinds = builtInKinds();

const sent: Fate = (_request, send) => send();

/** A connection that ended before the answer came. */
export const brokenConnection = () => new TransportError("broken", "the connection was reset");

export class ToyWorld {
  readonly clock = new VirtualClock();
  readonly server: ApiServer;
  readonly client;
  /** Writes of operators that reached the server, as "PATCH /api/v1/nodes/a". */
  readonly writes: string[] = [];
  readonly #controllers: RunningControllers;
  readonly #nodes: Nodes;
  readonly #processes: Process[] = [];
  #born = 0;

  /** Which of Kubernetes' own controllers run. */
  constructor(names: readonly ControllerName[] = ["daemon-set", "garbage-collector", "scheduler", "node-lifecycle"]) {
    const { clock } = this;
    this.server = createApiServer({ clock, rand: seededRand(1), builtIn: kinds });
    const transport = this.server.transport();
    this.client = createClient({ transport, clock, rand: seededRand(2), fieldManager: "user" });
    this.#controllers = startControllers({ transport, clock, rand: seededRand(3), names });
    this.#nodes = startNodes({ transport, clock, rand: seededRand(4), fleet: expandFleet(readFleet("small-5")) });
  }

  /** Lets the nodes come up, and defines the kind; then `wanted` nodes ask for toys. */
  async up(wanted: readonly string[] = ["node-1", "node-2", "node-3"]): Promise<this> {
    await this.do(this.client.create(definitions, toyDefinition));
    await this.clock.elapse(2_000);
    await this.#nodes.ready;
    for (const name of wanted) await this.want(name, "yes");
    return this;
  }

  /** Starts an operator process. */
  operate({ fate = sent, isDeafTo = () => false, replica, ...options }: OperatorWish = {}): Process {
    this.#born += 1;
    const life = new AbortController();
    const { log, lines } = logToList();
    const transport = this.#connection(life.signal, { fate, isDeafTo, replica });
    const ports = {
      identity: `operator-${this.#born}`,
      transport,
      clock: this.clock,
      rand: seededRand(10 + this.#born),
      log,
    };
    const operator = createOperator(ports, { kinds: [toyKind], program: "toymaker", ...options });
    const asked = new AbortController();
    const ended = operator.run(asked.signal);
    const process: Process = {
      operator,
      logs: () => lines.map(({ message, fields }) => `${message} ${String(fields.error ?? fields.because ?? "")}`),
      kill: () => life.abort(new Error("killed")),
      stop: () => {
        asked.abort(new Error("asked to stop"));
        return ended;
      },
    };
    this.#processes.push(process);
    return process;
  }

  async toy(name: string, image: string, namespace = "default"): Promise<void> {
    await this.do(this.client.create(toys, aToy(name, image, namespace)));
  }

  async setImage(name: string, image: string): Promise<void> {
    await this.do(this.client.patch(toys, `default/${name}`, { type: "merge", body: { spec: { image } } }));
  }

  async want(node: string, value: string | null): Promise<void> {
    const body = { metadata: { labels: { [WANTED]: value } } };
    await this.do(this.client.patch(nodes, node, { type: "merge", body }));
  }

  /** Lets virtual time do what a call waits for. */
  async do<T>(work: Promise<T>): Promise<T> {
    await this.clock.settle();
    return work;
  }

  async list(resource: Resource<AnyObject>) {
    return (await this.do(this.client.list(resource))).items;
  }

  /** The cluster as far as toys go. */
  picture(): Promise<Picture> {
    return this.do(toyPicture(this.client));
  }

  stalledOf(name: string): Promise<ToyCondition | undefined> {
    return this.do(stalledOf(this.client, name));
  }

  /** The largest number of nodes without a ready pod of a toy, after any write from now on. */
  watchMissingPods(wanted: number): { readonly most: number } {
    const seen = { most: 0 };
    this.#onPods((all) => {
      const ready = new Set(all.filter((pod) => podSummary(pod).endsWith(" ready")).map(nodeOf));
      seen.most = Math.max(seen.most, wanted - ready.size);
    });
    return seen;
  }

  /** Every node that had two pods of one toy that were not leaving, after any write from now on. */
  watchTwins(): { readonly seen: readonly string[] } {
    const seen: string[] = [];
    this.#onPods((all) => {
      const places = all.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(placeOf);
      seen.push(...places.filter((place, index) => places.indexOf(place) !== index));
    });
    return { seen };
  }

  /** A server over the same store that shows every change so much later. */
  laggingReplica(lagMs: number): Replica {
    return this.server.replica((_change, show) => void this.clock.after(lagMs, show));
  }

  killAll(): void {
    for (const process of this.#processes.splice(0)) process.kill();
  }

  #onPods(look: (pods: readonly AnyObject[]) => void): void {
    this.server.onCommit(({ table }) => {
      if (table === "pods") look(this.#storedPods());
    });
  }

  #storedPods(): readonly AnyObject[] {
    return [...stateOf(this.server.store).objects("pods")]
      .map((pod) => JSON.parse(JSON.stringify(pod)))
      .filter(isToyPod);
  }

  async end(): Promise<void> {
    this.killAll();
    await Promise.all([this.#controllers.stop(), this.#nodes.stop()]);
  }

  #connection(life: AbortSignal, { fate, isDeafTo, replica }: Connection): Transport {
    const transport = deafTransport(this.server.transport(replica), { clock: this.clock, isDeafTo });
    const forever = new Promise<never>(() => undefined);
    return {
      request: async (request) => {
        if (life.aborted) return forever;
        const send = () => {
          if (request.method !== "GET") this.writes.push(`${request.method} ${request.path.split("?")[0]}`);
          return transport.request(request);
        };
        const answer = await fate(request, send);
        return life.aborted ? forever : answer;
      },
      stream: (request) => (life.aborted ? forever : transport.stream(request)),
    };
  }
}

/** Gives worlds to the tests of a file; each is ended after its test. */
export function worldsFor(
  afterEach: (end: () => Promise<void>) => void,
): (wanted?: readonly string[]) => Promise<ToyWorld> {
  const worlds: ToyWorld[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.end();
  });
  return (wanted) => {
    const world = new ToyWorld();
    worlds.push(world);
    return world.up(wanted);
  };
}

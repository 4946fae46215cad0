// Sees by its own watches what becomes of the fleet: when a state is reached, how many nodes were without a ready pod on the way, and
// whether a node ever had two.
import type { Connection } from "../../e2e/control-plane/connect.ts";
import { type Cache, createCache } from "../../src/kube/cache/cache.ts";
import type { Stored } from "../../src/kube/resource.ts";
import { podFeed, type SeenPod } from "./pod-feed.ts";
import { type Body, nodes } from "./resources.ts";

export type SeenNode = {
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
};

export type FleetView = {
  readonly nodeCount: number;
  nodes(): Iterable<SeenNode>;
  podsOn(node: string): readonly SeenPod[];
  readonly podCount: number;
  readonly readyPods: number;
};

export type Sighting = {
  readonly wallMs: number;
  /** The most nodes that were without a ready pod at once. */
  readonly unavailableMax: number;
  /** Times at which a node had two pods that nobody had asked to go. */
  readonly twins: number;
};

const UNREAD_OF_NODES = ["status", "spec"];

export class FleetObserver implements FleetView {
  readonly nodeCount: number;
  readonly #pods: Cache<SeenPod, "node" | "ready">;
  readonly #nodes: Cache<SeenNode, never>;
  readonly #life = new AbortController();
  #unavailableMax = 0;
  #twins = 0;
  #onChange: () => void = () => {};

  constructor({ transport, clock, rand }: Connection, nodeCount: number) {
    this.nodeCount = nodeCount;
    const feed = { transport, clock, rand };
    const indexes = {
      node: ({ node }: SeenPod) => (node === "" ? [] : [node]),
      ready: ({ node, isReady, isLeaving }: SeenPod) => (isReady && !isLeaving && node !== "" ? ["yes"] : []),
    };
    this.#pods = createCache({ ...feed, ...podFeed, indexes });
    this.#nodes = createCache({ ...feed, resource: nodes, project: seenNode, unread: UNREAD_OF_NODES, indexes: {} });
  }

  async start(): Promise<void> {
    for (const cache of [this.#pods, this.#nodes]) void cache.run(this.#life.signal);
    await Promise.all([this.#pods.synced, this.#nodes.synced]);
    this.#pods.changes(({ now }) => {
      this.#unavailableMax = Math.max(this.#unavailableMax, this.nodeCount - this.readyPods);
      if (now !== undefined && now.node !== "" && this.#staying(now.node) > 1) this.#twins += 1;
      this.#onChange();
    });
    this.#nodes.changes(() => this.#onChange());
  }

  /** Resolves when the state is reached that the claim tells; what was seen from now on until then. */
  async watchUntil(what: string, isReached: (view: FleetView) => boolean, waitMsMax: number): Promise<Sighting> {
    const startMs = performance.now();
    this.#unavailableMax = 0;
    this.#twins = 0;
    if (!isReached(this)) await this.#changeThat(isReached, what, waitMsMax);
    return { wallMs: performance.now() - startMs, unavailableMax: this.#unavailableMax, twins: this.#twins };
  }

  stop(): void {
    this.#life.abort(new Error("the benchmark is over"));
  }

  nodes(): Iterable<SeenNode> {
    return this.#nodes.values();
  }

  podsOn(node: string): readonly SeenPod[] {
    return [...this.#pods.by("node", node)];
  }

  get podCount(): number {
    return this.#pods.size;
  }

  get readyPods(): number {
    return this.#pods.count("ready", "yes");
  }

  #staying(node: string): number {
    return this.podsOn(node).filter(({ isLeaving }) => !isLeaving).length;
  }

  #changeThat(isReached: (view: FleetView) => boolean, what: string, waitMsMax: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.#onChange = () => {};
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`${what}: not reached within ${waitMsMax} ms; ${this.readyPods} pods are ready`));
      }, waitMsMax);
      this.#onChange = () => {
        if (!isReached(this)) return;
        end();
        resolve();
      };
    });
  }
}

/** True when every node has exactly one pod, and that is ready and runs an image with this tag. */
export function isFitted(view: FleetView, tag: string): boolean {
  if (view.readyPods !== view.nodeCount || view.podCount !== view.nodeCount) return false;
  for (const { name } of view.nodes()) {
    const [pod] = view.podsOn(name);
    if (pod === undefined || !pod.isReady || !pod.image.endsWith(`:${tag}`)) return false;
  }
  return true;
}

function seenNode({ metadata }: Stored<Body>): SeenNode {
  return { name: metadata.name, uid: metadata.uid, labels: metadata.labels ?? {} };
}

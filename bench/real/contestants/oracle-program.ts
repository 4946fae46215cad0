// The oracle: it knows the answer and only sends the writes. It waits by watch where one write needs what another has brought about, and
// uses our client and cache, so that the comparison is one of decisions and not of HTTP clients.
import { connect } from "../../../e2e/control-plane/connect.ts";
import { type Cache, createCache } from "../../../src/kube/cache/cache.ts";
import { podFeed, type SeenPod } from "../pod-feed.ts";
import { pods } from "../resources.ts";
import type { NodeErrand, OracleJob, OracleMessage, OracleOrder, OracleStep } from "./oracle-order.ts";

const NAME = "oracle";

class Oracle {
  readonly #wires: ReturnType<typeof connect>;
  readonly #pods: Cache<SeenPod, "node">;
  /** What waits for news of a node. */
  readonly #waiting = new Map<string, () => void>();

  constructor({ url, ca, token }: OracleJob) {
    this.#wires = connect({ url, ca }, token, NAME);
    this.#pods = createCache({ ...this.#wires, ...podFeed, indexes: { node: ({ node }) => [node] } });
  }

  async start(): Promise<void> {
    void this.#pods.run(new AbortController().signal);
    await this.#pods.synced;
    this.#pods.changes(({ was, now }) => this.#waiting.get((now ?? was)?.node ?? "")?.());
  }

  async perform({ first, errands, errandsMax }: OracleOrder): Promise<void> {
    for (const step of first) await this.#do(step, "");
    const left = errands.values();
    const work = async () => {
      for (const errand of left) await this.#run(errand);
    };
    await Promise.all(Array.from({ length: errandsMax }, work));
  }

  async #run({ node, steps }: NodeErrand): Promise<void> {
    for (const step of steps) await this.#do(step, node);
  }

  async #do(step: OracleStep, node: string): Promise<void> {
    const { client } = this.#wires;
    switch (step.do) {
      case "create":
        await client.create(step.resource, step.object);
        return;
      case "apply":
        await client.apply(step.resource, step.object);
        return;
      case "merge":
        await client.patch(step.resource, step.key, { type: "merge", body: step.body });
        return;
      case "removePod":
        return this.#removePod(node);
      case "awaitReady":
        return this.#until(node, () => this.#on(node).some(({ isReady, isLeaving }) => isReady && !isLeaving));
    }
  }

  async #removePod(node: string): Promise<void> {
    const [pod] = this.#on(node);
    if (pod === undefined) throw new Error(`the oracle finds no pod on ${node}`);
    await this.#wires.client.remove(pods, pod.key, { uid: pod.uid });
    await this.#until(node, () => this.#pods.get(pod.key)?.uid !== pod.uid);
  }

  #on(node: string): readonly SeenPod[] {
    return [...this.#pods.by("node", node)];
  }

  #until(node: string, isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isSo()) return;
        this.#waiting.delete(node);
        resolve();
      };
      this.#waiting.set(node, look);
      look();
    });
  }
}

let oracle: Oracle | undefined;
let order: OracleOrder | undefined;

process.once("disconnect", () => process.exit());
process.on("message", async (message: OracleMessage) => {
  switch (message.is) {
    case "job":
      oracle = new Oracle(message);
      await oracle.start();
      break;
    case "order":
      order = message;
      break;
    case "go":
      if (order !== undefined) await oracle?.perform(order);
      break;
  }
  process.send?.("done");
});

// A small controller on the production runtime: the proof that the simulator can tell a design that holds from one that does not.

import { createCache } from "../../../src/kube/cache/cache.ts";
import { isAlreadyExists, isConflict } from "../../../src/kube/client/api-error.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import { createClient } from "../../../src/kube/client/create-client.ts";
import { RETRY_LIMITS } from "../../../src/kube/client/retry.ts";
import type { Clock } from "../../../src/kube/clock.ts";
import type { Transport } from "../../../src/kube/transport.ts";
import type { Lead } from "../../../src/runtime/lease/leadership.ts";
import { LeaseLeadership } from "../../../src/runtime/lease/lease-leadership.ts";
import { fenceWrites } from "../../../src/runtime/lease/write-fence.ts";
import { cacheSource } from "../../../src/runtime/queue/cache-source.ts";
import { Controller } from "../../../src/runtime/queue/controller.ts";
import { QUEUE_LIMITS } from "../../../src/runtime/queue/queue.ts";
import type { Ports, Start } from "../ports.ts";
import { decideToy, type ToyStep } from "./decide-toy.ts";
import type { Naming } from "./naming.ts";
import {
  LEASE_NAME,
  NAMESPACE,
  NODE_UID,
  nodes,
  type PodObject,
  pods,
  REVISION,
  SET_NAME,
  sets,
  type ToyNode,
  type ToySet,
  viewNode,
  viewPod,
  viewSet,
} from "./toy-view.ts";

/** How long a create that the cache does not show counts as done, as long as in the measured prototype. */
const EXPECTATION_MS = 20_000;
/** What somebody deletes before the cache has seen it leaves no trace there: no event says that it has to be made again. */
const LOOK_AGAIN_MS = 20_000;
/** How long the work of a term may take to end. */
const STOP_MS = 1_000;
const setKey = `${NAMESPACE}/${SET_NAME}`;

/** The toy with one of its namings, alone in its cluster. */
export function toyController(naming: Naming): Start {
  return (ports) => {
    const caches = cachesOf(ports);
    const controller = controllerOf(ports, caches, naming, ports.transport);
    void synced(caches).then(() => controller.start());
  };
}

/** The same as one of several replicas: it writes only while it leads. */
export function ledToyController(naming: Naming): Start {
  return (ports) => {
    const caches = cachesOf(ports);
    const client = createClient({
      ...ports,
      fieldManager: "toy",
      lane: "lease",
      retry: { ...RETRY_LIMITS, attemptsMax: 1 },
    });
    const leadership = new LeaseLeadership({ ...ports, client, namespace: NAMESPACE, name: LEASE_NAME });
    const lead: Lead = async ({ signal, fence }) => {
      const controller = controllerOf(ports, caches, naming, fenceWrites(ports.transport, fence));
      controller.start();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      await controller.stop(STOP_MS);
    };
    void synced(caches).then(() => leadership.start(lead));
  };
}

function controllerOf(ports: Ports, caches: Caches, naming: Naming, transport: Transport): Controller {
  const client = createClient({ ...ports, transport, fieldManager: "toy" });
  const expected = new Expected(ports.clock);
  const reconcile = async () => {
    const set = caches.sets.get(setKey);
    if (set === undefined) return undefined;
    const there = [...caches.pods.values()];
    if (naming.expects) expected.see(new Set(there.map(({ uid }) => uid)));
    const picture = { set, nodes: [...caches.nodes.values()], pods: there };
    const steps = decideToy({ ...picture, isExpected: (place) => naming.expects && expected.has(place) }, naming);
    for (const step of steps) await perform(step, { set, naming, client, expected });
    return steps.length === 0 ? undefined : { againInMs: LOOK_AGAIN_MS };
  };
  const wake = () => [setKey];
  return new Controller(
    {
      ...{ name: "toy", reconcile, workers: 1, timeoutMs: 60_000 },
      sources: [cacheSource(caches.sets, wake), cacheSource(caches.nodes, wake), cacheSource(caches.pods, wake)],
      // No rest between two runs: the next one may well find the cache as it was.
      queue: { ...QUEUE_LIMITS, spacingMs: 0, backOff: { baseMs: 100, maxMs: 10_000 } },
    },
    ports,
  );
}

type Caches = ReturnType<typeof cachesOf>;

async function synced({ sets, nodes, pods }: Caches): Promise<void> {
  await Promise.all([sets.synced, nodes.synced, pods.synced]);
}

function cachesOf(ports: Ports) {
  const { signal } = new AbortController();
  const all = {
    sets: createCache({ ...ports, resource: sets, project: viewSet, indexes: {} }),
    nodes: createCache({ ...ports, resource: nodes, project: viewNode, indexes: {} }),
    pods: createCache({ ...ports, resource: pods, project: viewPod, indexes: {} }),
  };
  for (const cache of [all.sets, all.nodes, all.pods]) void cache.run(signal);
  return all;
}

type Doing = {
  readonly set: ToySet;
  readonly naming: Naming;
  readonly client: Client;
  readonly expected: Expected;
};

/** What was done already, or is not what we saw any more, is no trouble: the cache will tell. */
async function perform(step: ToyStep, { set, naming, client, expected }: Doing): Promise<void> {
  switch (step.do) {
    case "create": {
      const pod = podOf(set, step.node, naming);
      const made = await client.create(pods, pod).catch(unlessPast(isAlreadyExists));
      if (made !== undefined) expected.add(naming.placeOfNode(step.node), made.metadata.uid);
      return;
    }
    case "remove":
      await client
        .remove(pods, step.pod.key, naming.checksUid ? { uid: step.pod.uid } : {})
        .catch(unlessPast(isConflict));
  }
}

function unlessPast(isPast: (error: unknown) => boolean): (error: unknown) => undefined {
  return (error) => {
    if (!isPast(error)) throw error;
    return undefined;
  };
}

function podOf(set: ToySet, node: ToyNode, naming: Naming): PodObject {
  const name = naming.podName(set, node);
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: set.name, uid: set.uid, controller: true };
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...(name === undefined ? { name: "", generateName: `${set.name}-` } : { name }),
      namespace: NAMESPACE,
      labels: { [REVISION]: set.revision, [NODE_UID]: node.uid },
      ownerReferences: [owner],
    },
    spec: { nodeName: node.name, containers: [{ name: "main", image: `toy:${set.revision}` }] },
  };
}

/** The creates that the cache has not shown yet. It is gone with the process. */
class Expected {
  readonly #clock: Clock;
  readonly #byPlace = new Map<string, { readonly uid: string; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(place: string, uid: string): void {
    this.#byPlace.set(place, { uid, untilMs: this.#clock.monotonicMs() + EXPECTATION_MS });
  }

  see(uids: ReadonlySet<string>): void {
    for (const [place, { uid }] of this.#byPlace) if (uids.has(uid)) this.#byPlace.delete(place);
  }

  has(place: string): boolean {
    return (this.#byPlace.get(place)?.untilMs ?? 0) > this.#clock.monotonicMs();
  }
}

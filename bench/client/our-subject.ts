// Our client and cache as the operator uses them: production transport, client and caches, holding what a decision reads.
import { UNREAD_OF_NODES, UNREAD_OF_PODS } from "../../src/controllers/view/cluster-caches.ts";
import { isUnknown } from "../../src/core/decision/fact.ts";
import { createFactsParser } from "../../src/core/node/node-facts.ts";
import { createCache } from "../../src/kube/cache/cache.ts";
import { createClient } from "../../src/kube/client/create-client.ts";
import { fixedCredentials } from "../../src/kube/config/credentials.ts";
import type { KubeObject, Resource, Stored } from "../../src/kube/resource.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { nodeRand } from "../../src/runtime/node/node-rand.ts";
import { createNodeTransport } from "../../src/runtime/node/node-transport.ts";
import { inFlight } from "./in-flight.ts";
import { podKey } from "./pod-object.ts";
import { runAsSubject, type Target } from "./subject.ts";
import { PATCHES, PATCHES_IN_FLIGHT, POD_EVENTS } from "./workloads.ts";

type Pod = KubeObject & {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
};

const nodes: Resource = { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false };
const pods: Resource<Pod> = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };

await runAsSubject({
  async patch(target) {
    const client = createClient({ ...portsTo(target), fieldManager: "bench" });
    await inFlight(PATCHES_IN_FLIGHT, PATCHES, async (index) => {
      const { namespace, name } = podKey(index);
      const body = { metadata: { labels: { revision: String(index) } } };
      await client.patch(pods, `${namespace}/${name}`, { type: "merge", body });
    });
    return PATCHES;
  },

  async list(target) {
    const cache = createCache({
      ...portsTo(target),
      resource: nodes,
      project: createFactsParser(),
      unread: UNREAD_OF_NODES,
      indexes: { kernel: ({ kernel }) => (isUnknown(kernel) ? [] : [kernel.raw]) },
    });
    void cache.run(new AbortController().signal);
    await cache.synced;
    return cache.size;
  },

  async watch(target) {
    const cache = createCache({
      ...portsTo(target),
      resource: pods,
      project: projectPod,
      unread: UNREAD_OF_PODS,
      indexes: { node: ({ node }) => [node], owner: ({ owner }) => [owner] },
    });
    await new Promise<void>((done) => {
      let events = 0;
      cache.changes(() => {
        events++;
        if (events === POD_EVENTS) done();
      });
      void cache.run(new AbortController().signal);
    });
    return cache.size;
  },
});

function portsTo({ url, ca }: Target) {
  const clock = nodeClock();
  const credentials = fixedCredentials({ headers: { authorization: "Bearer bench" }, tls: { ca } });
  return { transport: createNodeTransport({ server: url, credentials, clock }), clock, rand: nodeRand() };
}

/** What a rollout asks of a daemon pod: whose it is, where it runs, which template it has, and whether it is ready. */
function projectPod({ metadata, spec, status }: Stored<Pod>) {
  return {
    key: `${metadata.namespace}/${metadata.name}`,
    uid: metadata.uid,
    owner: metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? "",
    node: spec?.nodeName ?? "",
    labels: metadata.labels ?? {},
    phase: status?.phase ?? "",
    isReady: status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false,
    isLeaving: metadata.deletionTimestamp !== undefined,
  };
}

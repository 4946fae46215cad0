// @kubernetes/client-node as its documentation shows it: CoreV1Api for calls, makeInformer for a cache of a resource.
import {
  CoreV1Api,
  type Informer,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  type ObjectCache,
  PatchStrategy,
  setHeaderOptions,
} from "@kubernetes/client-node";
import { inFlight } from "../../client/in-flight.ts";
import { podKey } from "../../client/pod-object.ts";
import { runAsSubject, type Target } from "../../client/subject.ts";
import { PATCHES, PATCHES_IN_FLIGHT, POD_EVENTS } from "../../client/workloads.ts";

await runAsSubject({
  async patch(target) {
    const api = configTo(target).makeApiClient(CoreV1Api);
    const asMerge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
    await inFlight(PATCHES_IN_FLIGHT, PATCHES, async (index) => {
      const body = { metadata: { labels: { revision: String(index) } } };
      await api.patchNamespacedPod({ ...podKey(index), body, fieldManager: "bench" }, asMerge);
    });
    return PATCHES;
  },

  async list(target) {
    const config = configTo(target);
    const api = config.makeApiClient(CoreV1Api);
    const informer = makeInformer(config, "/api/v1/nodes", () => api.listNode());
    failLoudly(informer);
    await informer.start();
    return informer.list().length;
  },

  async watch(target) {
    const config = configTo(target);
    const api = config.makeApiClient(CoreV1Api);
    const informer = makeInformer(config, "/api/v1/pods", () => api.listPodForAllNamespaces());
    failLoudly(informer);
    await new Promise<void>((done) => {
      let events = 0;
      const count = () => {
        events++;
        if (events === POD_EVENTS) done();
      };
      for (const verb of ["add", "update", "delete"] as const) informer.on(verb, count);
      void informer.start();
    });
    return informer.list().length;
  },
});

function configTo({ url, ca }: Target): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "bench", server: url, caData: Buffer.from(ca).toString("base64"), skipTLSVerify: false },
    { name: "bench", token: "bench" },
  );
  return config;
}

function failLoudly<T extends KubernetesObject>(informer: Informer<T> & ObjectCache<T>): void {
  informer.on("error", (error) => {
    throw error;
  });
}

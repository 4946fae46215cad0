// The embedded API server on a port of loopback, for tests that meet it as a stranger would: by its kubeconfig.
import { type ApiServer, createApiServer } from "../../sim/api-server/api-server.ts";
import { serveApi } from "../../sim/http/serve-api.ts";
import { writeKubeconfig } from "../../sim/http/write-kubeconfig.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { nodeRand } from "../../src/runtime/node/node-rand.ts";

export type EmbeddedApi = {
  readonly server: ApiServer;
  /** The text of a kubeconfig. */
  readonly kubeconfig: string;
  readonly faults: readonly unknown[];
  stop(): Promise<void>;
};

/** Serves a new, empty server whose pods all log one line. */
export async function startEmbeddedApi(): Promise<EmbeddedApi> {
  const clock = nodeClock();
  const server = createApiServer({ clock, rand: nodeRand(), podLogs: (key) => `${key} says hello\n` });
  const faults: unknown[] = [];
  const api = await serveApi({ server, port: 0, clock, onFault: (fault) => faults.push(fault) });
  return { server, kubeconfig: writeKubeconfig(api), faults, stop: () => api.stop() };
}

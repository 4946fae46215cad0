// The cluster of the demo, in one process: the embedded API server on loopback, Kubernetes' controllers, and a fleet of
// simulated nodes, each of them talking to the server through its transport as it would to any other.
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { Logger } from "../../src/runtime/log/log.ts";
import { createApiServer } from "../api-server/api-server.ts";
import { controllerNames, startControllers } from "../controllers/start-controllers.ts";
import { serveApi } from "../http/serve-api.ts";
import { webhooksOverHttps } from "../http/webhooks-over-https.ts";
import { writeKubeconfig } from "../http/write-kubeconfig.ts";
import { heartbeatFor } from "../nodes/heartbeat.ts";
import type { Kubelets } from "../nodes/kubelets.ts";
import type { MachineSpec } from "../nodes/machine.ts";
import { startNodes } from "../nodes/start-nodes.ts";
import { compactRegularly } from "./compact-regularly.ts";
import { demoPulls } from "./demo-registry.ts";

export type DemoWish = {
  readonly fleet: readonly MachineSpec[];
  /** 0 takes a free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
};

export type DemoCluster = {
  readonly url: string;
  /** The way to the API server for who runs in this process. */
  readonly transport: Transport;
  /** What a client needs to connect. */
  readonly kubeconfig: string;
  readonly controllers: readonly string[];
  /** The machines, for who wants to reboot them. */
  readonly machines: Kubelets;
  /** Resolves when every machine is a ready node. */
  readonly ready: Promise<void>;
  /** Closes the port and ends every part; nothing of it stays. */
  stop(): Promise<void>;
};

/** What `kubectl logs` shows. */
const NO_LOGS = "This pod is simulated: none of its containers runs, so nothing is logged.\n";

/** Starts everything; rejects when the port cannot be had, with nothing left running. */
export async function startDemoCluster({ fleet, port, clock, rand, log }: DemoWish): Promise<DemoCluster> {
  const server = createApiServer({ clock, rand, podLogs: () => NO_LOGS, callWebhook: webhooksOverHttps(clock) });
  const onFault = (error: unknown) => log.error("the API server failed at a request", { error });
  const served = await serveApi({ server, port, clock, onFault });
  const heartbeat = heartbeatFor(fleet.length);
  const { graceSeconds: nodeGraceSeconds } = heartbeat;
  const ports = { clock, rand, log, tellsEvents: true };
  const controllers = startControllers({ ...ports, transport: server.transport(), nodeGraceSeconds });
  const nodes = startNodes({ ...ports, transport: server.transport(), fleet, heartbeat, registry: demoPulls });
  const stopCompaction = compactRegularly(server, clock);
  const ready = Promise.all([controllers.ready, nodes.ready]).then(() => undefined);
  // Whoever stops before that need not wait for it.
  ready.catch(() => undefined);
  return {
    url: served.url,
    transport: server.transport(),
    kubeconfig: writeKubeconfig(served),
    controllers: controllerNames,
    machines: nodes.kubelets,
    ready,
    async stop() {
      stopCompaction();
      await Promise.all([served.stop(), controllers.stop(), nodes.stop()]);
    },
  };
}

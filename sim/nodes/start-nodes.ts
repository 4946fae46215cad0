// The nodes of a cluster as one part: the kubelets of a fleet over any API server, in real or in virtual time.
//
// Guarantees: after `stop` nothing more is sent, as if the process had died; a new call goes on from the cluster alone.

import { createClient } from "../../src/kube/client/create-client.ts";
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { EventRecorder } from "../../src/runtime/log/event-recorder.ts";
import type { Happening } from "../../src/runtime/log/event-series.ts";
import type { Logger } from "../../src/runtime/log/log.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { Kubelets } from "./kubelets.ts";
import type { LinkOf } from "./link.ts";
import type { MachineSpec } from "./machine.ts";
import { MODEL_EVENT_LIMITS } from "./model-event-limits.ts";
import { mortalTransport } from "./mortal-transport.ts";
import { quietLog } from "./quiet-log.ts";
import type { Registry } from "./registry.ts";

export type NodesOptions = {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly fleet: readonly MachineSpec[];
  /** Where the kubelets say what went wrong; nowhere when absent. */
  readonly log?: Logger;
  readonly kubeletVersion?: string;
  /** How often each node renews its lease; by default as the size of the fleet allows. */
  readonly heartbeat?: Heartbeat;
  /** How late each kubelet hears and is heard; at once when absent. */
  readonly linkOf?: LinkOf;
  /** Where images come from; by default every image is there. */
  readonly registry?: Registry;
  /** Whether the kubelets write Events about what they do; they do not unless asked. */
  readonly tellsEvents?: boolean;
};

export type Nodes = {
  /** Reboots, vanishes, brings back, adds and removes machines. */
  readonly kubelets: Kubelets;
  /** Resolves when every machine of the fleet is a Node that calls itself ready; rejects when they are stopped before. */
  readonly ready: Promise<void>;
  /** Ends them at once, as a crash would; what the API has of the nodes stays. Resolves when nothing of them is left. */
  stop(): Promise<void>;
};

/** The version that the real control plane of the tests is pinned to. */
const KUBELET_VERSION = "v1.35.4";

/** Switches a fleet on. Nothing has been sent yet when it returns. */
export function startNodes(options: NodesOptions): Nodes {
  const { clock, rand, fleet, log = quietLog, kubeletVersion = KUBELET_VERSION } = options;
  const life = new AbortController();
  const transport = mortalTransport(options.transport, life.signal);
  const client = createClient({ transport, clock, rand, fieldManager: "kubelet" });
  const recorder =
    options.tellsEvents === true
      ? new EventRecorder({
          ...{ client, clock, rand, log, component: "kubelet", instance: "kubelet" },
          limits: MODEL_EVENT_LIMITS,
        })
      : undefined;
  const kubelets = new Kubelets(
    {
      ...{ transport, client, clock, rand, log },
      ...(recorder === undefined ? {} : { tell: (happening: Happening) => recorder.record(happening) }),
    },
    {
      kubeletVersion,
      ...(options.heartbeat === undefined ? {} : { heartbeat: options.heartbeat }),
      ...(options.linkOf === undefined ? {} : { linkOf: options.linkOf }),
    },
  );
  if (options.registry !== undefined) kubelets.pullFrom(options.registry);
  const ready = kubelets.start().then(() => kubelets.join(fleet));
  // Not everybody waits for it; those who do still get the rejection.
  ready.catch(() => undefined);
  return {
    kubelets,
    ready,
    async stop() {
      life.abort(new Error("the nodes are stopped"));
      await Promise.all([kubelets.stop(0), recorder?.stop(0)]);
    },
  };
}

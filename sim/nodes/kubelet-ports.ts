// What the kubelets of a fleet are built from: the ports through which they act, and what can be chosen.
import type { Client } from "../../src/kube/client/client.ts";
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { Happening } from "../../src/runtime/log/event-series.ts";
import type { Logger } from "../../src/runtime/log/log.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { LinkOf } from "./link.ts";

export type KubeletPorts = {
  readonly client: Client;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
  /** Says what a kubelet does to whoever reads events; to nobody when absent. */
  readonly tell?: (happening: Happening) => void;
};

export type KubeletOptions = {
  /** What the nodes say of themselves. */
  readonly kubeletVersion: string;
  /** How often each node says that it lives; fitted to the size of the fleet when absent. */
  readonly heartbeat?: Heartbeat;
  /** How late each kubelet hears and is heard; at once when absent. */
  readonly linkOf?: LinkOf;
};

// What an operator process is handed, and nothing else: main.ts binds these to a machine and a cluster, the simulator to a model.
import type { Clock } from "../../kube/clock.ts";
import type { Rand } from "../../kube/rand.ts";
import type { Transport } from "../../kube/transport.ts";
import type { Logger } from "../../runtime/log/log.ts";

export type OperatorPorts = {
  /** Unique per life of a process: a restarted one must not take itself for its predecessor. */
  readonly identity: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
};

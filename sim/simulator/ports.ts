// What a simulated process is handed, and nothing else: production code gets the same from main.ts, bound to Node.
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { Logger } from "../../src/runtime/log/log.ts";

export type Ports = {
  /** Unique per life of a process: a restarted one must not take itself for its predecessor. */
  readonly identity: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
};

/** Builds a part and sets it going. It is never told to stop: a simulated process dies as real ones do. */
export type Start = (ports: Ports) => void;

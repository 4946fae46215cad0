// A model of one controller: what wakes it and what it does about a key. The starter runs it in the production loop.
import type { Client } from "../../src/kube/client/client.ts";
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { Logger } from "../../src/runtime/log/log.ts";
import type { Reconcile } from "../../src/runtime/queue/controller.ts";
import type { Source } from "../../src/runtime/queue/intake.ts";
import type { Caches } from "./caches.ts";
import type { Tell } from "./tell.ts";

export type ModelContext = {
  readonly client: Client;
  readonly caches: Caches;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
  /** Says what it does to whoever reads events. */
  readonly tell: Tell;
  /** Aborted when the process ends. */
  readonly signal: AbortSignal;
  /** How long a node may be silent before it counts as lost. */
  readonly nodeGraceSeconds: number;
};

export type ControllerModel = {
  readonly sources: readonly Source[];
  readonly reconcile: Reconcile;
  /** Keys looked after at the same time. */
  readonly workers: number;
  /** Wake-ups of one key within this time become one run. */
  readonly spacingMs: number;
};

/** Opens the caches it needs and builds the controller; nothing is read or written before it is started. */
export type BuildModel = (context: ModelContext) => ControllerModel;

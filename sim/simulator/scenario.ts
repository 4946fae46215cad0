// A scenario: a small cluster, what runs in it, what may go wrong, and what must hold. One file each; scenarios.ts lists them.
import type { Commit, Invariant, RequestRule, State } from "./commit.ts";
import type { Fault, FaultSpec } from "./faults/faults.ts";
import type { World } from "./world.ts";

export type Scenario = {
  readonly name: string;
  /** One sentence for the list of scenarios. */
  readonly about: string;
  /** How long things go wrong. */
  readonly faultsMs: number;
  /** By when, after that, all must be as it should be. */
  readonly settleMs: number;
  /** For how long nothing may be written then. */
  readonly quietMs: number;
  /** The faults of the links; those of the world are in `worldFaults`. */
  readonly faults: readonly FaultSpec[];
  readonly worldFaults: readonly WorldFault[];
  /** What must hold after every write; made anew for each history, since some remember. */
  readonly invariants: () => readonly Invariant[];
  readonly requestRules: readonly RequestRule[];
  /** Fills the cluster and starts the parts; nothing goes wrong yet, and no time passes. */
  readonly setUp: (world: World) => Promise<void>;
  /** Why the cluster is not as it should be; undefined when it is. */
  readonly unsettled: (state: State) => string | undefined;
  /** Writes that do not disturb the quiet, such as heartbeats. */
  readonly isNoise: (commit: Commit) => boolean;
};

/** Something that befalls the cluster by itself. */
export type WorldFault = FaultSpec & {
  /** Does it, and says what it did; undefined when there was nothing to do it to. */
  readonly strike: (world: World, fault: Fault) => string | undefined;
};

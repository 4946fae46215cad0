// A fleet: groups of machines of one kind, as a file in this folder describes them. `parse-fleet.ts` reads one,
// `expand-fleet.ts` makes the machines.
import type { ApiTaint } from "../nodes/api-shapes.ts";

/** Values to hand out in the proportion of their weights. */
export type Mix = readonly { readonly value: string; readonly weight: number }[];

export type MachineGroup = {
  /** Each `#` of the last run of them stands for a digit: "gpu-###" gives gpu-001, gpu-002, … */
  readonly name: string;
  readonly count: number;
  readonly kernel: Mix;
  readonly osImage: string;
  readonly arch: string;
  readonly labels: Readonly<Record<string, Mix>>;
  readonly taints: readonly ApiTaint[];
  /** What its machines have beside or instead of what every machine has. */
  readonly capacity: Readonly<Record<string, string>>;
};

export type Fleet = {
  /** Decides who gets which value of a mix. */
  readonly seed: number;
  readonly groups: readonly MachineGroup[];
};

/** More nodes than this is more than Kubernetes promises to work with. */
export const FLEET_NODES_MAX = 5_000;

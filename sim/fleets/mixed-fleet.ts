// The mixed fleet in any size, for tests and for playing: numbered through, and open to every pod.
import type { MachineSpec } from "../nodes/machine.ts";
import { expandFleet, numbered } from "./expand-fleet.ts";
import { readFleet } from "./read-fleet.ts";

export type MixedFleetWish = {
  readonly count: number;
  /** Name of the first machine is `<prefix>-001`. */
  readonly prefix?: string;
  /** Kernels to hand out in turn instead of those of the file. */
  readonly kernels?: readonly string[];
};

/** Machines as in mixed-200.yaml, without its taints, so that whoever asks for a daemon on every node gets one. */
export function mixedFleet({ count, prefix = "node", kernels = [] }: MixedFleetWish): readonly MachineSpec[] {
  const digits = "#".repeat(Math.max(3, String(count).length));
  return expandFleet(readFleet("mixed-200"), { count }).map((machine, place) => ({
    ...machine,
    name: numbered(`${prefix}-${digits}`, place + 1),
    kernel: kernels[place % kernels.length] ?? machine.kernel,
    taints: [],
  }));
}

// A simulated computer: what it is, and whether its kubelet can be heard right now.
import type { ApiTaint } from "./api-shapes.ts";

export type MachineSpec = {
  readonly name: string;
  readonly kernel: string;
  readonly osImage: string;
  /** As Kubernetes says it: amd64, arm64, … */
  readonly arch: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly ApiTaint[];
  /** What it has beside or instead of what every machine has, such as "nvidia.com/gpu": "8". */
  readonly capacity?: Readonly<Record<string, string>>;
};

export type Machine = {
  readonly spec: MachineSpec;
  /** Another one after each boot. */
  readonly bootId: string;
  readonly ip: string;
  /** No container is older than this. */
  readonly bootedAtMs: number;
  /**
   * - `up`: the kubelet works.
   * - `booting`: nothing runs until then.
   * - `away`: containers run, but nobody hears of the machine.
   */
  readonly presence:
    | { readonly is: "up" }
    | { readonly is: "booting"; readonly untilMs: number }
    | { readonly is: "away" };
};

const UP = { is: "up" } as const;

/** A machine whose kubelet has just been started. */
export function newMachine(
  spec: MachineSpec,
  boot: { readonly bootId: string; readonly ip: string; readonly bootedAtMs: number },
): Machine {
  return { spec, ...boot, presence: UP };
}

/** The machine goes down and comes up under another boot ID, and another kernel if one is given. */
export function rebooted(
  machine: Machine,
  boot: { readonly bootId: string; readonly untilMs: number; readonly kernel?: string | undefined },
): Machine {
  const kernel = boot.kernel ?? machine.spec.kernel;
  const presence = { is: "booting", untilMs: boot.untilMs } as const;
  const { bootId, untilMs: bootedAtMs } = boot;
  return { ...machine, spec: { ...machine.spec, kernel }, bootId, bootedAtMs, presence };
}

/** The network to the machine is cut. */
export function vanished(machine: Machine): Machine {
  return { ...machine, presence: { is: "away" } };
}

/** The machine is heard again. */
export function returned(machine: Machine): Machine {
  return { ...machine, presence: UP };
}

/** A machine that has finished booting is up. */
export function settled(machine: Machine, nowMs: number): Machine {
  const { presence } = machine;
  return presence.is === "booting" && presence.untilMs <= nowMs ? returned(machine) : machine;
}

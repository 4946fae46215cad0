// Fleets of machines for tests and for playing: mixed as real ones are, and the same every time.
import type { MachineSpec } from "./machine.ts";

type Model = Pick<MachineSpec, "kernel" | "osImage" | "arch">;

/** Systems that people run side by side. */
const MODELS: readonly Model[] = [
  { kernel: "6.8.0-45-generic", osImage: "Ubuntu 24.04.1 LTS", arch: "amd64" },
  { kernel: "5.15.0-122-generic", osImage: "Ubuntu 22.04.5 LTS", arch: "amd64" },
  { kernel: "5.14.0-427.13.1.el9_4.x86_64", osImage: "Red Hat Enterprise Linux 9.4 (Plow)", arch: "amd64" },
  { kernel: "6.1.0-25-arm64", osImage: "Debian GNU/Linux 12 (bookworm)", arch: "arm64" },
  { kernel: "6.6.48-flatcar", osImage: "Flatcar Container Linux by Kinvolk 3975.2.1", arch: "amd64" },
];

const ZONES = ["a", "b", "c"];
const GPU_EVERY = 4;

export type FleetWish = {
  readonly count: number;
  /** Name of the first machine is `<prefix>-001`. */
  readonly prefix?: string;
  /** Kernels to hand out in turn instead of those of the models. */
  readonly kernels?: readonly string[];
};

/** Machines in turn of every model, zone and kernel; every fourth has a GPU label. */
export function mixedFleet({ count, prefix = "node", kernels = [] }: FleetWish): readonly MachineSpec[] {
  const digits = Math.max(3, String(count).length);
  return Array.from({ length: count }, (_, place) => {
    const model = inTurn(MODELS, place);
    return {
      ...model,
      name: `${prefix}-${String(place + 1).padStart(digits, "0")}`,
      kernel: kernels.length === 0 ? model.kernel : inTurn(kernels, place),
      labels: {
        "topology.kubernetes.io/zone": inTurn(ZONES, place),
        ...(place % GPU_EVERY === 0 ? { "example.com/gpu": "true" } : {}),
      },
      taints: [],
    };
  });
}

function inTurn<T>(list: readonly T[], place: number): T {
  const item = list[place % list.length];
  if (item === undefined) throw new Error("nothing to choose from: the list is empty");
  return item;
}

export type Heartbeat = { readonly everyMs: number; readonly graceSeconds: number };

const HEARTBEAT_MS = 10_000;
const RENEWALS_PER_SECOND_MAX = 25;
/** A kubelet may miss this many renewals before its node counts as lost. */
const MISSED_MAX = 4;

/** How often the nodes of a fleet renew their leases, so that the API server is not kept busy by heartbeats alone. */
export function heartbeatFor(nodeCount: number): Heartbeat {
  const everyMs = Math.max(HEARTBEAT_MS, Math.ceil((nodeCount / RENEWALS_PER_SECOND_MAX) * 1000));
  return { everyMs, graceSeconds: Math.ceil((everyMs * MISSED_MAX) / 1000) };
}

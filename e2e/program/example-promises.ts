// What each file of `examples/` promises, on a fleet of five machines: which pod every node has in the end. The files of the story follow one
// another, and so do the rows.
import type { MachineSpec } from "../../sim/nodes/machine.ts";

export type Promised = {
  /** Below `examples/`. */
  readonly file: string;
  /** As kubectl takes it. */
  readonly object: string;
  /** The name of whoever made its pods. */
  readonly maker: RegExp;
  /** By node: the image of its ready pod without its path, and what its environment says. */
  readonly fits: Readonly<Record<string, string>>;
  /** The condition that tells it. */
  readonly ready: "True" | "False";
};

const machine = (name: string, kernel: string, labels: Readonly<Record<string, string>> = {}): MachineSpec => ({
  ...{ name, kernel, labels, arch: "amd64", osImage: "Ubuntu 24.04.1 LTS", taints: [] },
  capacity: { "nvidia.com/gpu": "8" },
});
const gpu = { "nvidia.com/gpu.present": "true" };

/** Three machines with GPUs and three kernels, and two plain ones; one has large disks, one an older card. */
export const machines: readonly MachineSpec[] = [
  machine("gpu-1", "5.15.0-105-generic", { ...gpu, disk: "large", accelerator: "nvidia-tesla-v100" }),
  machine("gpu-2", "5.14.0-427.13.1.el9_4.x86_64", gpu),
  machine("gpu-3", "6.8.0-45-generic", gpu),
  machine("plain-1", "6.8.0-31-generic", { "node-role/nydus-storage": "large" }),
  machine("plain-2", "6.8.0-31-generic"),
];

const everywhere = (usual: string, others: Readonly<Record<string, string>> = {}) => ({
  ...Object.fromEntries(machines.map(({ name }) => [name, usual])),
  ...others,
});
const kmod = { object: "module/gpu-kmod", maker: /^gpu-kmod-/ };
const nydus = { object: "daemonset.apps.kruise.io/nydus", maker: /^nydus$/ };

/** An image that no registry has. */
export const MISSING = "example.com/nydus:2.4-missing";

export const promises: readonly Promised[] = [
  {
    ...{
      file: "variant-set.yaml",
      object: "variantset/csi-baremetal-node",
      maker: /^csi-baremetal-node/,
      ready: "True",
    },
    fits: everywhere("node:1.4.0", { "gpu-1": "node-kernel-5.x:1.4.0", "gpu-2": "node-kernel-5.x:1.4.0" }),
  },
  {
    ...{ file: "daemon-set.yaml", object: "daemonset.apps.kruise.io/nydus-snapshotter", maker: /^nydus-snapshotter$/ },
    ...{ fits: everywhere("nydus:2.3 500Gi", { "gpu-1": "nydus:2.3 2Ti" }), ready: "True" },
  },
  {
    ...{
      file: "gpu-monitor.yaml",
      object: "daemonset.apps.kruise.io/gpu-monitor",
      maker: /^gpu-monitor$/,
      ready: "True",
    },
    fits: everywhere("gpu-monitor:1.0", { "gpu-1": "gpu-monitor:1.0 enabled" }),
  },
  {
    ...{ file: "nydus-by-disk.yaml", object: "daemonset.apps.kruise.io/nydus-daemonset", maker: /^nydus-daemonset$/ },
    ...{ fits: everywhere("nydus:latest 500Gi", { "plain-1": "nydus:latest 2Ti true" }), ready: "True" },
  },
  {
    ...{ ...kmod, file: "module.yaml", ready: "False" },
    fits: { "gpu-1": "gpu-kmod:550-5.15.0-105-generic", "gpu-2": "gpu-kmod:550-el9" },
  },
  { ...kmod, file: "story/1-gpu-kmod.yaml", ready: "False", fits: { "gpu-1": "gpu-kmod:550-5.15" } },
  {
    ...{ ...kmod, file: "story/2-gpu-kmod-mapped.yaml", ready: "False" },
    fits: { "gpu-1": "gpu-kmod:550-5.15", "gpu-3": "gpu-kmod:550-6.8.0-45-generic" },
  },
  {
    ...{ ...nydus, file: "story/3-nydus.yaml", ready: "True" },
    fits: everywhere("nydus:2.3 500Gi", { "gpu-1": "nydus:2.3 2Ti" }),
  },
];

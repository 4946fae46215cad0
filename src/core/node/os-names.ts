// How distributions name themselves in `osImage` (the PRETTY_NAME of their os-release file), for os-release.ts. The first
// prefix that fits wins, so a longer name stands before the shorter one that it begins with.

export type OsName = {
  /** The name in lower case. */
  readonly prefix: string;
  /** The ID of the distribution's os-release file. */
  readonly id: string;
  /** How many parts its VERSION_ID has at most: "Ubuntu 22.04.4 LTS" is ubuntu 22.04. */
  readonly versionParts: number;
};

export const OS_NAMES: readonly OsName[] = [
  { prefix: "ubuntu core", id: "ubuntu-core", versionParts: 4 },
  { prefix: "ubuntu", id: "ubuntu", versionParts: 2 },
  { prefix: "red hat enterprise linux coreos", id: "rhcos", versionParts: 4 },
  { prefix: "red hat enterprise linux", id: "rhel", versionParts: 2 },
  { prefix: "centos", id: "centos", versionParts: 2 },
  { prefix: "rocky linux", id: "rocky", versionParts: 2 },
  { prefix: "almalinux", id: "almalinux", versionParts: 2 },
  { prefix: "oracle linux", id: "ol", versionParts: 2 },
  { prefix: "fedora coreos", id: "fcos", versionParts: 1 },
  { prefix: "fedora", id: "fedora", versionParts: 1 },
  { prefix: "amazon linux", id: "amzn", versionParts: 1 },
  { prefix: "bottlerocket", id: "bottlerocket", versionParts: 4 },
  { prefix: "suse linux enterprise micro", id: "sle-micro", versionParts: 4 },
  { prefix: "suse linux micro", id: "sl-micro", versionParts: 4 },
  { prefix: "suse linux enterprise", id: "sles", versionParts: 2 },
  { prefix: "opensuse leap", id: "opensuse-leap", versionParts: 2 },
  { prefix: "opensuse tumbleweed", id: "opensuse-tumbleweed", versionParts: 1 },
  { prefix: "opensuse microos", id: "opensuse-microos", versionParts: 1 },
  { prefix: "debian gnu/linux", id: "debian", versionParts: 4 },
  { prefix: "raspbian gnu/linux", id: "raspbian", versionParts: 4 },
  { prefix: "talos", id: "talos", versionParts: 4 },
  { prefix: "flatcar", id: "flatcar", versionParts: 4 },
  { prefix: "container-optimized os", id: "cos", versionParts: 4 },
  { prefix: "microsoft azure linux", id: "azurelinux", versionParts: 2 },
  { prefix: "azure linux", id: "azurelinux", versionParts: 2 },
  { prefix: "cbl-mariner", id: "mariner", versionParts: 2 },
  { prefix: "vmware photon", id: "photon", versionParts: 2 },
  { prefix: "garden linux", id: "gardenlinux", versionParts: 4 },
  { prefix: "alpine linux", id: "alpine", versionParts: 4 },
  { prefix: "arch linux", id: "arch", versionParts: 4 },
  { prefix: "nixos", id: "nixos", versionParts: 4 },
  { prefix: "k3os", id: "k3os", versionParts: 4 },
  { prefix: "k3s", id: "k3s", versionParts: 4 },
  { prefix: "buildroot", id: "buildroot", versionParts: 4 },
  { prefix: "docker desktop", id: "docker-desktop", versionParts: 4 },
  { prefix: "harvester", id: "harvester", versionParts: 4 },
  { prefix: "openeuler", id: "openEuler", versionParts: 2 },
  { prefix: "anolis os", id: "anolis", versionParts: 2 },
  { prefix: "alibaba cloud linux", id: "alinux", versionParts: 4 },
  { prefix: "kylin linux", id: "kylin", versionParts: 4 },
  { prefix: "tencentos server", id: "tencentos", versionParts: 4 },
  { prefix: "windows server", id: "windows", versionParts: 1 },
];

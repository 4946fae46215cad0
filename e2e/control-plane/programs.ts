// The programs a control plane is made of: where each one's source is pinned and how it is built from there.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The programs that run as long as the cluster does. */
export type PartName = "etcd" | "kube-apiserver" | "kube-controller-manager" | "kube-scheduler";
export type ProgramName = PartName | "kubectl";

/** What a test needs: an API server alone, or also the controllers and the scheduler that act on it. */
export type Needs = "api" | "controllers";

export const PARTS: Readonly<Record<Needs, readonly PartName[]>> = {
  api: ["etcd", "kube-apiserver"],
  controllers: ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"],
};

export type Program = {
  readonly name: ProgramName;
  /** The folder under `go/` whose go.mod pins it. */
  readonly family: "etcd" | "kubernetes";
  readonly package: string;
  /** How long a build took on two cores with nothing cached, in the order below; people are told this. */
  readonly coldBuildSeconds: number;
};

/** In build order: the API server first, because the others then find most of their packages compiled. */
export const PROGRAMS: readonly Program[] = [
  { name: "etcd", family: "etcd", package: "go.etcd.io/etcd/server/v3", coldBuildSeconds: 40 },
  kubernetes("kube-apiserver", 270),
  kubernetes("kube-controller-manager", 65),
  kubernetes("kube-scheduler", 10),
  kubernetes("kubectl", 25),
];

export type PinnedVersions = { readonly kubernetes: string; readonly etcd: string };

function kubernetes(name: ProgramName, coldBuildSeconds: number): Program {
  return { name, family: "kubernetes", package: `k8s.io/kubernetes/cmd/${name}`, coldBuildSeconds };
}

/** The folder that holds the go.mod of a family. */
export function moduleFolder(family: Program["family"]): string {
  return join(import.meta.dirname, "go", family);
}

/** The versions written in the two go.mod files, such as `v1.35.4`; nothing else names a version. */
export function pinnedVersions(): PinnedVersions {
  return {
    kubernetes: requiredVersion("kubernetes", "k8s.io/kubernetes"),
    etcd: requiredVersion("etcd", "go.etcd.io/etcd/server/v3"),
  };
}

function requiredVersion(family: Program["family"], module: string): string {
  const file = join(moduleFolder(family), "go.mod");
  const line = readFileSync(file, "utf8")
    .split("\n")
    .map((text) => text.replace(/^require /, "").trim())
    .find((text) => text.startsWith(`${module} v`));
  const version = line?.split(" ")[1];
  if (version === undefined) throw new Error(`${file} requires no version of ${module}`);
  return version;
}

/** The arguments of `go build` for one program, writing to `output`. */
export function goBuildArgs(program: Program, versions: PinnedVersions, output: string): readonly string[] {
  return ["build", "-trimpath", `-ldflags=${linkerFlags(program, versions)}`, "-o", output, program.package];
}

/** A build from the module cache knows no git tag, so the version that `/version` tells is linked in. */
function linkerFlags(program: Program, versions: PinnedVersions): string {
  const strip = "-s -w";
  if (program.family === "etcd") return strip;
  const [major, minor] = versions.kubernetes.slice(1).split(".");
  const tags = { gitVersion: versions.kubernetes, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  const packages = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"];
  const sets = packages.flatMap((name) => Object.entries(tags).map(([key, value]) => `-X ${name}.${key}=${value}`));
  return [strip, ...sets].join(" ");
}

// Where the programs of the control plane come from: KUBEBUILDER_ASSETS, then our cache folder, then a build with Go.
// Looking is cheap and never builds; `ensureControlPlane` builds what is missing and tells how it goes.
import { homedir } from "node:os";
import { join } from "node:path";
import { isExecutable, isOnPath } from "../executable.ts";
import { buildPrograms } from "./build.ts";
import {
  type Needs,
  PARTS,
  type PinnedVersions,
  PROGRAMS,
  type Program,
  type ProgramName,
  pinnedVersions,
} from "./programs.ts";

/** Paths of the programs that were found. */
export type Binaries = ReadonlyMap<ProgramName, string>;

export type Availability =
  | { readonly available: true; readonly binaries: Binaries }
  | { readonly available: false; readonly reason: string; readonly remedy: string; readonly buildable: boolean };

/** Receives one line at a time; the caller puts it on the terminal. */
export type Progress = (line: string) => void;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Says whether a control plane can be started right now, without building anything. */
export function controlPlaneAvailability(needs: Needs = "controllers", env: Environment = process.env): Availability {
  const versions = pinnedVersions();
  const binaries = findPrograms(env, versions);
  const missing = PROGRAMS.filter(({ name }) => PARTS[needs].some((part) => part === name) && !binaries.has(name));
  if (missing.length === 0) return { available: true, binaries };
  const reason = `no ${namesOf(missing)} in KUBEBUILDER_ASSETS or ${cacheFolder(env, versions)}`;
  if (!isOnPath("go", env)) {
    return { available: false, reason, remedy: "install Go 1.26 or newer and run again", buildable: false };
  }
  const remedy = `run "npm run cluster -- build" once (up to ${minutes(missing)} min on two cores)`;
  return { available: false, reason, remedy, buildable: true };
}

/** Finds the programs, building with Go those that are missing; a failed build is an answer, not an exception. */
export async function ensureControlPlane(progress: Progress, env: Environment = process.env): Promise<Availability> {
  const versions = pinnedVersions();
  const found = findPrograms(env, versions);
  const missing = PROGRAMS.filter(({ name }) => !found.has(name));
  if (missing.length === 0 || !isOnPath("go", env)) return controlPlaneAvailability("controllers", env);
  const label = `Kubernetes ${versions.kubernetes}, etcd ${versions.etcd}`;
  progress(`building ${namesOf(missing)} (${label}): up to ${minutes(missing)} min, once per version`);
  const folder = cacheFolder(env, versions);
  const built = await buildPrograms({ programs: missing, versions, folder, env, progress });
  const after = controlPlaneAvailability("controllers", env);
  if (after.available || built.ok) return after;
  return { ...after, reason: built.reason, remedy: built.remedy };
}

/** The folder outside the repository that keeps what was built, one per pair of versions. */
export function cacheFolder(env: Environment, versions: PinnedVersions): string {
  const base = env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(base, "farrier", `control-plane-${versions.kubernetes.slice(1)}-etcd-${versions.etcd.slice(1)}`);
}

function findPrograms(env: Environment, versions: PinnedVersions): Binaries {
  const assets = env.KUBEBUILDER_ASSETS;
  const folders = [...(assets ? [assets] : []), cacheFolder(env, versions)];
  const found = new Map<ProgramName, string>();
  for (const { name } of PROGRAMS) {
    const path = folders.map((folder) => join(folder, name)).find(isExecutable);
    if (path !== undefined) found.set(name, path);
  }
  return found;
}

function namesOf(programs: readonly Program[]): string {
  return programs.map((program) => program.name).join(", ");
}

function minutes(programs: readonly Program[]): number {
  return Math.ceil(programs.reduce((sum, program) => sum + program.coldBuildSeconds, 0) / 60);
}

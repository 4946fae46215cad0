// The registry program of the distribution project: pinned in a go.mod, verified by go.sum, built once into a cache folder outside the
// repository.
import { spawn } from "node:child_process";
import { accessSync, constants, mkdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { describe } from "vitest";

const GO_FOLDER = join(import.meta.dirname, "go");
const PACKAGE = "github.com/distribution/distribution/v3/cmd/registry";
const OUTPUT_MAX = 4_096;

/** `describe` for tests on a real registry; `build` gives the path of the program, which takes minutes the first time. */
export function describeWithRegistry(name: string, body: (build: () => Promise<string>) => void): void {
  const isThere = isExecutable(programPath()) || isGoThere();
  const title = isThere ? name : `${name} (skipped: no registry in ${cacheFolder()}; install Go 1.26 or newer)`;
  describe.skipIf(!isThere)(title, () => body(ensureRegistry));
}

/** The path of the program, built with Go if it is not there. */
export async function ensureRegistry(): Promise<string> {
  const path = programPath();
  if (isExecutable(path)) return path;
  mkdirSync(cacheFolder(), { recursive: true });
  // A name in the folder is always a whole program; two builders at once only do it twice.
  const unfinished = `${path}.${process.pid}`;
  await runGo(["build", "-trimpath", "-ldflags=-s -w", "-o", unfinished, PACKAGE]);
  renameSync(unfinished, path);
  return path;
}

function runGo(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-mod=readonly -buildvcs=false" };
    const go = spawn("go", args, { cwd: GO_FOLDER, env, stdio: ["ignore", "ignore", "pipe"] });
    let output = "";
    go.stderr.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_MAX);
    });
    go.on("error", reject);
    go.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`go build of the registry failed: ${output}`)),
    );
  });
}

function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(base, "farrier", `registry-${pinnedVersion()}`);
}

function programPath(): string {
  return join(cacheFolder(), "registry");
}

/** The version in go.mod; nothing else names one. */
function pinnedVersion(): string {
  const version = /distribution\/distribution\/v3 v(\S+)/.exec(readFileSync(join(GO_FOLDER, "go.mod"), "utf8"))?.[1];
  if (version === undefined) throw new Error("go.mod requires no version of the registry");
  return version;
}

function isGoThere(): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => isExecutable(join(folder, "go")));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// A program of another project that tests need: pinned in a go.mod, verified by go.sum, built once into a cache folder outside the
// repository.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { isExecutable, isOnPath } from "./executable.ts";

export type GoProgram = {
  readonly name: string;
  /** The folder with its go.mod, which alone names a version. */
  readonly folder: string;
  readonly module: string;
  /** The package under the module. */
  readonly main: string;
};

const OUTPUT_MAX = 4_096;

/** `describe` for tests with the program; `build` gives its path, which takes minutes the first time. */
export function describeWithProgram(program: GoProgram, name: string, body: (build: () => Promise<string>) => void) {
  const isThere = isExecutable(pathOf(program)) || isOnPath("go", process.env);
  const lacking = `no ${program.name} in ${cacheFolder(program)}; install Go 1.26 or newer`;
  describe.skipIf(!isThere)(isThere ? name : `${name} (skipped: ${lacking})`, () => body(() => ensureProgram(program)));
}

/** The path of the program, built with Go if it is not there. */
export async function ensureProgram(program: GoProgram): Promise<string> {
  const path = pathOf(program);
  if (isExecutable(path)) return path;
  mkdirSync(cacheFolder(program), { recursive: true });
  // A name in the folder is always a whole program; two builders at once, which may be threads of one process, only do it twice.
  const workplace = mkdtempSync(`${path}.`);
  try {
    const unfinished = join(workplace, program.name);
    const source = `${program.module}/${program.main}`;
    await runGo(program, ["build", "-trimpath", "-ldflags=-s -w", "-o", unfinished, source]);
    renameSync(unfinished, path);
    return path;
  } finally {
    rmSync(workplace, { recursive: true });
  }
}

function runGo({ name, folder }: GoProgram, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-mod=readonly -buildvcs=false" };
    const go = spawn("go", args, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
    let output = "";
    go.stderr.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_MAX);
    });
    go.on("error", reject);
    go.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`go build of ${name} failed: ${output}`))));
  });
}

function cacheFolder(program: GoProgram): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(base, "farrier", `${program.name}-${pinnedVersion(program)}`);
}

function pathOf(program: GoProgram): string {
  return join(cacheFolder(program), program.name);
}

function pinnedVersion({ folder, module }: GoProgram): string {
  const words = readFileSync(join(folder, "go.mod"), "utf8").split(/\s+/);
  const version = words[words.indexOf(module) + 1];
  if (!version?.startsWith("v")) throw new Error(`go.mod requires no version of ${module}`);
  return version.slice(1);
}

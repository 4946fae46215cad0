// Building the programs with Go into the cache folder, one after the other, while a person watches.
// Guarantees: a name in the folder is always a whole program (temporary name, then rename), and a second builder
// waits for the first instead of doing the same work. A crashed builder's lock is taken over.
import { spawn } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { goBuildArgs, moduleFolder, type PinnedVersions, type Program } from "./programs.ts";

const TELL_EVERY_MS = 15_000;
const LOOK_AT_LOCK_EVERY_MS = 500;
const ERROR_LINES_MAX = 5;
const LOCK = "building.lock";
const OUTPUT_MAX = 64 * 1024;

export type BuildOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string; readonly remedy: string };

export type Build = {
  readonly programs: readonly Program[];
  readonly versions: PinnedVersions;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly progress: (line: string) => void;
};

/** Builds each program into the folder unless it appears there by another builder's hand. */
export async function buildPrograms(build: Build): Promise<BuildOutcome> {
  const { programs, folder, progress } = build;
  mkdirSync(folder, { recursive: true });
  const unlock = await lock(join(folder, LOCK), progress);
  try {
    sweep(folder);
    for (const program of programs) {
      if (existsSync(join(folder, program.name))) continue;
      const outcome = await buildOne(program, build);
      if (!outcome.ok) return outcome;
    }
    return { ok: true };
  } finally {
    unlock();
  }
}

async function buildOne(program: Program, { versions, folder, env, progress }: Build): Promise<BuildOutcome> {
  const temporary = join(folder, unfinishedName(program.name));
  const startedMs = performance.now();
  const elapsed = () => `${Math.round((performance.now() - startedMs) / 1000)} s`;
  progress(`${program.name}: building, up to ${program.coldBuildSeconds} s with nothing cached`);
  const ticking = setInterval(() => progress(`${program.name}: still building, ${elapsed()} so far`), TELL_EVERY_MS);
  try {
    const failure = await runGo(goBuildArgs(program, versions, temporary), moduleFolder(program.family), env);
    if (failure !== undefined) return failed(program, failure);
    renameSync(temporary, join(folder, program.name));
    progress(`${program.name}: built in ${elapsed()}`);
    return { ok: true };
  } finally {
    clearInterval(ticking);
    rmSync(temporary, { force: true });
  }
}

function failed(program: Program, output: string): BuildOutcome {
  const tail = output.trim().split("\n").slice(-ERROR_LINES_MAX).join(" | ");
  return {
    ok: false,
    reason: `go build of ${program.name} failed: ${tail}`,
    remedy: "check that Go is 1.26 or newer and that its module proxy is reachable, or set KUBEBUILDER_ASSETS",
  };
}

/** Runs Go to its end; the answer is what it printed if it failed. */
function runGo(args: readonly string[], cwd: string, env: Build["env"]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const goEnv = { ...env, CGO_ENABLED: "0", GOFLAGS: "-mod=readonly -buildvcs=false" };
    const go = spawn("go", args, { cwd, env: goEnv, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_MAX);
    };
    go.stdout.on("data", keep);
    go.stderr.on("data", keep);
    go.on("error", (error) => resolve(error.message));
    go.on("close", (code, signal) => resolve(code === 0 ? undefined : `${output}\nended with ${signal ?? code}`));
  });
}

/** A file with our process id; whoever finds it held waits, and takes it over when that process is gone. */
async function lock(file: string, progress: (line: string) => void): Promise<() => void> {
  let told = false;
  while (!tryLock(file)) {
    if (!isAlive(holderOf(file))) {
      // Two who take over at once only build twice: the rename keeps every result whole.
      rmSync(file, { force: true });
      continue;
    }
    if (!told) progress("another process is building the same programs; waiting for it");
    told = true;
    await pause(LOOK_AT_LOCK_EVERY_MS);
  }
  return () => rmSync(file, { force: true });
}

/** The lock appears together with its content, so nobody ever reads an empty one. */
function tryLock(file: string): boolean {
  const draft = join(dirname(file), unfinishedName("lock"));
  writeFileSync(draft, String(process.pid));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw new Error(`cannot write ${file}`, { cause: error });
  } finally {
    rmSync(draft, { force: true });
  }
}

function holderOf(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

const UNFINISHED = /^\.unfinished-(\d+)-/;

function unfinishedName(name: string): string {
  return `.unfinished-${process.pid}-${name}`;
}

/** Removes what builders that were killed left half written. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = UNFINISHED.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

// The oracle as a program: built once per state of its sources, into a cache folder outside the repository.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pid } from "node:process";

export const goSources = join(import.meta.dirname, "go");

const HASH_CHARS = 16;

/** The path where the oracle built from the present sources lies, or will lie. */
export function oracleBinary(): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "farrier", `oracle-${sourceHash()}`);
}

/** Builds the oracle unless it is there, and returns its path; throws with the compiler's words when it does not build. */
export function buildOracle(): string {
  const binary = oracleBinary();
  if (existsSync(binary)) return binary;
  mkdirSync(dirname(binary), { recursive: true });
  // Built under a name of our own and then renamed: a second run at the same time never starts half a program.
  const unfinished = `${binary}.${pid}`;
  const built = spawnSync("go", ["build", "-trimpath", "-o", unfinished, "."], {
    cwd: goSources,
    encoding: "utf8",
    env: { ...process.env, CGO_ENABLED: "0" },
  });
  if (built.status !== 0) {
    throw new Error(`the Go oracle does not build: ${built.error?.message ?? built.stderr}`);
  }
  renameSync(unfinished, binary);
  return binary;
}

function sourceHash(): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(goSources).sort()) {
    hash
      .update(name)
      .update("\0")
      .update(readFileSync(join(goSources, name)))
      .update("\0");
  }
  return hash.digest("hex").slice(0, HASH_CHARS);
}

// Where the repository lies and which files belong to it.
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

export const repositoryRoot = resolve(import.meta.dirname, "..");

/** Paths of the files that git tracks or would track, relative to the root. */
export function repositoryFiles(): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: repositoryRoot,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return [...new Set(listed.split("\0").filter((path) => path !== ""))].sort();
}

// Where the repository lies and which files belong to it.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";

export const repositoryRoot = resolve(import.meta.dirname, "..");

const OUTPUT_MAX = 64 * 1024 * 1024;
/** What is never ours, for trees that git does not know: an unpacked archive, somebody else's clone. */
const foreignFolders = ["node_modules", ".git", "dist", "coverage"];

/** Paths of the files that git tracks or would track, relative to the root; without git, all but foreign folders. */
export function repositoryFiles(root = repositoryRoot): readonly string[] {
  const listed = listWithGit(root);
  const files = listed.includes("package.json") ? listed : listFolder(root, "");
  if (!files.includes("package.json")) throw new Error(`found no package.json in ${root}: cannot tell its files`);
  return [...new Set(files)].sort();
}

function listWithGit(root: string): readonly string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: OUTPUT_MAX });
  return status === 0 ? stdout.split("\0").filter((path) => path !== "") : [];
}

function listFolder(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) return [path];
    return entry.isDirectory() && !foreignFolders.includes(entry.name) ? listFolder(root, path) : [];
  });
}

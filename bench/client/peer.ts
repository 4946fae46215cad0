// The peer: @kubernetes/client-node, with a package file and a lock of its own, installed when it is first needed. It never
// becomes a dependency of the product, not even for development.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Missing } from "../compare.ts";

export const PEER_NAME = "client-node 2.0.1";
export const PEER_FOLDER = resolve(import.meta.dirname, "../peers/client-node");

const INSTALL_MS_MAX = 300_000;
const STAMP = join(PEER_FOLDER, "node_modules", ".installed");
const ARGUMENTS = ["ci", "--no-progress", "--loglevel=error", "--fetch-retries=1"];

/** Installs the peer from its lock file unless that was done before; what went wrong, if anything. */
export function installPeer(progress: (message: string) => void): Missing | undefined {
  const lock = createHash("sha256")
    .update(readFileSync(join(PEER_FOLDER, "package-lock.json")))
    .digest("hex");
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === lock) return undefined;
  progress(`installing @kubernetes/${PEER_NAME} into bench/peers/client-node (npm ci, 83 MB; once per lock file)`);
  const npm = process.env.npm_execpath;
  const [program, first] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  const options = { cwd: PEER_FOLDER, encoding: "utf8", timeout: INSTALL_MS_MAX } as const;
  const done = spawnSync(program, [...first, ...ARGUMENTS], options);
  if (done.status !== 0) return { missing: `npm ci in bench/peers/client-node failed: ${reasonOf(done)}` };
  writeFileSync(STAMP, lock);
  return undefined;
}

function reasonOf({ error, stderr }: { readonly error?: Error; readonly stderr: string | null }): string {
  const [line = "no reason given"] = (stderr ?? "").split("\n").filter((text) => text.trim() !== "");
  return error?.message ?? line.replace(/^npm error\s*/, "");
}

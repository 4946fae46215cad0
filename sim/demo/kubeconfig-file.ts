// The one file that the demo leaves behind. It replaces only what an earlier demo wrote, and never that of a demo that runs.

import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import type { Clock } from "../../src/kube/clock.ts";

export const KUBECONFIG_NAME = "farrier.kubeconfig";

/** The first line of every file that is ours. */
const MARK = '# Written by "npm start" of Farrier, and again at each start.';
/** For a server on this machine; one that takes longer hangs, and still holds its port. */
const KNOCK_MS = 500;
const OTHERS_WRITE = 0o022;

export type KubeconfigPlace = {
  /** What the person asked for. */
  readonly wish: string | undefined;
  readonly currentFolder: string;
  /** Where to go when the current folder cannot be written. */
  readonly otherFolder: string;
};

/** Writing, which a disk may refuse. */
export type Disk = { readonly writeFile: typeof writeFile };

/** Throws, before anything is started, when the demo could not write its kubeconfig; answers with the path. */
export async function claimKubeconfig(
  place: KubeconfigPlace,
  clock: Clock,
  disk: Disk = { writeFile },
): Promise<string> {
  const { wish } = place;
  if (wish !== undefined) return claim(wish, clock, disk);
  try {
    return await claim(join(place.currentFolder, KUBECONFIG_NAME), clock, disk);
  } catch (error) {
    if (!isReadOnly(error)) throw error;
    await makeOwnFolder(place.otherFolder);
    return claim(join(place.otherFolder, KUBECONFIG_NAME), clock, disk);
  }
}

/** Writes a claimed file whole or not at all, readable for its owner only. */
export async function writeClaimed(path: string, kubeconfig: string): Promise<void> {
  const draft = draftOf(path);
  await writeFile(draft, `${MARK}\n${kubeconfig}`, { mode: 0o600 });
  await rename(draft, path);
}

/** Temporary folders are open to all: one that somebody else has made, or can write to, could be exchanged under us. */
async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(folder);
  const isOurs = uid === (process.getuid?.() ?? uid) && (mode & OTHERS_WRITE) === 0;
  if (!isOurs) throw new Error(`${folder} is open to others; give a file elsewhere with --kubeconfig FILE`);
}

async function claim(path: string, clock: Clock, disk: Disk): Promise<string> {
  const text = await textOf(path);
  if (text !== undefined && !text.startsWith(MARK))
    throw new Error(`${path} is there already and not ours to overwrite; give another one with --kubeconfig FILE`);
  const url = text === undefined ? undefined : serverOf(text);
  if (url !== undefined && (await isAnswering(url, clock)))
    throw new Error(`another demo runs at ${url.origin} and has written ${path}; stop it, or give --kubeconfig FILE`);
  await tryToWrite(path, disk);
  return path;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw new Error(`${path} cannot be read (${messageOf(cause)}); give a file with --kubeconfig FILE`, { cause });
  }
}

async function tryToWrite(path: string, disk: Disk): Promise<void> {
  const draft = draftOf(path);
  try {
    await disk.writeFile(draft, "", { mode: 0o600 });
    await rm(draft);
  } catch (cause) {
    const folder = dirname(path);
    const why = codeOf(cause) === "ENOENT" ? "there is no such folder" : messageOf(cause);
    throw new Error(`cannot write to ${folder} (${why}); give a file elsewhere with --kubeconfig FILE`, { cause });
  }
}

/** Beside the file, since only within a folder a file can be replaced in one step. */
function draftOf(path: string): string {
  return `${path}.${process.pid}`;
}

function serverOf(kubeconfig: string): URL | undefined {
  const text = /^\s*server: (\S+)$/m.exec(kubeconfig)?.[1] ?? "";
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Whether somebody takes connections there. */
function isAnswering({ hostname, port }: URL, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const cancel = clock.after(KNOCK_MS, () => end(true));
    const end = (answers: boolean) => {
      cancel();
      socket.destroy();
      resolve(answers);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}

function isReadOnly(error: unknown): boolean {
  const code = error instanceof Error ? codeOf(error.cause) : undefined;
  return code === "EROFS" || code === "EACCES" || code === "EPERM";
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

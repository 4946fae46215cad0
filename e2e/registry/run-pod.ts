// Runs the containers of a build pod on this machine: each in a mount namespace of its own in which the volumes are where a kubelet would
// mount them, so that the command lines of builders are carried out letter by letter by the builders themselves.
//
// Caveats: nothing but the file system is apart. There is no image of the container, no other user, no network of its own, no limits.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe } from "vitest";
import type { JsonObject } from "../../src/core/json/json.ts";
import { verbatim } from "../../src/kinds/module/build/build-given.ts";
import type { BuildPod } from "../../src/kinds/module/build/build-pod.ts";

/** Files by their keys. */
type Files = Readonly<Record<string, string>>;

export type PodWishes = {
  /** The Secrets of the namespace, by name. */
  readonly secrets?: Readonly<Record<string, Files>>;
  /** A folder whose programs come before those of the machine. */
  readonly programs?: string;
  /** Variables in place of those that the pod has. */
  readonly env?: Files;
};

export type PodEnd = {
  readonly exitCode: number;
  /** What the last container that ran has left for the kubelet to read. */
  readonly lastWords: string;
  readonly output: string;
};

/** Makes the root that a container sees: this machine's, with other folders in the place of some. */
const ENTER = `
set -e
root=$1 given=$2; shift 2
mount --make-rprivate /
mount -t tmpfs tmpfs "$root"
for place in /*; do
  name=\${place#/}
  case $name in dev|run) continue;; esac
  if [ -L "$place" ]; then cp -d "$place" "$root/$name"
  elif [ -d "$place" ]; then mkdir "$root/$name"; mount --rbind "$place" "$root/$name"; fi
done
mkdir -p "$root/run" "$root/dev"
for device in null zero full random urandom tty; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
ln -s /proc/self/fd "$root/dev/fd"
touch "$root/dev/termination-log"; mount --bind "$given/last-words" "$root/dev/termination-log"
while read -r from to; do
  if [ -d "$from" ]; then mkdir -p "$root$to"; else mkdir -p "$(dirname "$root$to")"; touch "$root$to"; fi
  mount --bind "$from" "$root$to"
done < "$given/mounts"
exec chroot "$root" "$@"
`;

/** `describe` for tests that run a program as a pod would; where that cannot be, they are skipped under a name that says why. */
export function describePods(program: string, name: string, body: () => void): void {
  const missing = whatIsMissing(program);
  describe.skipIf(missing !== undefined)(missing === undefined ? name : `${name} (skipped: ${missing})`, body);
}

function whatIsMissing(program: string): string | undefined {
  if (spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0)
    return `${program} is not on the PATH; install ${program}`;
  const canMount = spawnSync("unshare", ["-m", "mount", "--make-rprivate", "/"]).status === 0;
  return canMount ? undefined : "this user may not mount anything; run the tests as root";
}

/** Runs the containers one after the other, as an init container and the one after it; ends with the first that fails. */
export async function runPod({ annotations, spec }: BuildPod, wishes: PodWishes = {}): Promise<PodEnd> {
  const given = mkdtempSync(join(tmpdir(), "farrier-pod-"));
  const pod = JSON.parse(JSON.stringify(spec));
  try {
    for (const volume of pod.volumes ?? []) layOut(volume, join(given, volume.name), { annotations, wishes });
    let end: PodEnd = { exitCode: 0, lastWords: "", output: "" };
    for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
      end = await runContainer(container, given, wishes);
      if (end.exitCode !== 0) break;
    }
    return end;
  } finally {
    rmSync(given, { recursive: true, force: true });
  }
}

type Known = { readonly annotations: BuildPod["annotations"]; readonly wishes: PodWishes };
type Item = { readonly key: string; readonly path: string; readonly fieldRef: { readonly fieldPath: string } };
type Volume = {
  readonly secret?: { readonly secretName: string; readonly items?: readonly Item[] };
  readonly downwardAPI?: { readonly items: readonly Item[] };
};

function layOut({ secret, downwardAPI }: Volume, folder: string, { annotations, wishes }: Known): void {
  mkdirSync(folder, { recursive: true });
  const files = wishes.secrets?.[secret?.secretName ?? ""] ?? {};
  const items = secret?.items ?? Object.keys(files).map((key) => ({ key, path: key }));
  for (const { key, path } of items) writeFileSync(join(folder, path), files[key] ?? "");
  for (const { path, fieldRef } of downwardAPI?.items ?? []) {
    const [, key = ""] = /annotations\['(.*)'\]/.exec(fieldRef.fieldPath) ?? [];
    writeFileSync(join(folder, path), annotations[key] ?? "");
  }
}

type Container = {
  readonly command: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
};

async function runContainer(container: Container, given: string, wishes: PodWishes): Promise<PodEnd> {
  const { command, args = [], env = [], volumeMounts } = container;
  const root = join(given, "root");
  mkdirSync(root, { recursive: true });
  writeFileSync(join(given, "last-words"), "");
  const mounts = volumeMounts.map(({ name, mountPath, subPath }) => {
    const from = join(given, name, ...(subPath === undefined ? [] : [subPath]));
    mkdirSync(dirname(from), { recursive: true });
    return `${from} ${mountPath}\n`;
  });
  writeFileSync(join(given, "mounts"), mounts.join(""));
  const path = [wishes.programs, process.env.PATH].filter((folder) => folder !== undefined).join(":");
  const variables = { ...Object.fromEntries(env.map(({ name, value }) => [name, filled(value)])), ...wishes.env };
  const words = [...command, ...args].map(filled);
  const child = spawn("unshare", ["-m", "sh", "-c", ENTER, "enter", root, given, ...words], {
    env: { PATH: path, HOME: homedir(), ...variables },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
  return { exitCode, lastWords: readFileSync(join(given, "last-words"), "utf8"), output };
}

/** As the kubelet fills in arguments; what we write names no variables, and doubles every sign. */
function filled(text: string): string {
  return text.replaceAll(verbatim("$"), "$");
}

/** A file of credentials as a Secret has it. */
export function credentialsFor(host: string, user: { readonly name: string; readonly password: string }): JsonObject {
  const auth = Buffer.from(`${user.name}:${user.password}`).toString("base64");
  return { auths: { [host]: { auth } } };
}

// Notices that the npm command which started us has gone. Killed, npm and the shell between tell nobody below, and
// whatever they started would go on for ever.
import { readFileSync } from "node:fs";

const LOOK_EVERY_MS = 500;
const ANCESTORS_MAX = 20;

/** Resolves when npm, or a process between npm and us, has ended; never when npm did not start us. */
export function orphaned(): Promise<void> {
  const before = ancestorsUpToNpm().join();
  if (before === "") return new Promise(() => undefined);
  return new Promise((resolve) => {
    const looking = setInterval(() => {
      if (ancestorsUpToNpm().join() === before) return;
      clearInterval(looking);
      resolve();
    }, LOOK_EVERY_MS);
    looking.unref();
  });
}

/** Process ids from our parent up to npm; none where there is no npm above us or no /proc to ask. */
function ancestorsUpToNpm(): readonly number[] {
  const ancestors: number[] = [];
  let pid = process.ppid;
  while (isStartedByNpm("self") && pid > 1 && ancestors.length < ANCESTORS_MAX) {
    ancestors.push(pid);
    if (!isStartedByNpm(pid)) return ancestors;
    pid = parentOf(pid);
  }
  return [];
}

/** npm marks the environment of what it starts, not its own. */
function isStartedByNpm(pid: number | "self"): boolean {
  return read(pid, "environ").includes("\0npm_lifecycle_event=");
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(read(pid, "status"))?.[1] ?? 0);
}

function read(pid: number | "self", file: string): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/${file}`, "utf8")}`;
  } catch {
    return "";
  }
}

// Runs the real kubectl against a server, as one person on one machine: with its own home, and its answers as text.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export type Kubectl = {
  readonly program: string;
  readonly kubeconfig: string;
  /** Where kubectl keeps what it has learned of the server. */
  readonly home: string;
  /** Where it runs, so that files are named without a path. */
  readonly folder: string;
};

export type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

/** No command of the session takes this long on a busy machine. */
const COMMAND_MS = 30_000;

/** The words of a command; single quotes hold words together. */
export function wordsOf(command: string): readonly string[] {
  return (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'(.*)'$/, "$1"));
}

function start({ program, kubeconfig, home, folder }: Kubectl, command: string, editor: string) {
  const env = { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfig, KUBE_EDITOR: editor, TZ: "UTC" };
  return spawn(program, [...wordsOf(command)], {
    ...{ cwd: folder, env, timeout: COMMAND_MS },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Runs a command to its end; it may open an editor, which changes texts as `sed` is told, and read a text. */
export async function runKubectl(
  kubectl: Kubectl,
  command: string,
  { edit, input = "" }: { readonly edit?: string | undefined; readonly input?: string } = {},
): Promise<Ran> {
  const child = start(kubectl, command, edit === undefined ? "false" : `sed -i '${edit}'`);
  child.stdin.end(input);
  const [out, err] = [textOf(child.stdout), textOf(child.stderr)];
  const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { code, out: await out, err: await err };
}

/** Starts a command that does not end by itself; calls `during` after its first line, and ends it after the last. */
export async function watchKubectl(
  kubectl: Kubectl,
  command: string,
  lines: number,
  during: () => Promise<unknown>,
): Promise<string> {
  const child = start(kubectl, command, "false");
  const seen: string[] = [];
  let changes: Promise<unknown> | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(line);
    // The second line is the first object: from then on the watch sees everything.
    if (seen.length === 2) changes = during();
    if (seen.length === lines) child.kill();
  }
  await changes;
  return seen.map((line) => `${line}\n`).join("");
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const piece of stream) text += String(piece);
  return text;
}

// A shell for the commands of pages: the real kubectl, `farrier` as the pages' alias has it, and a folder in which files may be written.
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { repositoryRoot } from "../../tools/repository.ts";
import type { Binaries } from "../control-plane/binaries.ts";
import { isAsPromised, linesOf, type PageCommand } from "./page-commands.ts";

export type PageShell = {
  /** Holds what the commands of pages name: `deploy/`, `examples/`, and what they write. */
  readonly folder: string;
  /** Types a command; what is wrong with the answer, with the place on the page, or nothing. */
  type(page: string, command: PageCommand, kubeconfig: string): Promise<string>;
  /** Runs a command of a test's own; what it prints, if it succeeds. */
  ask(command: string, kubeconfig: string, input?: string): Promise<string>;
  close(): void;
};

const KUBECTL = "kubectl";
/** Their 1 is an answer: something would change, or goes on. */
const COMPARING = /\b(farrier (plan|rollout status)|kubectl diff)\b/;
type Ran = { readonly code: number | null; readonly text: string };

/** Opens one with the programs of the real control plane. */
export function openPageShell(binaries: Binaries): PageShell {
  const folder = mkdtempSync(join(tmpdir(), "farrier-docs-"));
  for (const name of ["deploy", "examples"]) symlinkSync(join(repositoryRoot, name), join(folder, name));
  const bin = mkdtempSync(join(tmpdir(), "farrier-bin-"));
  symlinkSync(binaries.get(KUBECTL) ?? KUBECTL, join(bin, KUBECTL));
  const farrier = join(bin, "farrier");
  writeFileSync(farrier, `#!/bin/sh\nexec "${process.execPath}" "${join(repositoryRoot, "src", "main.ts")}" "$@"\n`);
  chmodSync(farrier, 0o755);
  const run = (command: string, kubeconfig: string, input = ""): Promise<Ran> => {
    const env = { PATH: [bin, process.env.PATH].join(delimiter), HOME: bin, KUBECONFIG: kubeconfig };
    const child = spawn("bash", ["-c", command], { cwd: folder, env, stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.end(input);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (text += bytes));
    return new Promise((resolve, reject) => child.on("error", reject).on("close", (code) => resolve({ code, text })));
  };
  return {
    folder,
    type: async (page, { command, answer, line }, kubeconfig) => {
      const { code, text } = await run(command, kubeconfig);
      const isFine = isEndOf(command, code) && isAsPromised(linesOf(text), answer);
      return isFine ? "" : `${page}:${line}: ${command}\n${text}`;
    },
    ask: async (command, kubeconfig, input) => {
      const { code, text } = await run(command, kubeconfig, input);
      if (code !== 0) throw new Error(`${command}: ${text}`);
      return text;
    },
    close: () => {
      for (const each of [folder, bin]) rmSync(each, { recursive: true, force: true });
    },
  };
}

function isEndOf(command: string, code: number | null): boolean {
  return code === 0 || (code === 1 && COMPARING.test(command));
}

// A program that reads its kubeconfig and does the rest by itself: the operator, or a controller manager of others.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PRODUCT_ENV } from "../product.ts";
import type { RealPlane } from "../real-plane.ts";
import type { AskedKind } from "../scene.ts";
import { askedBy, type Contestant } from "./contestant.ts";

export type ProgramCall = { readonly command: string; readonly args: readonly string[] };

export type ProcessContestant = {
  readonly name: string;
  readonly user: string;
  readonly kind: AskedKind;
  call(plane: RealPlane, kubeconfig: string): Promise<ProgramCall>;
  /** Resolves when it is ready for the story. */
  ready(plane: RealPlane): Promise<void>;
};

const END_MS_MAX = 10_000;
const WORDS_CHARS_MAX = 2_000;

/** Starts the program with its words in a file of the cluster's folder. */
export function processContestant({ name, user, kind, call, ready }: ProcessContestant): Contestant {
  return {
    name,
    user,
    async start(plane) {
      const { command, args } = await call(plane, plane.cluster.kubeconfigFile(user));
      const file = join(plane.cluster.folder, `${user}.log`);
      const words = openSync(file, "a");
      const child = spawn(command, args, { stdio: ["ignore", words, words], env: { ...process.env, ...PRODUCT_ENV } });
      closeSync(words);
      await Promise.race([ready(plane), endOf(child, { name, file })]).catch(async (error) => {
        await end(child);
        throw error;
      });
      if (child.pid === undefined) throw new Error(`${name} could not be started`);
      return { pid: child.pid, prepare: askedBy(plane, kind), stop: () => end(child) };
    },
  };
}

/** Rejects when the program ends, with its last words. */
async function endOf(child: ChildProcess, { name, file }: { readonly name: string; readonly file: string }) {
  await once(child, "exit");
  throw new Error(`${name} has ended before it was ready:\n${readFileSync(file, "utf8").slice(-WORDS_CHARS_MAX)}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const killer = setTimeout(() => child.kill("SIGKILL"), END_MS_MAX);
  child.kill("SIGTERM");
  await once(child, "exit");
  clearTimeout(killer);
}

// The programs that are compared. Each run is a process of its own, so that no subject profits from what another has left
// behind: no warm code, no open connections, no grown heap.
import { fork } from "node:child_process";
import { build } from "esbuild";
import type { Cost } from "./cost.ts";
import type { ServerProcess } from "./server-process.ts";
import type { Job, SubjectReport } from "./subject.ts";
import type { Workload } from "./workloads.ts";

export type Program = { readonly name: string; readonly entry: string; readonly flags: readonly string[] };

/** A subject that has not finished by then never will. */
const RUN_MS_MAX = 180_000;

/** Bundles a peer into one file without types; its packages stay outside where they are installed. */
export async function bundle(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node24",
    logLevel: "error",
  });
}

/** Does a workload once in a fresh process of the program; throws when it fails or did something else. */
export async function runOnce(program: Program, workload: Workload, server: ServerProcess): Promise<Cost> {
  const before = await server.connections();
  const { objects, cost } = await report(program, {
    workload: workload.name,
    target: { url: server.url, ca: server.ca },
  });
  if (objects !== workload.objects) {
    throw new Error(`${program.name}, ${workload.title}: ${objects} objects at the end, not ${workload.objects}`);
  }
  return { ...cost, connections: (await server.connections()) - before };
}

function report(program: Program, job: Job): Promise<SubjectReport> {
  return new Promise((resolve, reject) => {
    const child = fork(program.entry, [JSON.stringify(job)], {
      execArgv: [...program.flags],
      timeout: RUN_MS_MAX,
      killSignal: "SIGKILL",
    });
    let said: SubjectReport | undefined;
    child.once("message", (message: SubjectReport) => {
      said = message;
      child.kill("SIGKILL");
    });
    child.once("exit", (code, signal) => {
      if (said !== undefined) resolve(said);
      else
        reject(
          new Error(`${program.name}, ${job.workload}: no result (exit ${code ?? signal}); its last words are above`),
        );
    });
  });
}

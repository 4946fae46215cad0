// The frame around a subject, in the subject's own process: one workload, measured from its first call to its result.
// Starting Node and loading code is not counted, except in the peak of memory, where it stays for as long as a process lives.
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Cost } from "./cost.ts";
import type { WorkloadName } from "./workloads.ts";

export type Target = { readonly url: string; readonly ca: string };

/** What a subject can do; each work resolves to the number of objects it has patched, or holds at its end. */
export type Subject = Readonly<Record<WorkloadName, (target: Target) => Promise<number>>>;

export type Job = { readonly workload: WorkloadName; readonly target: Target };

/** What a subject's process tells its parent. */
export type SubjectReport = { readonly objects: number; readonly cost: Omit<Cost, "connections"> };

const TICK_MS = 5;

/** Does the job that the command line names, sends the report to the parent process and waits for its end. */
export async function runAsSubject(subject: Subject): Promise<void> {
  const { workload, target }: Job = JSON.parse(process.argv[2] ?? "");
  const delay = monitorEventLoopDelay({ resolution: TICK_MS });
  delay.enable();
  const startCpu = process.cpuUsage();
  const startMs = performance.now();
  const objects = await subject[workload](target);
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(startCpu);
  delay.disable();
  const blockMs = Math.max(0, delay.max / 1e6 - TICK_MS);
  const report: SubjectReport = { objects, cost: { wallMs, cpuMs: (user + system) / 1e3, peakMb: peakMb(), blockMs } };
  // The parent ends this process: one that ends itself while the engine's own threads are busy may wait for them for ever.
  process.send?.(report);
}

/**
 * The most memory that this process ever had. The kernel's count of resources is no help where it can be avoided: it
 * begins with the size of the process that started this one.
 */
function peakMb(): number {
  const kb =
    process.platform === "linux" ? /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] : "";
  return (kb ? Number(kb) : process.resourceUsage().maxRSS) / 1024;
}

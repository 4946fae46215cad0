// What a process has cost so far, as the kernel counts it: it is asked from outside, so that every contestant is measured alike.
import { readFileSync } from "node:fs";

export type ProcessUsage = {
  /** User and system time of all its threads. */
  readonly cpuMs: number;
  /** The most memory that it ever had. */
  readonly peakMb: number;
};

/** Linux counts processor time in hundredths of a second on every architecture that we know. */
const MS_PER_TICK = 10;
/** Places in /proc/PID/stat behind the name, which may hold blanks and ends with the last parenthesis. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** Reads what a running process has used; throws when it has ended. */
export function usageOf(pid: number): ProcessUsage {
  return parseUsage(readFileSync(`/proc/${pid}/stat`, "utf8"), readFileSync(`/proc/${pid}/status`, "utf8"));
}

/** The usage that the two files tell. */
export function parseUsage(stat: string, status: string): ProcessUsage {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
  const [, peakKb] = /VmHWM:\s+(\d+) kB/.exec(status) ?? [];
  if (!Number.isFinite(ticks) || peakKb === undefined) throw new Error(`no usage can be read from "${stat}"`);
  return { cpuMs: ticks * MS_PER_TICK, peakMb: Number(peakKb) / 1024 };
}

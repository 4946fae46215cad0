// The process that owns a cluster's programs. It starts what its parent asks for over a pipe, each program in a
// session of its own, and reports exits. When the pipe closes, for whatever reason (kill -9 included), it kills
// every program it started, removes the cluster's folder and ends. Run as: node supervisor.ts FOLDER
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";

export type Order = {
  readonly id: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly logFile: string;
};

export type Report =
  | { readonly event: "started"; readonly id: number; readonly pid: number }
  | { readonly event: "refused"; readonly id: number; readonly message: string }
  | { readonly event: "exited"; readonly id: number; readonly code: number | null; readonly signal: string | null };

function supervise(folder: string): void {
  const children = new Map<number, ChildProcess>();
  let ending = false;

  const report = (report: Report) => process.stdout.write(`${JSON.stringify(report)}\n`);

  const finishWhenAllGone = () => {
    if (!ending || children.size > 0) return;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    process.exit(0);
  };

  const start = (order: Order) => {
    const log = openSync(order.logFile, "a");
    const child = spawn(order.command, order.args, { cwd: folder, detached: true, stdio: ["ignore", log, log] });
    closeSync(log);
    children.set(order.id, child);
    child.on("spawn", () => report({ event: "started", id: order.id, pid: child.pid ?? 0 }));
    child.on("error", (error) => {
      if (child.pid !== undefined) return;
      children.delete(order.id);
      report({ event: "refused", id: order.id, message: error.message });
      finishWhenAllGone();
    });
    child.on("exit", (code, signal) => {
      children.delete(order.id);
      report({ event: "exited", id: order.id, code, signal });
      finishWhenAllGone();
    });
  };

  const end = () => {
    if (ending) return;
    ending = true;
    for (const child of children.values()) killGroup(child.pid);
    finishWhenAllGone();
  };

  // Nobody may be left to read the reports; that must not stop the cleaning up.
  process.stdout.on("error", () => {});
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, end);
  const orders = createInterface({ input: process.stdin });
  orders.on("line", (line) => {
    if (!ending) start(JSON.parse(line));
  });
  orders.on("close", end);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself; its exit is on the way to us.
  }
}

const folder = process.argv[2];
if (import.meta.main && folder !== undefined) supervise(folder);

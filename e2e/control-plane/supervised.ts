// The parent's side of the supervisor: start programs that cannot outlive us, and learn when they end.
// Caveat: only if we and the supervisor are killed with SIGKILL at the same instant do the programs stay behind.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Order, Report } from "./supervisor.ts";

export type Exit = { readonly code: number | null; readonly signal: string | null };

export type Running = {
  readonly pid: number;
  /** Resolves when the program has ended, however it did. */
  readonly exited: Promise<Exit>;
  hasExited(): boolean;
};

export interface Supervised {
  readonly supervisorPid: number;
  /** Starts a program; rejects when it cannot be started at all. */
  start(command: string, args: readonly string[], logFile: string): Promise<Running>;
  /** Kills every program and removes the folder; resolves when both are done. */
  end(): Promise<void>;
}

type Entry = {
  readonly onStart: (pid: number) => void;
  readonly onRefused: (error: Error) => void;
  readonly onExit: (exit: Exit) => void;
  pid: number | undefined;
};

/** Starts a supervisor that owns `folder` and everything started through it. */
export function superviseIn(folder: string): Supervised {
  const supervisor = spawn(process.execPath, [join(import.meta.dirname, "supervisor.ts"), folder], {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  return new SupervisedFolder(folder, supervisor);
}

class SupervisedFolder implements Supervised {
  readonly #folder: string;
  readonly #supervisor: ChildProcessByStdio<Writable, Readable, null>;
  readonly #gone: Promise<unknown>;
  readonly #entries = new Map<number, Entry>();
  #nextId = 0;

  constructor(folder: string, supervisor: ChildProcessByStdio<Writable, Readable, null>) {
    this.#folder = folder;
    this.#supervisor = supervisor;
    this.#gone = once(supervisor, "close");
    supervisor.on("close", () => this.#cleanUpAfterSupervisor());
    supervisor.stdin.on("error", () => {});
    createInterface({ input: supervisor.stdout }).on("line", (line) => this.#hear(JSON.parse(line)));
  }

  get supervisorPid(): number {
    return this.#supervisor.pid ?? 0;
  }

  start(command: string, args: readonly string[], logFile: string): Promise<Running> {
    const id = this.#nextId++;
    const order: Order = { id, command, args, logFile };
    return new Promise((resolve, reject) => {
      let ended = false;
      let onExit: (exit: Exit) => void = () => {};
      const exited = new Promise<Exit>((settle) => {
        onExit = (exit) => {
          ended = true;
          settle(exit);
        };
      });
      const onStart = (pid: number) => resolve({ pid, exited, hasExited: () => ended });
      this.#entries.set(id, { onStart, onRefused: reject, onExit, pid: undefined });
      this.#supervisor.stdin.write(`${JSON.stringify(order)}\n`);
    });
  }

  async end(): Promise<void> {
    this.#supervisor.stdin.end();
    await this.#gone;
  }

  #hear(report: Report): void {
    const entry = this.#entries.get(report.id);
    if (entry === undefined) return;
    switch (report.event) {
      case "started":
        entry.pid = report.pid;
        entry.onStart(report.pid);
        break;
      case "refused":
        this.#entries.delete(report.id);
        entry.onRefused(new Error(`cannot start: ${report.message}`));
        break;
      case "exited":
        this.#entries.delete(report.id);
        entry.onExit({ code: report.code, signal: report.signal });
        break;
    }
  }

  /** After an orderly end nothing is left to do; if the supervisor was killed, its work falls to us. */
  #cleanUpAfterSupervisor(): void {
    for (const entry of this.#entries.values()) {
      if (entry.pid !== undefined) killGroup(entry.pid);
      entry.onRefused(new Error("the supervisor has ended"));
      entry.onExit({ code: null, signal: "SIGKILL" });
    }
    this.#entries.clear();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}

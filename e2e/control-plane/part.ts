// One program of the control plane: start it and know that it answers, kill it, freeze it, start it again.
import { existsSync, readFileSync } from "node:fs";
import { eventually } from "./eventually.ts";
import { portFreed } from "./free-ports.ts";
import type { Running, Supervised } from "./supervised.ts";

export type PartSpec = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly ports: readonly number[];
  readonly logFile: string;
  /** True once the program serves; may throw while it does not. */
  readonly isReady: () => Promise<boolean>;
};

const READY_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 15_000;
const LOG_TAIL_LINES = 8;

/** A program ended while it should have come up; the message holds the end of its log. */
export class PartFailed extends Error {}

export class Part {
  readonly #spec: PartSpec;
  readonly #supervised: Supervised;
  #running: Running | undefined;

  constructor(spec: PartSpec, supervised: Supervised) {
    this.#spec = spec;
    this.#supervised = supervised;
  }

  get name(): string {
    return this.#spec.name;
  }

  get isRunning(): boolean {
    return this.#running !== undefined && !this.#running.hasExited();
  }

  /** The process id; throws when the part is not running. */
  get pid(): number {
    if (this.#running === undefined || this.#running.hasExited()) throw new Error(`${this.name} is not running`);
    return this.#running.pid;
  }

  /** What it is started with. */
  get args(): readonly string[] {
    return this.#spec.args;
  }

  /** Starts the program on the same ports and data as before; resolves when it serves. */
  async start(): Promise<void> {
    if (this.isRunning) throw new Error(`${this.name} is running already`);
    await Promise.all(this.#spec.ports.map(portFreed));
    const running = await this.#supervised.start(this.#spec.command, this.#spec.args, this.#spec.logFile);
    this.#running = running;
    await this.ready();
  }

  /** Resolves when the program serves; rejects as soon as it has ended. */
  async ready(): Promise<void> {
    const probe = async () => {
      if (!this.isRunning) return "ended";
      return (await this.#spec.isReady()) ? "serves" : undefined;
    };
    const state = await eventually(`${this.name} is ready`, probe, { deadlineMs: READY_DEADLINE_MS });
    if (state === "ended") throw await this.#failure();
  }

  /** SIGKILL; resolves when the process is gone. Its port may stay taken for a moment: `start` waits for that. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** SIGTERM, so that it shuts down in good order; resolves when the process is gone. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  /** SIGSTOP: alive, holding its connections, answering nothing. */
  freeze(): void {
    process.kill(this.pid, "SIGSTOP");
  }

  /** SIGCONT after `freeze`. */
  thaw(): void {
    process.kill(this.pid, "SIGCONT");
  }

  /** SIGKILL, then start again. */
  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Resolves with a sentence when the program that runs now has ended. */
  async ended(): Promise<string> {
    const exit = await this.#running?.exited;
    return `${this.name} ended with ${exit?.signal ?? exit?.code}; the end of its log:\n${this.#logTail()}`;
  }

  /** Everything it has printed so far. */
  log(): string {
    return existsSync(this.#spec.logFile) ? readFileSync(this.#spec.logFile, "utf8") : "";
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const running = this.#running;
    if (running === undefined || running.hasExited()) return;
    process.kill(running.pid, signal);
    await eventually(`${this.name} has ended`, () => running.hasExited() || undefined, {
      deadlineMs: STOP_DEADLINE_MS,
    });
  }

  async #failure(): Promise<PartFailed> {
    const exit = await this.#running?.exited;
    const end = `${this.name} ended with ${exit?.signal ?? exit?.code}`;
    return new PartFailed(`${end} before it served:\n${this.#logTail()}`);
  }

  #logTail(): string {
    return this.log().trim().split("\n").slice(-LOG_TAIL_LINES).join("\n");
  }
}

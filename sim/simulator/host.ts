// A place where a process runs: it gives every life of it fresh ports, and starts the next one after a crash.
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { Logger } from "../../src/runtime/log/log.ts";
import { type Fault, type FaultSpec, type Faults, slowMsOf } from "./faults/faults.ts";
import { Incarnation } from "./incarnation.ts";
import type { Start } from "./ports.ts";
import type { Lane, Processor } from "./processor.ts";
import type { Trace } from "./trace.ts";

export type HostOptions = {
  /** Names the process in traces, and its faults. */
  readonly role: string;
  readonly start: Start;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly trace: Trace;
  readonly processor: Processor;
  readonly rand: (name: string) => Rand;
  readonly link: (incarnation: Incarnation) => Transport;
  readonly uncaught: (role: string, error: unknown) => void;
};

/** The faults of a process by itself, at their worst. */
export function hostFaults(role: string): readonly FaultSpec[] {
  return [
    { name: `${role}-slow-restart`, rate: 0.5 },
    { name: `${role}-clock-rate`, rate: 0.5 },
    { name: `${role}-timer-early`, rate: 0.1 },
    { name: `${role}-timer-late`, rate: 0.02 },
    { name: `${role}-dies-at-timer`, rate: 0.005 },
  ];
}

/** Clocks at half or double speed: no lease can promise anything then, so a scenario with them cannot ask who sends. */
export function wildClocks(role: string): readonly FaultSpec[] {
  return [{ name: `${role}-clock-wild`, rate: 0.5 }];
}

export const RESTART_MS = 500;
/** How wrong a clock's speed can be: less than a leader's margin allows. */
const clockRates = [0.95, 1.05, 0.9, 1.1];
const wildRates = [0.5, 2, 0.7, 1.5];
/** A timer may fire before monotonic time says so: by the grain of a real one, or as much as its clock may be wrong. */
const itsStart: Lane = { name: "start", isInOrder: true };
const earlyTimers: readonly ((delayMs: number) => number)[] = [(ms) => ms - 1, (ms) => ms * 0.9];

export class Host {
  readonly #options: HostOptions;
  readonly #restart: Fault;
  readonly #clockRate: Fault;
  readonly #clockWild: Fault;
  readonly #early: Fault;
  readonly #late: Fault;
  readonly #timerDeath: Fault;
  /** Until when which stream is clogged, and from when on; every stream that there was has an entry. */
  readonly #clogs = new Map<string, { readonly fromMs: number; readonly untilMs: number }>();
  #lives: Incarnation[] = [];
  #cutOffUntilMs = 0;
  #distrustedUntilMs = 0;
  #born = 0;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#restart = options.faults.fault(`${options.role}-slow-restart`);
    this.#clockRate = options.faults.fault(`${options.role}-clock-rate`);
    this.#clockWild = options.faults.fault(`${options.role}-clock-wild`);
    this.#early = options.faults.fault(`${options.role}-timer-early`);
    this.#late = options.faults.fault(`${options.role}-timer-late`);
    this.#timerDeath = options.faults.fault(`${options.role}-dies-at-timer`);
    this.#begin();
  }

  get role(): string {
    return this.#options.role;
  }

  /** The lives that go on, the oldest first. */
  get lives(): readonly Incarnation[] {
    return this.#lives;
  }

  /** For how long the network of this place lets nothing through from now on. */
  get heldUpMs(): number {
    return Math.max(0, this.#cutOffUntilMs - this.#options.clock.monotonicMs());
  }

  /** Nothing comes or goes for a while; then all of it arrives. */
  cutOff(forMs: number): void {
    this.#cutOffUntilMs = this.#options.clock.monotonicMs() + forMs;
  }

  /** The paths of all streams that the process has had. */
  get streams(): readonly string[] {
    return [...this.#clogs.keys()].sort();
  }

  /** For how long nothing comes through a stream from now on. */
  cloggedMs(path: string): number {
    const nowMs = this.#options.clock.monotonicMs();
    const clog = this.#clogs.get(path);
    if (clog === undefined) this.#clogs.set(path, { fromMs: 0, untilMs: 0 });
    return clog !== undefined && clog.fromMs <= nowMs ? Math.max(0, clog.untilMs - nowMs) : 0;
  }

  /** A stream lets nothing through for a while, which begins later. */
  clog(path: string, inMs: number, forMs: number): void {
    const fromMs = this.#options.clock.monotonicMs() + inMs;
    this.#clogs.set(path, { fromMs, untilMs: fromMs + forMs });
  }

  /** Whether a new connection comes about: certificates are looked at when it is made. */
  get isTrusted(): boolean {
    return this.#distrustedUntilMs <= this.#options.clock.monotonicMs();
  }

  /** For a while no new connection comes about; those that are there go on. */
  distrust(forMs: number): void {
    this.#distrustedUntilMs = this.#options.clock.monotonicMs() + forMs;
  }

  /** Starts the next life while the last one goes on, as when a leader does not know yet that it is none. */
  double(): void {
    this.#begin();
  }

  /** Ends the troubles of all lives but the newest: the processes that are not wanted are gone, the wanted one runs. */
  calm(): void {
    this.#cutOffUntilMs = 0;
    this.#distrustedUntilMs = 0;
    for (const path of this.#clogs.keys()) this.clog(path, 0, 0);
    for (const old of this.#lives.slice(0, -1)) old.crash();
    for (const life of this.#lives) {
      life.clock.setWallRight();
      life.resume();
    }
  }

  #begin(): void {
    const { role, start, clock, faults, trace, processor, rand, link, uncaught } = this.#options;
    this.#born += 1;
    const name = `${role}.${this.#born}`;
    const rate = this.#rate();
    const life = new Incarnation({
      ...{ name, clock, rate, uncaught: (error) => uncaught(name, error) },
      timerMs: (delayMs) => this.#timerMs(delayMs),
      diesAtTimer: () => this.#diesAtTimer(name),
      run: (lane, work) => processor.run(role, lane, work),
    });
    this.#lives.push(life);
    life.atDeath(() => this.#ended(life));
    trace.add(name, rate === 1 ? "starts" : `starts, its clock at ${rate}`);
    const ports = {
      identity: name,
      transport: link(life),
      clock: life.clock,
      rand: rand(name),
      log: tracingLog(trace, name),
    };
    life.deliver(itsStart, () => start(ports));
    if (faults.areOver) this.calm();
  }

  /** How fast the clock of the next life is. */
  #rate(): number {
    if (this.#clockWild.strikes()) return wildRates[this.#clockWild.pick(wildRates.length)] ?? 1;
    return this.#clockRate.strikes() ? (clockRates[this.#clockRate.pick(clockRates.length)] ?? 1) : 1;
  }

  #timerMs(delayMs: number): number {
    if (this.#late.strikes()) return delayMs + slowMsOf(this.#late);
    return this.#early.strikes() ? (earlyTimers[this.#early.pick(earlyTimers.length)]?.(delayMs) ?? delayMs) : delayMs;
  }

  #diesAtTimer(name: string): boolean {
    const dies = this.#timerDeath.strikes();
    if (dies) this.#options.trace.add(name, "dies when a timer is due");
    return dies;
  }

  #ended(life: Incarnation): void {
    this.#lives = this.#lives.filter((other) => other !== life);
    if (this.#lives.length > 0) return;
    const delayMs = this.#restart.strikes() ? slowMsOf(this.#restart) : RESTART_MS;
    this.#options.clock.after(delayMs, () => {
      if (this.#lives.length === 0) this.#begin();
    });
  }
}

/** Only what went wrong: the rest would drown the trace. */
function tracingLog(trace: Trace, name: string): Logger {
  const say = (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
    const { error, key } = fields;
    const parts = [message, typeof key === "string" ? key : "", error instanceof Error ? error.message : ""];
    trace.add(name, `says: ${parts.filter((part) => part !== "").join(": ")}`);
  };
  const log: Logger = {
    ...{ debug: ignore, info: ignore, warn: say, error: say },
    with: (bound) => {
      const sayWith = (message: string, fields = {}) => say(message, { ...bound, ...fields });
      return { ...log, warn: sayWith, error: sayWith };
    },
  };
  return log;
}

function ignore(): void {}

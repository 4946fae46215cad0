// The order in which the program comes up and goes down: first it serves (probes, webhooks), then it observes (caches),
// then it leads; it stops the other way round, so that nothing acts on what is no longer watched.
//
// The folders of runtime/, in the order in which a process meets them:
//   queue/controller.ts             from changes to runs, one worker per key
//   lease/leadership.ts             who may act
//   certificates/certificates.ts    serving certificates that replicas share
//   http/health.ts                  routes, probes and the port to registries
//   log/log.ts, metrics/metrics.ts  what people read
//   node/node-clock.ts              binds the ports to Node
import type { Clock } from "../kube/clock.ts";
import { withinTime } from "../kube/within-time.ts";
import type { Logger } from "./log/log.ts";

export type Phase = "serve" | "observe" | "lead";

export interface Part {
  readonly name: string;
  readonly phase: Phase;
  /** Resolves when the part works; `died` is for trouble after that from which it cannot recover. */
  start(context: { readonly signal: AbortSignal; readonly died: (error: unknown) => void }): Promise<void>;
  /** Ends the part; whatever it does should be over after `drainMs`. */
  stop(drainMs: number): Promise<void>;
}

export type LifecycleLimits = {
  /** For each part to start. */
  readonly startMs: number;
  /** For all parts together to stop; shorter than the grace period of the pod. */
  readonly stopMs: number;
};

export const LIFECYCLE_LIMITS: LifecycleLimits = { startMs: 120_000, stopMs: 25_000 };

/** How the program ended: 0 when it was asked to stop and did, 1 otherwise. */
export type Ending = {
  readonly code: 0 | 1;
  readonly why: string;
  /** Parts that did not stop in time. */
  readonly unstopped: readonly string[];
};

export type LifecyclePorts = { readonly clock: Clock; readonly log: Logger; readonly limits?: LifecycleLimits };

const phases: readonly Phase[] = ["serve", "observe", "lead"];

/** A part is asked to be done after this much of its time, and given up at the end of it. */
const DRAIN_SHARE = 0.6;

/** Starts all parts in order, waits until `stop` is aborted or a part dies, and stops them in reverse. */
export async function runParts(parts: readonly Part[], stop: AbortSignal, ports: LifecyclePorts): Promise<Ending> {
  const started: Part[] = [];
  const trouble = await liveUntilTrouble(parts, started, stop, ports);
  const why = trouble?.message ?? "asked to stop";
  if (trouble === undefined) ports.log.info("stopping", { why });
  else ports.log.error("stopping", { why, error: trouble });
  const unstopped = await stopAll(started, ports);
  return { code: trouble === undefined && unstopped.length === 0 ? 0 : 1, why, unstopped };
}

/** What the n-th signal to end means, counted from 1: first in good order, then at once. */
export function decideOnSignal(count: number): "stop" | "exit" {
  return count <= 1 ? "stop" : "exit";
}

/** Resolves when the program must end: with the reason, or with nothing when it was asked to. */
async function liveUntilTrouble(
  parts: readonly Part[],
  started: Part[],
  stop: AbortSignal,
  ports: LifecyclePorts,
): Promise<Error | undefined> {
  // Aborted when the program ends for whatever reason, so that no part goes on starting.
  const living = new AbortController();
  const death = Promise.withResolvers<Error>();
  const end = () => living.abort(stop.reason);
  stop.addEventListener("abort", end, { once: true });
  if (stop.aborted) end();
  const start = (part: Part) => {
    // Noted before it starts: one that fails half-way has something to clean up, too.
    started.push(part);
    return startOne(part, living.signal, death.resolve, ports);
  };
  const startAll = async () => {
    for (const phase of phases) {
      const failures = await Promise.all(parts.filter((part) => part.phase === phase).map(start));
      const failure = failures.find((one) => one !== undefined);
      if (failure !== undefined) return failure;
      if (living.signal.aborted) return undefined;
      ports.log.info("phase started", { phase });
    }
    return aborted(living.signal);
  };
  const trouble = await Promise.race([startAll(), death.promise]);
  living.abort(trouble);
  return trouble;
}

/** Undefined when the part has started or need not any more, otherwise why it cannot. */
async function startOne(
  part: Part,
  signal: AbortSignal,
  onDeath: (error: Error) => void,
  { clock, limits }: LifecyclePorts,
): Promise<Error | undefined> {
  const { startMs } = limits ?? LIFECYCLE_LIMITS;
  const trouble = (doing: string, error: unknown) =>
    new Error(`part "${part.name}" ${doing}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  const late = () => new Error(`it takes longer than ${startMs} ms`);
  const died = (error: unknown) => onDeath(trouble("died", error));
  try {
    await withinTime(clock, { timeoutMs: startMs, signal, late }, (inner) => part.start({ signal: inner, died }));
    return undefined;
  } catch (error) {
    return signal.aborted ? undefined : trouble("cannot start", error);
  }
}

/** Each phase gets an equal share of the time that is left, so one that hangs does not cost the others theirs. */
async function stopAll(started: readonly Part[], ports: LifecyclePorts): Promise<readonly string[]> {
  const { clock, log } = ports;
  const endMs = clock.monotonicMs() + (ports.limits ?? LIFECYCLE_LIMITS).stopMs;
  const unstopped: string[] = [];
  for (const [index, phase] of [...phases].reverse().entries()) {
    const shareMs = Math.max(0, endMs - clock.monotonicMs()) / (phases.length - index);
    const stopOne = async (part: Part) => {
      const late = () => new Error(`it takes longer than ${Math.round(shareMs)} ms`);
      await withinTime(clock, { timeoutMs: shareMs, late }, () => part.stop(shareMs * DRAIN_SHARE)).catch((error) => {
        log.error("a part does not stop", { part: part.name, error });
        unstopped.push(part.name);
      });
    };
    await Promise.all(started.filter((part) => part.phase === phase).map(stopOne));
  }
  return unstopped.sort();
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

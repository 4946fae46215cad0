// Starts models of Kubernetes' own controllers against any API server: one call is one process, with caches and memory of its
// own. Ending it is a crash: nothing more is sent, nothing is remembered, and a new call begins from the cluster alone.
//
// Guarantees: after `stop` no request leaves; every write is safe to repeat from an old cache, as with the real ones.

import type { Client } from "../../src/kube/client/client.ts";
import { createClient } from "../../src/kube/client/create-client.ts";
import { type Clock, pause } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { EventRecorder } from "../../src/runtime/log/event-recorder.ts";
import type { Logger } from "../../src/runtime/log/log.ts";
import { Controller, type Reconcile } from "../../src/runtime/queue/controller.ts";
import { MODEL_EVENT_LIMITS } from "../nodes/model-event-limits.ts";
import { mortalTransport } from "../nodes/mortal-transport.ts";
import { quietLog } from "../nodes/quiet-log.ts";
import { Caches } from "./caches.ts";
import type { BuildModel } from "./controller-model.ts";
import { daemonSetController } from "./daemon-set/daemon-set-controller.ts";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { jobController } from "./job/job-controller.ts";
import { namespaceController } from "./namespace/namespace-controller.ts";
import { nodeLifecycle } from "./node-lifecycle/node-lifecycle.ts";
import { podGc } from "./pod-gc/pod-gc.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { serviceAccountController } from "./service-account/service-account-controller.ts";
import { type Tell, tellNobody } from "./tell.ts";

const models = {
  "daemon-set": daemonSetController,
  "garbage-collector": garbageCollector,
  job: jobController,
  namespace: namespaceController,
  "node-lifecycle": nodeLifecycle,
  "pod-gc": podGc,
  scheduler,
  "service-account": serviceAccountController,
} satisfies Readonly<Record<string, BuildModel>>;

export type ControllerName = keyof typeof models;

/** A random time between the two passes before each run: keys overtake each other, and pictures get old. */
export type Pace = { readonly minMs: number; readonly maxMs: number };

export type ControllersOptions = {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log?: Logger;
  /** Which controllers this process runs; all of them by default. */
  readonly names?: readonly ControllerName[];
  /** How slow each of them is; without a pace it runs as soon as it is woken. */
  readonly pace?: Readonly<Partial<Record<ControllerName, Pace>>>;
  /** How long a node may be silent before it counts as lost. */
  readonly nodeGraceSeconds?: number;
  /** Whether they write Events about what they do; they do not unless asked. */
  readonly tellsEvents?: boolean;
};

export type RunningControllers = {
  /** Resolves when all caches hold their first list and the controllers work; rejects when the process ends before. */
  readonly ready: Promise<void>;
  /** Ends the process at once, as a crash would; resolves when nothing of it is left. */
  stop(): Promise<void>;
};

/** Every controller there is. */
export const controllerNames: readonly ControllerName[] = Object.keys(models).filter(isControllerName).sort();

const NODE_GRACE_SECONDS = 40;
const RUN_TIMEOUT_MS = 60_000;
const KEYS_MAX = 500_000;
/** As in kube-controller-manager, but never so long that a test has to wait for minutes. */
const BACK_OFF = { baseMs: 5, maxMs: 30_000 };

/** Starts the controllers; returns at once. */
export function startControllers(options: ControllersOptions): RunningControllers {
  const { clock, rand, log = quietLog, names = controllerNames } = options;
  const life = new AbortController();
  const transport = mortalTransport(options.transport, life.signal);
  const caches = new Caches({ transport, clock, rand, log }, life.signal);
  const recorders: EventRecorder[] = [];
  const tellOf = (name: ControllerName, client: Client): Tell => {
    if (options.tellsEvents !== true) return tellNobody;
    const component = components[name] ?? ownerNameOf(name);
    const limits = MODEL_EVENT_LIMITS;
    const recorder = new EventRecorder({ client, clock, rand, log, component, instance: component, limits });
    recorders.push(recorder);
    return (happening) => recorder.record(happening);
  };
  const controllers = names.map((name) => {
    const client = createClient({ transport, clock, rand, fieldManager: ownerNameOf(name) });
    const nodeGraceSeconds = options.nodeGraceSeconds ?? NODE_GRACE_SECONDS;
    const model = models[name]({
      ...{ client, caches, clock, rand, log, nodeGraceSeconds, signal: life.signal },
      tell: tellOf(name, client),
    });
    const pace = options.pace?.[name];
    const { maxMs: slownessMs } = pace ?? { maxMs: 0 };
    return new Controller(
      {
        ...{ name, sources: model.sources, workers: model.workers, timeoutMs: RUN_TIMEOUT_MS + slownessMs },
        reconcile: pace === undefined ? model.reconcile : paced(model.reconcile, pace, clock, rand),
        queue: { backOff: BACK_OFF, spacingMs: model.spacingMs, keysMax: KEYS_MAX },
      },
      { clock, rand, log },
    );
  });
  const ready = caches.synced().then(() => {
    life.signal.throwIfAborted();
    for (const controller of controllers) controller.start();
  });
  // Whoever stops before that need not wait for it.
  ready.catch(() => undefined);
  return {
    ready,
    async stop() {
      life.abort(new Error("the controllers are stopped"));
      await Promise.all([...controllers, ...recorders].map((part) => part.stop(0)));
    },
  };
}

/** Under which names their events go. */
const components: Readonly<Partial<Record<ControllerName, string>>> = {
  "daemon-set": "daemonset-controller",
  job: "job-controller",
  "node-lifecycle": "node-controller",
  scheduler: "default-scheduler",
};

function isControllerName(name: string): name is ControllerName {
  return Object.hasOwn(models, name);
}

function ownerNameOf(name: ControllerName): string {
  return name === "scheduler" ? "kube-scheduler" : "kube-controller-manager";
}

function paced(reconcile: Reconcile, { minMs, maxMs }: Pace, clock: Clock, rand: Rand): Reconcile {
  return async (key, run) => {
    await pause(clock, minMs + (maxMs - minMs) * rand.next(), run.signal);
    return reconcile(key, run);
  };
}

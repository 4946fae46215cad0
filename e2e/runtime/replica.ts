// A small operator of which several replicas run: whoever leads counts in one ConfigMap and repeats each count in another,
// through a client that is fenced by the term. The patches name no version on purpose: nothing but the fence keeps a former
// leader from writing.
// Run as: node replica.ts '{"kubeconfig": …}' (see ReplicaOptions)
import type { Client } from "../../src/kube/client/client.ts";
import { createClient } from "../../src/kube/client/create-client.ts";
import { loadConfig } from "../../src/kube/config/config.ts";
import { type Leadership, type Term, uniqueIdentity } from "../../src/runtime/lease/leadership.ts";
import { type LeadershipLimits, LeaseLeadership } from "../../src/runtime/lease/lease-leadership.ts";
import { fenceWrites } from "../../src/runtime/lease/write-fence.ts";
import { runParts } from "../../src/runtime/lifecycle.ts";
import { createLog } from "../../src/runtime/log/log.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { nodeFiles, nodePrograms } from "../../src/runtime/node/node-files.ts";
import { streamDestination } from "../../src/runtime/node/node-log-destination.ts";
import { nodeRand } from "../../src/runtime/node/node-rand.ts";
import { createNodeTransport } from "../../src/runtime/node/node-transport.ts";
import { Controller, type ControllerOptions, type Reconcile } from "../../src/runtime/queue/controller.ts";
import type { Source } from "../../src/runtime/queue/intake.ts";
import { configMaps } from "./config-maps.ts";

export type ReplicaOptions = {
  readonly name: string;
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly lease: string;
  readonly limits: LeadershipLimits;
};

/** The ConfigMap in which the leader counts, and the one that repeats it: a second write that follows on the first at once. */
export const COUNTER = "counter";
export const ECHO = "echo";

const COUNT_EVERY_MS = 50;
const STOP_WITHIN_MS = 2_000;
/** Longer than any lease of these tests: it is not this that ends what a former leader was doing. */
const RUN_TIMEOUT_MS = 60_000;
const BACK_OFF = { baseMs: 50, maxMs: 500 };

async function runReplica(options: ReplicaOptions, stop: AbortSignal): Promise<void> {
  const clock = nodeClock();
  const rand = nodeRand();
  const log = createLog(streamDestination(process.stdout), clock, { level: "debug" });
  const parts = { files: nodeFiles(), programs: nodePrograms(clock), clock, env: {} };
  const { server, credentials } = await loadConfig(parts, { kubeconfig: options.kubeconfig });
  const transport = createNodeTransport({ server, credentials, clock });
  const ports = { transport, clock, rand, log, fieldManager: options.name };
  const leadership: Leadership = new LeaseLeadership({
    ...{ clock, rand, log, namespace: options.namespace, name: options.lease, limits: options.limits },
    client: createClient({ ...ports, lane: "lease" }),
    identity: uniqueIdentity(options.name, rand),
  });
  let terms = 0;
  const lead = async (term: Term) => {
    const client = createClient({ ...ports, transport: fenceWrites(transport, term.fence) });
    const controller = new Controller(counting(client, options.namespace, `${options.name}#${++terms}`), ports);
    controller.start();
    await new Promise((resolve) => term.signal.addEventListener("abort", resolve, { once: true }));
    await controller.stop(STOP_WITHIN_MS);
  };
  const leading = {
    ...{ name: "leadership", phase: "lead" as const },
    start: async () => leadership.start(lead),
    stop: (drainMs: number) => leadership.stop(drainMs),
  };
  const { code } = await runParts([leading], stop, { clock, log });
  transport.close();
  process.exitCode = code;
}

/** A controller of one key that counts on and on. */
function counting(client: Client, namespace: string, term: string): ControllerOptions {
  const source: Source = {
    start(offer) {
      offer(namespace, true);
      return () => undefined;
    },
  };
  let known: number | undefined;
  const write = async (name: string, count: number, signal: AbortSignal) => {
    const body = { data: { count: String(count), term } };
    await client.patch(configMaps, `${namespace}/${name}`, { type: "merge", body }, { signal });
  };
  const reconcile: Reconcile = async (_key, { signal }) => {
    const last =
      known ?? Number((await client.get(configMaps, `${namespace}/${COUNTER}`, { signal }))?.data?.count ?? 0);
    // Unknown until the server has confirmed it.
    known = undefined;
    await write(COUNTER, last + 1, signal);
    await write(ECHO, last + 1, signal);
    known = last + 1;
    return { againInMs: COUNT_EVERY_MS };
  };
  const queue = { backOff: BACK_OFF, spacingMs: 0, keysMax: 1 };
  return { name: "counting", sources: [source], reconcile, workers: 1, timeoutMs: RUN_TIMEOUT_MS, queue };
}

const given = process.argv[2];
if (import.meta.main && given !== undefined) {
  const stop = new AbortController();
  process.on("SIGTERM", () => stop.abort(new Error("SIGTERM")));
  await runReplica(JSON.parse(given), stop.signal);
}

// Plays one scenario on a stage and tells how it ended: the state that stays, and how many pods came and went.

import { createApiServer } from "../../sim/api-server/api-server.ts";
import { NAMESPACES } from "../../sim/controllers/api-resources.ts";
import { startControllers } from "../../sim/controllers/start-controllers.ts";
import { startNodes } from "../../sim/nodes/start-nodes.ts";
import { seededRand } from "../../sim/seeded-rand.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import type { Client } from "../../src/kube/client/client.ts";
import { createClient } from "../../src/kube/client/create-client.ts";
import { eventually } from "../control-plane/eventually.ts";
import type { ClusterWithNodes } from "../kubelets/cluster-with-nodes.ts";
import { type FinalState, finalState } from "./final-state.ts";
import { countPods, type PodCounts, type Stage } from "./stage.ts";

export type Scenario = { readonly name: string; readonly play: (stage: Stage) => Promise<void> };

export type Outcome = { readonly state: FinalState; readonly counts: PodCounts };

/** A kubelet that is silent for longer counts as lost. */
export const HEARTBEAT = { everyMs: 2_000, graceSeconds: 12 };
const DEADLINE_MS = 150_000;
/** The end is the end when nothing has changed for so long. */
const QUIET_MS = 3_000;
const STEP_MS = 100;

/** Plays on a real control plane; several scenarios can be played at once. */
export async function playForReal(world: ClusterWithNodes, scenario: Scenario, namespace: string): Promise<Outcome> {
  const { admin, kubelets } = world;
  const stop = new AbortController();
  const until: Stage["until"] = async (what, probe) => {
    const look = async () => ((await probe()) ? true : undefined);
    await eventually(`${scenario.name}: ${what}`, look, { deadlineMs: DEADLINE_MS, everyMs: STEP_MS });
  };
  await makeNamespace(admin.client, namespace);
  const counts = await countPods(admin, namespace, stop.signal);
  await scenario.play({ client: admin.client, kubelets, namespace, until });
  return outcomeOf({ client: admin.client, namespace, until, nowMs: () => performance.now(), counts, stop });
}

/** Plays on the embedded control plane with the model controllers, in virtual time. */
export async function playOnModel(scenario: Scenario, namespace: string): Promise<Outcome> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const server = createApiServer({ clock, rand: seededRand(1) });
  const transport = server.transport();
  const ports = { transport, clock, rand: seededRand(2) };
  const client = createClient({ ...ports, fieldManager: "test" });
  const controllers = startControllers({ ...ports, nodeGraceSeconds: HEARTBEAT.graceSeconds });
  const nodes = startNodes({ ...ports, fleet: [], heartbeat: HEARTBEAT });
  const stop = new AbortController();
  // What the script waits for happens while its promises are not settled; time passes until they are.
  const passing = async <T>(work: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settled = work.finally(() => {
      isSettled = true;
    });
    settled.catch(() => undefined);
    while (!isSettled) await clock.elapse(STEP_MS);
    return settled;
  };
  const until: Stage["until"] = async (what, probe) => {
    const endMs = clock.monotonicMs() + DEADLINE_MS;
    while (!(await probe())) {
      if (clock.monotonicMs() > endMs) throw new Error(`not within ${DEADLINE_MS} ms: ${scenario.name}: ${what}`);
      await new Promise<void>((resolve) => {
        clock.after(STEP_MS, resolve);
      });
    }
  };
  const play = async () => {
    await Promise.all([controllers.ready, nodes.ready]);
    await makeNamespace(client, namespace);
    const counts = await countPods(ports, namespace, stop.signal);
    await scenario.play({ client, kubelets: nodes.kubelets, namespace, until });
    return outcomeOf({ client, namespace, until, nowMs: () => clock.monotonicMs(), counts, stop });
  };
  try {
    return await passing(play());
  } finally {
    stop.abort();
    await Promise.all([passing(controllers.stop()), passing(nodes.stop())]);
  }
}

async function makeNamespace(client: Client, name: string): Promise<void> {
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

type Ending = Pick<Stage, "client" | "namespace" | "until"> & {
  readonly nowMs: () => number;
  readonly counts: () => PodCounts;
  readonly stop: AbortController;
};

async function outcomeOf({ client, namespace, until, nowMs, counts, stop }: Ending): Promise<Outcome> {
  let last = "";
  let sinceMs = nowMs();
  let outcome: Outcome | undefined;
  await until("nothing changes any more", async () => {
    outcome = { state: await finalState(client, namespace), counts: counts() };
    const text = JSON.stringify(outcome);
    if (text !== last) [last, sinceMs] = [text, nowMs()];
    return nowMs() - sinceMs >= QUIET_MS;
  });
  stop.abort();
  if (outcome === undefined) throw new Error("the scenario has no end");
  return outcome;
}

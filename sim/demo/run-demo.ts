// One run of the demo, from the claim on its file to the last closed connection. The terminal, the signals and the machine
// come in, so that `tools/start.ts` only has to read its arguments.
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { Logger } from "../../src/runtime/log/log.ts";
import type { MachineSpec } from "../nodes/machine.ts";
import { type DemoCluster, startDemoCluster } from "./demo-cluster.ts";
import { invitation, type Style } from "./invitation.ts";
import { claimKubeconfig, type KubeconfigPlace, writeClaimed } from "./kubeconfig-file.ts";

export type DemoRun = {
  readonly fleet: readonly MachineSpec[];
  readonly port: number;
  readonly place: KubeconfigPlace;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
  /** The result, for standard output. */
  readonly show: (text: string) => void;
  /** What goes on meanwhile, for standard error. */
  readonly tell: (line: string) => void;
  readonly style: Style;
  readonly hasKubectl: boolean;
  /** A manifest to try. */
  readonly manifestPath: string;
  /** What the tenant serves. */
  readonly kinds: readonly string[];
  /** Starts who works in the cluster; resolves when that has begun. Its end is waited for before the cluster stops. */
  readonly tenant: (transport: Transport, end: AbortSignal) => Promise<Tenant>;
  /** What happens in the cluster once it is up, if anything; it runs until it is over or the demo ends. */
  readonly story?: (cluster: DemoCluster, kubeconfigPath: string) => Promise<void>;
  /** Aborted when somebody wants the demo to end, however far it is. */
  readonly end: AbortSignal;
};

export type Tenant = { readonly ended: Promise<unknown> };

/** A start shorter than this needs no excuse. */
const LARGE_FLEET = 1_000;

/** Runs until the signal; resolves when nothing is left but the kubeconfig. */
export async function runDemo(run: DemoRun): Promise<void> {
  const { fleet, port, clock, rand, log, end } = run;
  const path = await claimKubeconfig(run.place, clock);
  if (end.aborted) return;
  if (fleet.length >= LARGE_FLEET) run.tell(`starting ${fleet.length} nodes …`);
  const startedMs = clock.monotonicMs();
  const cluster = await startDemoCluster({ fleet, port, clock, rand, log });
  try {
    const ended = aborted(end);
    await Promise.race([cluster.ready, ended]);
    if (end.aborted) return;
    const tenant = await run.tenant(cluster.transport, end);
    await writeClaimed(path, cluster.kubeconfig);
    run.show(textOf(run, cluster, path, clock.monotonicMs() - startedMs));
    const story = run.story?.(cluster, path);
    await ended;
    run.tell("stopping …");
    await Promise.all([tenant.ended, story]);
  } finally {
    await cluster.stop();
  }
}

function textOf(run: DemoRun, cluster: DemoCluster, kubeconfigPath: string, tookMs: number): string {
  const { currentFolder } = run.place;
  return invitation(
    {
      ...{ url: cluster.url, controllers: cluster.controllers, kubeconfigPath, currentFolder, tookMs },
      ...{ manifestPath: run.manifestPath, kinds: run.kinds },
      nodeNames: run.fleet.map(({ name }) => name),
      ...{ hasKubectl: run.hasKubectl, hasStory: run.story !== undefined },
    },
    run.style,
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

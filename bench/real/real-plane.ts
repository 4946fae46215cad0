// The stage of all stories: a real control plane with a fleet of simulated kubelets in another process, an audit log of all requests of the
// contestants, and an observer.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Binaries } from "../../e2e/control-plane/binaries.ts";
import { type Cluster, startCluster } from "../../e2e/control-plane/cluster.ts";
import { type Connection, connect } from "../../e2e/control-plane/connect.ts";
import { ADMIN, KUBELETS, type User } from "../../e2e/control-plane/users.ts";
import { heartbeatFor } from "../../sim/nodes/heartbeat.ts";
import type { MachineSpec } from "../../sim/nodes/machine.ts";
import { customResourceDefinition } from "../../src/kinds/schema/crd.ts";
import { kindSources } from "../../tools/gen/crds.ts";
import { ask, startChild } from "./contestants/child.ts";
import { FleetObserver } from "./fleet-observer.ts";
import { policyFor, RequestLog } from "./request-log.ts";
import { definitions, namespaces } from "./resources.ts";

export type RealPlane = {
  readonly cluster: Cluster;
  /** Does what people do: it is nobody's cost. */
  readonly admin: Connection;
  readonly observer: FleetObserver;
  readonly requests: RequestLog;
  readonly binaries: Binaries;
  stop(): Promise<void>;
};

export type RealPlaneOptions = {
  readonly binaries: Binaries;
  readonly machines: readonly MachineSpec[];
  /** Those whose requests are counted. */
  readonly users: readonly string[];
  /** Controllers that the plane's own manager leaves to a contestant. */
  readonly withoutControllers?: readonly string[];
};

/** The part of the plane in whose place a manager may play. */
export const CONTROLLERS = "kube-controller-manager";
/** Where the operator keeps its lease. */
export const OPERATOR_NAMESPACE = "farrier-system";

/** Starts everything and resolves when all machines are nodes and all kinds are served. */
export async function startRealPlane(options: RealPlaneOptions): Promise<RealPlane> {
  const { binaries, machines, users, withoutControllers = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), "bench-real-"));
  const policyFile = join(folder, "audit-policy.json");
  writeFileSync(policyFile, policyFor(users));
  const cluster = await startCluster({
    binaries,
    users: users.map((name): User => ({ name, groups: ADMIN.groups })),
    nodeGraceSeconds: heartbeatFor(machines.length).graceSeconds,
    extraArgs: {
      "kube-apiserver": [`--audit-policy-file=${policyFile}`],
      [CONTROLLERS]: [`--controllers=${["*", ...withoutControllers.map((name) => `-${name}`)].join(",")}`],
    },
  });
  const fleet = startChild(join(import.meta.dirname, "fleet-program.ts"));
  const admin = connect(cluster.address, cluster.token(), ADMIN.name);
  const observer = new FleetObserver(admin, machines.length);
  const stop = async () => {
    fleet.disconnect();
    observer.stop();
    admin.close();
    await cluster.stop();
    rmSync(folder, { recursive: true });
  };
  try {
    await ask(fleet, { address: cluster.address, token: cluster.token(KUBELETS.name), machines });
    await install(admin);
    await observer.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { cluster, admin, observer, requests: new RequestLog(join(cluster.folder, "audit.log")), binaries, stop };
}

async function install({ client }: Connection): Promise<void> {
  const metadata = { name: OPERATOR_NAMESPACE };
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata });
  for (const [, source] of kindSources) await client.create(definitions, customResourceDefinition(source));
}

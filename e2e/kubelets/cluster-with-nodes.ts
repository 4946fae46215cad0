// A control plane together with a fleet of simulated kubelets: the whole cluster that most end-to-end tests want.

import { type Heartbeat, heartbeatFor } from "../../sim/nodes/heartbeat.ts";
import { type Kubelets, startKubelets } from "../../sim/nodes/kubelets.ts";
import type { MachineSpec } from "../../sim/nodes/machine.ts";
import type { KubeObject } from "../../src/kube/resource.ts";
import { createLog, type Logger } from "../../src/runtime/log/log.ts";
import { streamDestination } from "../../src/runtime/node/node-log-destination.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../control-plane/cluster.ts";
import { type Connection, connect } from "../control-plane/connect.ts";
import { installDefinitions } from "../control-plane/install-definitions.ts";
import { pinnedVersions } from "../control-plane/programs.ts";
import { ADMIN, KUBELETS } from "../control-plane/users.ts";

export type ClusterWithNodesOptions = Omit<ClusterOptions, "parts" | "nodeGraceSeconds" | "beforeControllers"> & {
  readonly machines: readonly MachineSpec[];
  /**
   * Custom resources that are there from the beginning. The garbage collector looks for new ones every thirty seconds only,
   * and until then what an object of a new kind owns outlives it.
   */
  readonly definitions?: readonly KubeObject[];
  readonly heartbeat?: Heartbeat;
  /** Where the kubelets say what went wrong; standard error when absent. */
  readonly log?: Logger;
};

export type ClusterWithNodes = {
  readonly cluster: Cluster;
  readonly kubelets: Kubelets;
  /** Our client with all rights. */
  readonly admin: Connection;
  /** Stops the kubelets and the control plane; nothing stays behind. */
  stop(): Promise<void>;
};

/** Starts everything and resolves when every machine is a node. */
export async function startClusterWithNodes(options: ClusterWithNodesOptions): Promise<ClusterWithNodes> {
  const heartbeat = options.heartbeat ?? heartbeatFor(options.machines.length);
  const beforeControllers = (started: Cluster) => installDefinitions(started, options.definitions ?? []);
  const cluster = await startCluster({ ...options, nodeGraceSeconds: heartbeat.graceSeconds, beforeControllers });
  const wires = connect(cluster.address, cluster.token(KUBELETS.name), KUBELETS.name);
  const admin = connect(cluster.address, cluster.token(), ADMIN.name);
  const log = options.log ?? createLog(streamDestination(process.stderr), wires.clock, { level: "error" });
  let kubelets: Kubelets | undefined;
  const stop = async () => {
    await kubelets?.stop();
    wires.close();
    admin.close();
    await cluster.stop();
  };
  try {
    kubelets = await startKubelets({ ...wires, log }, { kubeletVersion: pinnedVersions().kubernetes, heartbeat });
    await kubelets.join(options.machines);
    return { cluster, kubelets, admin, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

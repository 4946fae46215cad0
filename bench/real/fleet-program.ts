// The kubelets in a process of their own, so that what they cost counts for nobody else. It ends with its parent.

import { connect } from "../../e2e/control-plane/connect.ts";
import { pinnedVersions } from "../../e2e/control-plane/programs.ts";
import { KUBELETS, type ServerAddress } from "../../e2e/control-plane/users.ts";
import { heartbeatFor } from "../../sim/nodes/heartbeat.ts";
import { startKubelets } from "../../sim/nodes/kubelets.ts";
import type { MachineSpec } from "../../sim/nodes/machine.ts";
import { createLog } from "../../src/runtime/log/log.ts";
import { streamDestination } from "../../src/runtime/node/node-log-destination.ts";

export type FleetJob = {
  readonly address: ServerAddress;
  readonly token: string;
  readonly machines: readonly MachineSpec[];
};

process.once("disconnect", () => process.exit());
process.once("message", async ({ address, token, machines }: FleetJob) => {
  const wires = connect(address, token, KUBELETS.name);
  const log = createLog(streamDestination(process.stderr), wires.clock, { level: "error" });
  const heartbeat = heartbeatFor(machines.length);
  const kubelets = await startKubelets({ ...wires, log }, { kubeletVersion: pinnedVersions().kubernetes, heartbeat });
  await kubelets.join(machines);
  process.send?.("joined");
});

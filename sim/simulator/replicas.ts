// Servers that lag behind: a client that meets one of them travels back in time.
import type { Clock } from "../../src/kube/clock.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import { type FaultSpec, type Faults, slowMsOf } from "./faults/faults.ts";

const names = ["replica-a", "replica-b"];
const FREEZE_RATE = 0.05;

/** The faults of the replicas: for each change, that one stops following for a while. */
export const replicaFaults: readonly FaultSpec[] = names.map((name) => ({ name: `${name}-freeze`, rate: FREEZE_RATE }));

/** Connections to servers over the same store whose pictures are old by turns. */
export function laggingServers(server: ApiServer, clock: Clock, faults: Faults): readonly Transport[] {
  return names.map((name) => {
    const freeze = faults.fault(`${name}-freeze`);
    let frozenUntilMs = 0;
    const replica = server.replica((_, show) => {
      const nowMs = clock.monotonicMs();
      if (frozenUntilMs <= nowMs && freeze.strikes()) frozenUntilMs = nowMs + slowMsOf(freeze);
      if (frozenUntilMs <= nowMs) show();
      else clock.after(frozenUntilMs - nowMs, show);
    });
    return server.transport(replica);
  });
}

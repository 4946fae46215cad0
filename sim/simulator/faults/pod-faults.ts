// What befalls pods themselves: a kubelet gives them up, their containers crash or never become ready, and their status says
// what is not so. The pod monkey of world-faults.ts deletes them.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { objectAt, textAt } from "../../api-server/api-object.ts";
import type { Behaviour } from "../../nodes/behaviour.ts";
import type { Nodes } from "../../nodes/start-nodes.ts";
import type { WorldFault } from "../scenario.ts";
import { slowMsOf } from "./faults.ts";
import { liesInStatus, onOne, type Prey } from "./object-faults.ts";
import { act } from "./world-faults.ts";

const pods: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const reasons = ["Evicted", "NodeAffinity", "UnexpectedAdmissionError", "Shutdown"];

/** Pods that are bound to a node and have not ended. */
const running: Prey = { resource: pods, table: "pods", isMeant: isRunning };

/** The kubelet ends a pod for good, as under memory pressure: it stays as Failed until somebody takes it away. */
export const podFails: WorldFault = onOne(running, { name: "fails", rate: 0.05 }, (world, key, fault) => {
  const reason = reasons[fault.pick(reasons.length)] ?? "Evicted";
  const status = { phase: "Failed", reason, message: "a fault of the run", conditions: [], containerStatuses: [] };
  act(world, world.client("kubelet").patch(pods, key, { type: "merge", body: { status } }, { subresource: "status" }));
  return reason;
});

const ready = (status: string) => ({
  conditions: [{ type: "Ready", status, lastTransitionTime: "2026-01-01T00:00:00Z" }],
});

/** A pod's status says for a moment that it is ready when it is not, or the other way round. Its kubelet puts it right. */
export const podStatusLies: WorldFault = liesInStatus(running, [ready("True"), ready("False")]);

const afflictions: readonly Partial<Behaviour>[] = [
  { exit: { afterMs: 300, code: 1, message: "a fault of the run" } },
  { fail: "unready" },
  { readyMs: 20_000 },
];

/** For a while the containers of one node crash soon after their start, never become ready, or take long to. */
export function containersAil(nodesOf: () => Nodes | undefined): WorldFault {
  return {
    ...{ name: "containers-ail", rate: 0.03 },
    strike: (world, fault) => {
      const nodes = nodesOf();
      const machines = nodes?.kubelets.machines ?? [];
      const name = machines[fault.pick(machines.length)]?.name;
      if (nodes === undefined || name === undefined) return undefined;
      const affliction = afflictions[fault.pick(afflictions.length)] ?? {};
      const forMs = slowMsOf(fault) * 2;
      nodes.kubelets.behave(({ nodeName }) => (nodeName === name ? affliction : {}));
      world.clock.after(forMs, () => nodes.kubelets.behave(() => ({})));
      return `${name}: ${Object.keys(affliction).join()} for ${forMs} ms`;
    },
  };
}

function isRunning(pod: JsonObject): boolean {
  const phase = textAt(objectAt(pod, "status"), "phase");
  return textAt(objectAt(pod, "spec"), "nodeName") !== "" && phase !== "Failed" && phase !== "Succeeded";
}

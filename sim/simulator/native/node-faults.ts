// What befalls machines: they fall silent and come back, reboot into another kernel, are replaced by others of the same name, and
// new ones join for a while.
import type { Resource } from "../../../src/kube/resource.ts";
import type { MachineSpec } from "../../nodes/machine.ts";
import type { Nodes } from "../../nodes/start-nodes.ts";
import { type Fault, slowMsOf } from "../faults/faults.ts";
import { act } from "../faults/world-faults.ts";
import type { WorldFault } from "../scenario.ts";
import type { World } from "../world.ts";

const nodesResource: Resource = { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false };

/** The faults of the machines of a fleet; `nodesOf` gives the process that runs them now. */
export function nodeFaults(nodesOf: () => Nodes | undefined, kernels: readonly string[]): readonly WorldFault[] {
  const onOne =
    (strike: (world: World, nodes: Nodes, machine: MachineSpec, fault: Fault) => string): WorldFault["strike"] =>
    (world, fault) => {
      const nodes = nodesOf();
      const machines = nodes?.kubelets.machines ?? [];
      const machine = machines[fault.pick(machines.length)];
      return nodes === undefined || machine === undefined ? undefined : strike(world, nodes, machine, fault);
    };
  /** Does something to a machine later, if the same process still runs it then. */
  const later = (world: World, nodes: Nodes, { name }: MachineSpec, afterMs: number, work: () => void) =>
    world.clock.after(afterMs, () => {
      const isThere = nodesOf() === nodes && nodes.kubelets.machines.some((machine) => machine.name === name);
      if (isThere) work();
    });
  return [
    {
      ...{ name: "node-vanishes", rate: 0.04 },
      strike: onOne((world, nodes, machine, fault) => {
        const forMs = slowMsOf(fault) * 5;
        nodes.kubelets.vanish(machine.name);
        later(world, nodes, machine, forMs, () => nodes.kubelets.comeBack(machine.name));
        return `${machine.name} for ${forMs} ms`;
      }),
    },
    {
      ...{ name: "node-reboots", rate: 0.04 },
      strike: onOne((_, nodes, { name }, fault) => {
        const kernel = kernels[fault.pick(kernels.length)] ?? "";
        nodes.kubelets.reboot(name, { kernel, downMs: slowMsOf(fault) });
        return `${name} into ${kernel}`;
      }),
    },
    {
      ...{ name: "node-made-anew", rate: 0.03 },
      strike: onOne((world, nodes, machine, fault) => {
        const afterMs = slowMsOf(fault);
        act(world, world.client("user").remove(nodesResource, machine.name));
        // As with a real one: a kubelet registers when it starts, and not because its node was deleted.
        later(world, nodes, machine, afterMs, () => nodes.kubelets.reboot(machine.name));
        return `${machine.name} after ${afterMs} ms`;
      }),
    },
  ];
}

/** A machine falls silent for good: what must hold holds without it. Nothing may start it again, so other faults of nodes stay away. */
export function nodeDies(nodesOf: () => Nodes | undefined): WorldFault {
  return {
    ...{ name: "node-dies", rate: 0.02 },
    strike: (_, fault) => {
      const { kubelets } = nodesOf() ?? {};
      const machines = kubelets?.machines ?? [];
      const name = machines[fault.pick(machines.length)]?.name;
      if (name !== undefined) kubelets?.vanish(name);
      return name;
    },
  };
}

/** What a guest has sent before it left may arrive so much later, and then its node is removed once more. */
const LATE_MS = 20_000;

/** A machine like one of the fleet joins the cluster, and leaves it after a while. */
export function nodeJoins(nodesOf: () => Nodes | undefined): WorldFault {
  return {
    ...{ name: "node-joins", rate: 0.02 },
    strike: (world, fault) => {
      const nodes = nodesOf();
      const machines = nodes?.kubelets.machines ?? [];
      const like = machines[fault.pick(machines.length)];
      if (nodes === undefined || like === undefined) return undefined;
      const name = `guest-${Math.round(world.clock.monotonicMs())}`;
      const forMs = slowMsOf(fault) * 3;
      act(world, nodes.kubelets.join([{ ...like, name }]));
      world.clock.after(forMs, () => act(world, nodes.kubelets.leave(name)));
      for (const lateMs of [0, LATE_MS]) {
        world.clock.after(forMs + lateMs, () => act(world, world.client("user").remove(nodesResource, name)));
      }
      return `${name}, like ${like.name}, for ${forMs} ms`;
    },
  };
}

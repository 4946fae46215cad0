// What befalls Modules and their nodes in the simulator, beside what befalls everybody: people edit, pause and replace the Module, and
// nodes reboot, leave, sulk and are made anew.

import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, objectAt } from "../../api-server/api-object.ts";
import { slowMsOf } from "../../simulator/faults/faults.ts";
import { act, anyKey } from "../../simulator/faults/world-faults.ts";
import type { WorldFault } from "../../simulator/scenario.ts";
import type { World } from "../../simulator/world.ts";
import { nodes } from "../operator/toy-picture.ts";
import { kernelOf } from "./module-wishes.ts";
import {
  aSimulatedModule,
  KERNELS,
  MODULE_KEY,
  MODULES,
  type ModuleObject,
  modules,
  SCOPE,
} from "./simulated-module.ts";

const edit = (world: World, spec: JsonObject) =>
  act(world, world.client("user").patch(modules, MODULE_KEY, { type: "merge", body: { spec } }));

export const newImage: WorldFault = {
  ...{ name: "new-image", rate: 0.1 },
  strike: (world) => {
    const tag = `v${world.server.revision()}`;
    edit(world, { kernelMappings: aSimulatedModule(tag).spec.kernelMappings ?? [] });
    return tag;
  },
};

/** Only one of the two mappings stays, until the next image. */
export const mappingGone: WorldFault = {
  ...{ name: "mapping-gone", rate: 0.02 },
  strike: (world, fault) => {
    const mappings = listAt(objectAt(world.state.object(MODULES, MODULE_KEY) ?? {}, "spec"), "kernelMappings");
    const left = mappings.filter(isJsonObject).filter((_, at) => at === fault.pick(2));
    if (left.length === 0) return undefined;
    edit(world, { kernelMappings: left });
    return JSON.stringify(left);
  },
};

export const pausedForAWhile: WorldFault = {
  ...{ name: "paused", rate: 0.03 },
  strike: (world, fault) => {
    const forMs = slowMsOf(fault) * 2;
    edit(world, { updateStrategy: { paused: true } });
    world.clock.after(forMs, () => edit(world, { updateStrategy: null }));
    return `for ${forMs} ms`;
  },
};

/** Another input for every build. */
export const newInput: WorldFault = {
  ...{ name: "new-input", rate: 0.05 },
  strike: (world) => {
    const value = `v${world.server.revision()}`;
    edit(world, { build: { buildArgs: [{ name: "DRIVER", value }] } });
    return value;
  },
};

/** The Module is deleted and made anew under its name, while what it had is still being collected. */
export function moduleMadeAnew(module: ModuleObject): WorldFault {
  return {
    ...{ name: "module-made-anew", rate: 0.02 },
    strike: (world, fault) => {
      const user = world.client("user");
      const afterMs = slowMsOf(fault);
      act(world, user.remove(modules, MODULE_KEY));
      world.clock.after(afterMs, () => act(world, user.create(modules, module)));
      return `after ${afterMs} ms`;
    },
  };
}

/** A node comes back with another kernel, under the same name and with its labels. */
export const reboots: WorldFault = {
  ...{ name: "reboots", rate: 0.2 },
  strike: (world, fault) => {
    const name = anyKey(world, "nodes", fault);
    const kernelVersion = KERNELS[fault.pick(KERNELS.length)] ?? "";
    const isOdd = kernelOf(world.state.object("nodes", name ?? "") ?? {}).includes("/");
    if (name === undefined || isOdd) return undefined;
    const body = { status: { nodeInfo: { kernelVersion } } };
    act(world, world.client("user").patch(nodes, name, { type: "merge", body }, { subresource: "status" }));
    return `${name} into ${kernelVersion}`;
  },
};

/** Somebody relabels a node out of the Module's scope, or back into it. */
export const leavesScope: WorldFault = {
  ...{ name: "leaves-scope", rate: 0.1 },
  strike: (world, fault) => {
    const name = anyKey(world, "nodes", fault);
    if (name === undefined) return undefined;
    const value = fault.pick(2) === 0 ? "yes" : "no";
    const body = { metadata: { labels: { [SCOPE]: value } } };
    act(world, world.client("user").patch(nodes, name, { type: "merge", body }));
    return `${name} ${value}`;
  },
};

/** A node is not Ready for a while; its pods go on. */
export const sulks: WorldFault = {
  ...{ name: "node-sulks", rate: 0.05 },
  strike: (world, fault) => {
    const name = anyKey(world, "nodes", fault);
    if (name === undefined) return undefined;
    const forMs = slowMsOf(fault) * 2;
    const say = (status: string) => {
      const body = { status: { conditions: [{ type: "Ready", status }] } };
      act(world, world.client("user").patch(nodes, name, { type: "merge", body }, { subresource: "status" }));
    };
    say("False");
    world.clock.after(forMs, () => say("True"));
    return `${name} for ${forMs} ms`;
  },
};

/** A node leaves, and another machine joins under its name. */
export const nodeMadeAnew: WorldFault = {
  ...{ name: "node-made-anew", rate: 0.03 },
  strike: (world, fault) => {
    const name = anyKey(world, "nodes", fault);
    const node = world.state.object("nodes", name ?? "");
    if (name === undefined || node === undefined) return undefined;
    const afterMs = slowMsOf(fault);
    const isOdd = kernelOf(node).includes("/");
    const kernel = isOdd ? kernelOf(node) : (KERNELS[fault.pick(KERNELS.length)] ?? "");
    act(world, world.client("user").remove(nodes, name));
    world.clock.after(afterMs, () => act(world, joins(world, name, kernel)));
    return `${name} after ${afterMs} ms with ${kernel}`;
  },
};

/** A machine registers its node; a new node is tainted until somebody finds it ready, and here nobody looks. */
export async function joins(world: World, name: string, kernelVersion: string): Promise<void> {
  const user = world.client("user");
  await user.create(nodes, {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name, labels: { [SCOPE]: "yes" } } },
    status: { conditions: [{ type: "Ready", status: "True" }], nodeInfo: { kernelVersion } },
  });
  await user.patch(nodes, name, { type: "merge", body: { spec: { taints: null } } });
}

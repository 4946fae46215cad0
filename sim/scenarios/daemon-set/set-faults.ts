// What people and machines do to the set of the scenario: edits of template and patches, relabelled nodes, pods that fail, and a set
// that is deleted and made anew.

import type { JsonObject } from "../../../src/core/json/json.ts";
import { slowMsOf } from "../../simulator/faults/faults.ts";
import { act, anyKey } from "../../simulator/faults/world-faults.ts";
import type { WorldFault } from "../../simulator/scenario.ts";
import type { World } from "../../simulator/world.ts";
import { aPatch, aTemplate, nodes, pods, SET_KEY, type SetObject, SIZE_LABEL, sets } from "./set-fixture.ts";

/** Few, so that the user often goes back to what was there before. */
const tags = ["1", "2", "3"];
const sizes = ["large", "huge"];

/** All of them; `again` is the set as it is made anew. */
export function setFaults(again: () => SetObject): readonly WorldFault[] {
  return [newTemplate, newPatch, relabelled, podFails, setMadeAnew(again)];
}

const newTemplate: WorldFault = {
  ...{ name: "new-template", rate: 0.06 },
  strike: (world, fault) => edit(world, { template: aTemplate(tags[fault.pick(tags.length)] ?? "") }),
};

const newPatch: WorldFault = {
  ...{ name: "new-patch", rate: 0.04 },
  strike: (world, fault) => edit(world, { patches: [aPatch(sizes[fault.pick(sizes.length)] ?? "")] }),
};

const relabelled: WorldFault = {
  ...{ name: "node-relabelled", rate: 0.05 },
  strike: (world, fault) => {
    const key = anyKey(world, "nodes", fault);
    if (key === undefined) return undefined;
    const size = fault.pick(2) === 0 ? "small" : "large";
    const body = { metadata: { labels: { [SIZE_LABEL]: size } } };
    act(world, world.client("user").patch(nodes, key, { type: "merge", body }));
    return `${key} is ${size}`;
  },
};

const podFails: WorldFault = {
  ...{ name: "pod-fails", rate: 0.05 },
  strike: (world, fault) => {
    const key = anyKey(world, "pods", fault);
    if (key === undefined) return undefined;
    const body = { status: { phase: "Failed", reason: "Evicted" } };
    act(world, world.client("kubelet").patch(pods, key, { type: "merge", body }, { subresource: "status" }));
    return key;
  },
};

/** The set is deleted and made anew under its name, while its pods still end. */
function setMadeAnew(again: () => SetObject): WorldFault {
  return {
    ...{ name: "set-made-anew", rate: 0.02 },
    strike: (world, fault) => {
      const user = world.client("user");
      const afterMs = slowMsOf(fault);
      act(world, user.remove(sets, SET_KEY));
      world.clock.after(afterMs, () => act(world, user.create(sets, again())));
      return `after ${afterMs} ms`;
    },
  };
}

function edit(world: World, spec: JsonObject): string {
  act(world, world.client("user").patch(sets, SET_KEY, { type: "merge", body: { spec } }));
  return JSON.stringify(spec).slice(0, 120);
}

// What people and other programs do to objects: they delete them, strip labels and finalizers from them, write what is not
// true into their status, edit them, and take away what they depend on. Scenarios say which objects are meant.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { isAlreadyExists } from "../../../src/kube/client/api-error.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import { type KubeObject, keyOf, type Resource } from "../../../src/kube/resource.ts";
import { keyOfObject, listAt, metaOf } from "../../api-server/api-object.ts";
import type { WorldFault } from "../scenario.ts";
import type { World } from "../world.ts";
import { type Fault, slowMsOf } from "./faults.ts";
import { act } from "./world-faults.ts";

/** The objects that a fault may strike. */
export type Prey = {
  readonly resource: Resource;
  /** The store's name for the resource. */
  readonly table: string;
  /** Of these only some; all when absent. */
  readonly isMeant?: (object: JsonObject) => boolean;
};

const policies = ["Background", "Foreground"] as const;

/** Somebody deletes one of them. */
export function deletes(prey: Prey): WorldFault {
  return onOne(prey, { name: "deletes", rate: 0.04 }, (world, key, fault) => {
    const propagation = policies[fault.pick(policies.length)] ?? "Background";
    act(world, world.client("rival").remove(prey.resource, key, { propagation }));
    return propagation;
  });
}

/** Somebody removes all labels of one of them. */
export function stripsLabels(prey: Prey): WorldFault {
  return patchesOne(prey, { name: "strips-labels", rate: 0.04 }, [{ metadata: { labels: null } }]);
}

/** Somebody removes all finalizers of one that has some, as impatient people do. */
export function stripsFinalizers(prey: Prey): WorldFault {
  const isHeld = (object: JsonObject) => listAt(metaOf(object), "finalizers").length > 0;
  const held = { ...prey, isMeant: (object: JsonObject) => isHeld(object) && prey.isMeant?.(object) !== false };
  return patchesOne(held, { name: "strips-finalizers", rate: 0.1 }, [{ metadata: { finalizers: null } }]);
}

/** Somebody writes one of these into the status of one of them. Whose status it is must put it right. */
export function liesInStatus(prey: Prey, lies: readonly JsonObject[]): WorldFault {
  const bodies = lies.map((status) => ({ status }));
  return patchesOne(prey, { name: "lies-in-status", rate: 0.04 }, bodies, "status");
}

/** A user makes one of these changes: another image, a pause, the way back. */
export function edits(name: string, prey: Prey, bodies: readonly JsonObject[]): WorldFault {
  return patchesOne(prey, { name, rate: 0.04 }, bodies);
}

/** Something that is deleted and comes back. */
export type Comeback = {
  readonly name: string;
  readonly rate: number;
  readonly resource: Resource;
  readonly table: string;
  readonly object: KubeObject;
  /** What has to be made again with it: a namespace and a definition take their objects along. */
  readonly refill?: (client: Client) => Promise<unknown>;
};

/** How often one looks whether it may come back, and for how long: the end of a namespace takes its time. */
const COMEBACK_LOOK_MS = 1_000;
const COMEBACK_LOOKS_MAX = 900;

/** Somebody deletes something, and it is made again, with another UID, some time after its end. */
export function goneForAWhile({ name, rate, resource, table, object, refill }: Comeback): WorldFault {
  const key = keyOf(object);
  return {
    ...{ name, rate },
    strike: (world, fault) => {
      const there = world.state.object(table, key);
      if (there === undefined || isEnding(there)) return undefined;
      const afterMs = slowMsOf(fault);
      const user = world.client("user");
      const comeBack = async () => {
        await unlessThere(user.create(resource, object));
        await refill?.(user);
      };
      const look = (left: number) => {
        if (world.state.object(table, key) === undefined) act(world, comeBack());
        else if (left > 0) world.clock.after(COMEBACK_LOOK_MS, () => look(left - 1));
      };
      act(world, user.remove(resource, key, { propagation: policies[fault.pick(policies.length)] ?? "Background" }));
      world.clock.after(afterMs, () => look(COMEBACK_LOOKS_MAX));
      return `${key}, back after ${afterMs} ms or later`;
    },
  };
}

/** What is there already need not be made. */
export async function unlessThere(making: Promise<unknown>): Promise<void> {
  await making.catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

function patchesOne(
  prey: Prey,
  kind: { readonly name: string; readonly rate: number },
  bodies: readonly JsonObject[],
  subresource?: string,
): WorldFault {
  return onOne(prey, kind, (world, key, fault) => {
    const body = bodies[fault.pick(bodies.length)] ?? {};
    const options = subresource === undefined ? {} : { subresource };
    act(world, world.client("rival").patch(prey.resource, key, { type: "merge", body }, options));
    return JSON.stringify(body);
  });
}

/** A fault that befalls one of the objects; which one is the first choice of its stream. */
export function onOne(
  { resource, table, isMeant = () => true }: Prey,
  { name, rate }: { readonly name: string; readonly rate: number },
  strike: (world: World, key: string, fault: Fault) => string,
): WorldFault {
  return {
    ...{ name: `${name}-${resource.plural}`, rate },
    strike: (world, fault) => {
      const keys = [...world.state.objects(table)].filter(isMeant).map((object) => keyOfObject(object));
      const key = keys.length === 0 ? undefined : keys[fault.pick(keys.length)];
      return key === undefined ? undefined : `${key} ${strike(world, key, fault)}`;
    },
  };
}

function isEnding(object: JsonObject): boolean {
  return metaOf(object).deletionTimestamp !== undefined;
}

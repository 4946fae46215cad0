// What befalls the places where pods run, by the hand of people and of other controllers: nodes get other labels, taints and
// cordons for a while; a namespace has no room for more pods, or a budget that lets nobody evict one.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import { objectPath, type Resource } from "../../../src/kube/resource.ts";
import { listAt, objectAt } from "../../api-server/api-object.ts";
import type { WorldFault } from "../scenario.ts";
import type { World } from "../world.ts";
import { type Fault, slowMsOf } from "./faults.ts";
import { onOne, type Prey, unlessThere } from "./object-faults.ts";
import { act } from "./world-faults.ts";

const core = { group: "", version: "v1" };
const nodes: Resource = { ...core, plural: "nodes", kind: "Node", namespaced: false };
const pods: Resource = { ...core, plural: "pods", kind: "Pod", namespaced: true };
const quotas: Resource = { ...core, plural: "resourcequotas", kind: "ResourceQuota", namespaced: true };
const budgets: Resource = {
  ...{ group: "policy", version: "v1", plural: "poddisruptionbudgets", kind: "PodDisruptionBudget", namespaced: true },
};
const anyNode: Prey = { resource: nodes, table: "nodes" };
const TAINT = "sim/strange";
const effects = ["NoExecute", "NoSchedule", "PreferNoSchedule"];

/** A label of a node gets one of these values (null takes it away), and after a while the one that it has by right. */
export function labelFlips(label: string, values: readonly (string | null)[], byRight: string | null): WorldFault {
  const set = (world: World, name: string, value: string | null) =>
    editNode(world, name, { metadata: { labels: { [label]: value } } });
  return forAWhile({ name: "label-flips", rate: 0.04 }, (world, name, fault) => {
    const value = values[fault.pick(values.length)] ?? null;
    set(world, name, value);
    return { said: `${label}=${value}`, undo: () => set(world, name, byRight) };
  });
}

/** A node gets a taint for a while. Some of them drive pods away that do not tolerate it. */
export const taints: WorldFault = forAWhile({ name: "taints", rate: 0.03 }, (world, name, fault) => {
  const effect = effects[fault.pick(effects.length)] ?? "NoSchedule";
  const set = (mine: readonly JsonObject[]) => {
    // The list is one value to the server: what others have put into it must be said again.
    const there = listAt(objectAt(world.state.object("nodes", name) ?? {}, "spec"), "taints").filter(isJsonObject);
    editNode(world, name, { spec: { taints: [...there.filter(({ key }) => key !== TAINT), ...mine] } });
  };
  set([{ key: TAINT, effect, value: "yes" }]);
  return { said: effect, undo: () => set([]) };
});

/** A node is cordoned for a while. */
export const cordons: WorldFault = forAWhile({ name: "cordons", rate: 0.03 }, (world, name) => {
  editNode(world, name, { spec: { unschedulable: true } });
  return { said: "", undo: () => editNode(world, name, { spec: { unschedulable: null } }) };
});

/** A namespace has no room for more pods for a while: creating one is answered 403. */
export function quotaSpent(namespace: string): WorldFault {
  const name = "sim-no-room";
  const none = { hard: { pods: "0" }, used: { pods: "0" } };
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name, namespace }, spec: { hard: none.hard } };
  return inNamespace(namespace, { name: "quota-spent", rate: 0.03 }, quotas, name, async (user) => {
    await unlessThere(user.create(quotas, quota));
    await user.patch(
      quotas,
      `${namespace}/${name}`,
      { type: "merge", body: { status: none } },
      { subresource: "status" },
    );
  });
}

/** For a while no pod of a namespace may be evicted; deleting one is another matter. */
export function budgetSpent(namespace: string): WorldFault {
  const name = "sim-no-disruption";
  const budget = {
    ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name, namespace } },
    spec: { maxUnavailable: 0, selector: {} },
  };
  return inNamespace(namespace, { name: "budget-spent", rate: 0.03 }, budgets, name, (user) =>
    unlessThere(user.create(budgets, budget)),
  );
}

/** Somebody drains a node: he evicts its pods, and is told 429 where a budget is spent. */
export const evictions: WorldFault = onOne(
  { resource: pods, table: "pods" },
  { name: "evicts", rate: 0.05 },
  (world, key) => {
    const [namespace = "", name = ""] = key.split("/");
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
    const eviction = { verb: "create", resource: "pods/eviction", method: "POST", repeatable: false } as const;
    const path = objectPath(pods, key, "eviction");
    act(world, world.client("drainer").call({ ...eviction, path, body }));
    return "";
  },
);

type Undoable = { readonly said: string; readonly undo: () => void };

/** Does something to a node, and undoes it after a time that is chosen. */
function forAWhile(
  kind: { readonly name: string; readonly rate: number },
  begin: (world: World, node: string, fault: Fault) => Undoable,
): WorldFault {
  return onOne(anyNode, kind, (world, node, fault) => {
    const { said, undo } = begin(world, node, fault);
    const forMs = slowMsOf(fault) * 2;
    world.clock.after(forMs, undo);
    return `${said} for ${forMs} ms`;
  });
}

function inNamespace(
  namespace: string,
  { name, rate }: { readonly name: string; readonly rate: number },
  resource: Resource,
  object: string,
  begin: (user: Client) => Promise<unknown>,
): WorldFault {
  return {
    ...{ name, rate },
    strike: (world, fault) => {
      const user = world.client("user");
      const forMs = slowMsOf(fault) * 2;
      act(world, begin(user));
      world.clock.after(forMs, () => act(world, user.remove(resource, `${namespace}/${object}`)));
      return `in ${namespace} for ${forMs} ms`;
    },
  };
}

function editNode(world: World, name: string, body: JsonObject): void {
  act(world, world.client("user").patch(nodes, name, { type: "strategic", body }));
}

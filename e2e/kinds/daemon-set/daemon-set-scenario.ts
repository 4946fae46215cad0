// An advanced DaemonSet in the simulator: two replicas of the operator, three nodes that change their labels, a user who edits template
// and patches and makes the set anew, pods that fail, and everything between them going wrong.

import { listAt, metaOf, numberAt, objectAt, textAt } from "../../../sim/api-server/api-object.ts";
import type { State } from "../../../sim/simulator/commit.ts";
import { slowMsOf } from "../../../sim/simulator/faults.ts";
import { atMostOne, controllerOf } from "../../../sim/simulator/invariants/at-most-one.ts";
import { deletesCarryUid } from "../../../sim/simulator/invariants/deletes-carry-uid.ts";
import { observedGenerationRises } from "../../../sim/simulator/invariants/observed-generation.ts";
import { LEASES, onlyHolderSends } from "../../../sim/simulator/invariants/only-holder-sends.ts";
import { linkFaults } from "../../../sim/simulator/link.ts";
import type { Start } from "../../../sim/simulator/ports.ts";
import { replicaFaults } from "../../../sim/simulator/replicas.ts";
import type { Scenario, WorldFault } from "../../../sim/simulator/scenario.ts";
import type { World } from "../../../sim/simulator/world.ts";
import {
  act,
  anyKey,
  compaction,
  cutOff,
  dies,
  hangs,
  otherWriter,
  podMonkey,
} from "../../../sim/simulator/world-faults.ts";
import { createOperator, type Operator } from "../../../src/controllers/create-operator.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/json.ts";
import { createDaemonSetKind } from "../../../src/kinds/daemon-set/daemon-set-kind.ts";
import { REVISION_HASH } from "../../../src/kinds/daemon-set/pod-keys.ts";
import { budgetHolds, isServing, nodeOf, revisionsAreTrue, twoOnlyWhileSurging, writesOnlyOwn } from "./invariants.ts";
import {
  aPatch,
  aSet,
  aTemplate,
  definitions,
  GROUP,
  NAMESPACE,
  nodes,
  pods,
  revisions,
  SET_NAME,
  SIZE_LABEL,
  sets,
} from "./set-fixture.ts";
import { runSmallKubelets } from "./small-kubelets.ts";

/** How the set is updated. */
export type Mode = "rolling" | "surging" | "in-place";

const TABLE = `daemonsets.${GROUP}`;
const KEY = `${NAMESPACE}/${SET_NAME}`;
const NODES = 3;
const lease = { namespace: NAMESPACE, name: "farrier" };
/** Short terms: a history of half a minute should see more than one leader. */
const leadership = { leaseDurationMs: 6_000, fenceMarginMs: 2_000, retryMs: 1_500, requestTimeoutMs: 1_200 };
const roles = ["operator", "other-operator"];
const noise = new Set([LEASES, "events"]);
/** Few, so that the user often goes back to what was there before. */
const tags = ["1", "2", "3"];
const sizes = ["large", "huge"];

const strategies: Readonly<Record<Mode, JsonObject>> = {
  rolling: { maxUnavailable: 1 },
  surging: { maxSurge: 1, maxUnavailable: 0 },
  "in-place": { rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 1 },
};

/** The kind without its schema: reading that takes longer than a short history, and other tests judge objects by it. */
const thinDefinition = {
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: TABLE } },
  spec: {
    ...{ group: GROUP, scope: "Namespaced" },
    names: { plural: "daemonsets", singular: "daemonset", kind: "DaemonSet", listKind: "DaemonSetList" },
    versions: [
      {
        ...{ name: "v1beta1", served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** The scenario in one mode; a test may bring an operator with a fault of its own. Its budget remembers: one history at a time. */
export function daemonSetScenario(mode: Mode, operator: Start = operate): Scenario {
  return {
    name: `daemon-set-${mode}`,
    about: `two replicas look after an advanced DaemonSet on ${NODES} nodes, ${mode}`,
    ...{ faultsMs: 20_000, settleMs: 600_000, quietMs: 15_000 },
    faults: [...roles.flatMap((role) => linkFaults(role, 1, { crashes: true })), ...replicaFaults],
    worldFaults: [
      ...roles.flatMap((role) => [cutOff, dies, hangs].map((fault) => fault(role))),
      ...[
        compaction,
        podMonkey,
        otherWriter(sets, TABLE),
        newTemplate,
        newPatch,
        relabelled,
        podFails,
        setMadeAnew(mode),
      ],
    ],
    invariants: [
      mode === "surging" ? twoOnlyWhileSurging : atMostOne("DaemonSet"),
      ...[
        observedGenerationRises,
        budgetHolds(roles, mode === "surging" ? 0 : 1),
        writesOnlyOwn(roles),
        revisionsAreTrue,
      ],
    ],
    requestRules: [deletesCarryUid(...roles), onlyHolderSends(roles, `${lease.namespace}/${lease.name}`)],
    isNoise: ({ table }) => noise.has(table),
    unsettled,
    setUp: async (world) => {
      const user = world.client("user");
      await user.create(definitions, thinDefinition);
      for (let at = 0; at < NODES; at++) {
        const node = await user.create(nodes, aNode(`node-${at}`, at === 0 ? "large" : "small"));
        // A new node is tainted until somebody finds it ready, and here nobody looks.
        await user.patch(nodes, node.metadata.name, { type: "merge", body: { spec: { taints: null } } });
      }
      await user.create(sets, setOf(mode));
      runSmallKubelets(world);
      collectGarbage(world);
      for (const role of roles) world.host(role, operator);
    },
  };
}

const operate: Start = (ports) => {
  run(createOperator(ports, { kinds: kinds(), program: "farrier", lease, limits: { leadership } }));
};

/** An operator that does not ask whether there is another one. */
export const operateAlone: Start = (ports) => {
  run(createOperator(ports, { kinds: kinds(), program: "farrier" }));
};

/** Pods are bound by us: the scheduler is somebody else's, and would only cost time here. */
function kinds() {
  return [createDaemonSetKind({ binding: "nodeName" })];
}

function run(operator: Operator): void {
  void operator.run(new AbortController().signal);
}

function setOf(mode: Mode) {
  return aSet({ revisionHistoryLimit: 1, updateStrategy: { type: "RollingUpdate", rollingUpdate: strategies[mode] } });
}

function aNode(name: string, size: string) {
  return {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name, labels: { [SIZE_LABEL]: size } } },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
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
function setMadeAnew(mode: Mode): WorldFault {
  return {
    ...{ name: "set-made-anew", rate: 0.02 },
    strike: (world, fault) => {
      const user = world.client("user");
      const afterMs = slowMsOf(fault);
      act(world, user.remove(sets, KEY));
      world.clock.after(afterMs, () => act(world, user.create(sets, setOf(mode))));
      return `after ${afterMs} ms`;
    },
  };
}

function edit(world: World, spec: JsonObject): string {
  act(world, world.client("user").patch(sets, KEY, { type: "merge", body: { spec } }));
  return JSON.stringify(spec).slice(0, 120);
}

/** What a set leaves behind is taken away, as Kubernetes does; also what a late write makes for a set that is gone. */
function collectGarbage(world: World): void {
  const client = world.client("collector");
  const kept = new Map([
    ["pods", pods],
    ["controllerrevisions.apps", revisions],
  ]);
  const collect = () => {
    const { uid } = metaOf(world.state.object(TABLE, KEY) ?? {});
    for (const [table, resource] of kept) {
      const orphaned = [...world.state.objects(table)].map(metaOf).filter((meta) => controllerOf(meta) !== uid);
      for (const meta of orphaned) {
        const isEnding = meta.deletionTimestamp !== undefined;
        if (!isEnding) act(world, client.remove(resource, `${NAMESPACE}/${textAt(meta, "name")}`));
      }
    }
  };
  world.server.onCommit(({ table, type }) => {
    const isDue = (table === TABLE && type === "DELETED") || (kept.has(table) && type === "ADDED");
    if (isDue) world.clock.after(300, collect);
  });
}

/** Every node has the one pod that it should have, ready and of the newest revision, and the status says so. */
function unsettled(state: State): string | undefined {
  const set = state.object(TABLE, KEY);
  if (set === undefined) return "the set is not there";
  const status = objectAt(set, "status");
  if (status.observedGeneration !== numberAt(metaOf(set), "generation")) return "the newest spec has not been seen";
  const counts = ["desiredNumberScheduled", "numberAvailable", "updatedNumberScheduled"].map((key) => status[key]);
  if (counts.some((count) => count !== NODES)) return `the status counts ${counts.join(", ")}`;
  const all = [...state.objects("pods")];
  if (all.length !== NODES) return `there are ${all.length} pods`;
  for (const node of state.objects("nodes")) {
    const name = textAt(metaOf(node), "name");
    const pod = all.find((one) => nodeOf(one) === name);
    const wrong = pod === undefined ? "has no pod" : wrongWith(pod, set, node);
    if (wrong !== undefined) return `${name}: ${wrong}`;
  }
  return undefined;
}

function wrongWith(pod: JsonObject, set: JsonObject, node: JsonObject): string | undefined {
  const spec = objectAt(set, "spec");
  const isLarge = objectAt(metaOf(node), "labels")[SIZE_LABEL] === "large";
  const [patch] = listAt(spec, "patches").filter(isJsonObject);
  const wanted = isLarge
    ? objectAt(objectAt(patch ?? {}, "patch"), "spec")
    : objectAt(objectAt(spec, "template"), "spec");
  const [size, image] = [envOf(wanted), imageOf(objectAt(objectAt(spec, "template"), "spec"))];
  const is = objectAt(pod, "spec");
  if (controllerOf(metaOf(pod)) !== metaOf(set).uid) return "its pod is of another set";
  if (envOf(is) !== size || imageOf(is) !== image) return `runs ${envOf(is)} ${imageOf(is)}, not ${size} ${image}`;
  if (!isServing(pod)) return "its pod does not serve";
  const revision = objectAt(metaOf(pod), "labels")[REVISION_HASH];
  return revision === objectAt(set, "status").updateRevision ? undefined : `its pod bears ${String(revision)}`;
}

function imageOf(podSpec: JsonObject): string {
  return textAt(listAt(podSpec, "containers").filter(isJsonObject)[0] ?? {}, "image");
}

function envOf(podSpec: JsonObject): string {
  const [container = {}] = listAt(podSpec, "containers").filter(isJsonObject);
  return textAt(listAt(container, "env").filter(isJsonObject)[0] ?? {}, "value");
}

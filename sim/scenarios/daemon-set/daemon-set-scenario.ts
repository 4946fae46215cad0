// An advanced DaemonSet in the simulator: two replicas of the operator, three nodes that change their labels, a user who edits template
// and patches and makes the set anew, pods that fail, and everything between them going wrong.
//
// Beside this file:
//   set-fixture.ts, set-faults.ts: the set, and what happens to it
//   invariants.ts, revision-invariants.ts, status-invariants.ts: what holds after every write
//   set-settled.ts: what holds at the end
//   careless-operators.ts, explore-seeds.ts: operators with one mistake each, ranges of seeds

import { createOperator, type Operator } from "../../../src/controllers/loop/create-operator.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { createDaemonSetKind } from "../../../src/kinds/daemon-set/daemon-set-kind.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import { metaOf, textAt } from "../../api-server/api-object.ts";
import { act, compaction, cutOff, dies, hangs, otherWriter, podMonkey } from "../../simulator/faults/world-faults.ts";
import { atMostOne, controllerOf } from "../../simulator/invariants/at-most-one.ts";
import { deletesCarryUid } from "../../simulator/invariants/deletes-carry-uid.ts";
import { observedGenerationRises } from "../../simulator/invariants/observed-generation.ts";
import { LEASES, onlyHolderSends } from "../../simulator/invariants/only-holder-sends.ts";
import { linkFaults } from "../../simulator/network/link.ts";
import type { Start } from "../../simulator/ports.ts";
import { replicaFaults } from "../../simulator/replicas.ts";
import type { Scenario } from "../../simulator/scenario.ts";
import type { World } from "../../simulator/world.ts";
import { writesAreFenced } from "../fenced-writes.ts";
import { runSmallKubelets } from "../small-kubelets.ts";
import { budgetHolds, twoOnlyWhileSurging, writesOnlyOwn } from "./invariants.ts";
import { renderingIsPure, revisionsAreTrue } from "./revision-invariants.ts";
import { setFaults } from "./set-faults.ts";
import {
  aBrokenSet,
  aSet,
  definitions,
  GROUP,
  NAMESPACE,
  nodes,
  pods,
  revisions,
  SET_KEY,
  SETS_TABLE,
  SIZE_LABEL,
  sets,
} from "./set-fixture.ts";
import { REVISIONS_KEPT, unsettledOn } from "./set-settled.ts";
import { statusIsTrue } from "./status-invariants.ts";

/** How the set is updated. */
export type Mode = "rolling" | "surging" | "in-place";

const NODES = 3;
const lease = { namespace: NAMESPACE, name: "farrier" };
/** Short terms: a history of half a minute should see more than one leader. */
const leadership = { leaseDurationMs: 6_000, fenceMarginMs: 2_000, retryMs: 1_500, requestTimeoutMs: 1_200 };
const roles = ["operator", "other-operator"];
const noise = new Set([LEASES, "events"]);

const strategies: Readonly<Record<Mode, JsonObject>> = {
  rolling: { maxUnavailable: 1 },
  surging: { maxSurge: 1, maxUnavailable: 0 },
  "in-place": { rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 1 },
};

/** The kind without its schema: reading that takes longer than a short history, and other tests judge objects by it. */
const thinDefinition = {
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: SETS_TABLE } },
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
    ...{ faultsMs: 25_000, settleMs: 600_000, quietMs: 15_000 },
    faults: [...roles.flatMap((role) => linkFaults(role, 1, { crashes: true })), ...replicaFaults],
    worldFaults: [
      ...roles.flatMap((role) => [cutOff, dies, hangs].map((fault) => fault(role))),
      ...[compaction, podMonkey, otherWriter(sets, SETS_TABLE), ...setFaults(() => setOf(mode))],
    ],
    invariants: () => [
      { ...(mode === "surging" ? twoOnlyWhileSurging : atMostOne("DaemonSet")), name: "S1 AtMostOne" },
      budgetHolds(roles, mode === "surging" ? 0 : 1),
      writesOnlyOwn(roles),
      { ...observedGenerationRises, name: "S8 ObservedGeneration" },
      ...[statusIsTrue(SETS_TABLE, NODES), renderingIsPure(roles), revisionsAreTrue],
    ],
    requestRules: [
      { ...deletesCarryUid(...roles), name: "S4 DeletesCarryUid" },
      writesAreFenced(...roles),
      { ...onlyHolderSends(roles, `${lease.namespace}/${lease.name}`), name: "S9 OneLeader" },
    ],
    isNoise: ({ table }) => noise.has(table),
    unsettled: (state) => unsettledOn(NODES, state),
    setUp: async (world) => {
      const user = world.client("user");
      await user.create(definitions, thinDefinition);
      for (let at = 0; at < NODES; at++) {
        const node = await user.create(nodes, aNode(`node-${at}`, at === 0 ? "large" : "small"));
        // A new node is tainted until somebody finds it ready, and here nobody looks.
        await user.patch(nodes, node.metadata.name, { type: "merge", body: { spec: { taints: null } } });
      }
      await user.create(sets, setOf(mode));
      await user.create(sets, aBrokenSet());
      runSmallKubelets(world);
      collectGarbage(world);
      for (const role of roles) world.host(role, operator);
    },
  };
}

export const operate: Start = (ports) => operateWith(ports, kinds());

/** The operator with kinds of somebody's choice. */
export function operateWith(ports: Parameters<Start>[0], kinds: readonly Kind[]): void {
  run(createOperator(ports, { kinds, program: "farrier", lease, limits: { leadership } }));
}

/** An operator that does not ask whether there is another one. */
export const operateAlone: Start = (ports) => {
  run(createOperator(ports, { kinds: kinds(), program: "farrier" }));
};

/** Pods are bound by us: the scheduler is somebody else's, and would only cost time here. */
export function kinds(): readonly Kind[] {
  return [createDaemonSetKind({ binding: "nodeName" })];
}

function run(operator: Operator): void {
  void operator.run(new AbortController().signal);
}

function setOf(mode: Mode) {
  return aSet({
    revisionHistoryLimit: REVISIONS_KEPT,
    updateStrategy: { type: "RollingUpdate", rollingUpdate: strategies[mode] },
  });
}

function aNode(name: string, size: string) {
  return {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name, labels: { [SIZE_LABEL]: size } } },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
}

/** What a set leaves behind is taken away, as Kubernetes does; also what a late write makes for a set that is gone. */
function collectGarbage(world: World): void {
  const client = world.client("collector");
  const kept = new Map([
    ["pods", pods],
    ["controllerrevisions.apps", revisions],
  ]);
  const collect = () => {
    const { uid } = metaOf(world.state.object(SETS_TABLE, SET_KEY) ?? {});
    for (const [table, resource] of kept) {
      const orphaned = [...world.state.objects(table)].map(metaOf).filter((meta) => controllerOf(meta) !== uid);
      for (const meta of orphaned) {
        const isEnding = meta.deletionTimestamp !== undefined;
        if (!isEnding) act(world, client.remove(resource, `${NAMESPACE}/${textAt(meta, "name")}`));
      }
    }
  };
  world.server.onCommit(({ table, type }) => {
    const isDue = (table === SETS_TABLE && type === "DELETED") || (kept.has(table) && type === "ADDED");
    if (isDue) world.clock.after(300, collect);
  });
}

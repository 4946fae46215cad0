// A VariantSet in the simulator: two replicas of the operator look after one set on four machines, beside the model controllers and
// kubelets, while machines reboot into other kernels, users edit the set, labels are flipped and stripped, and everything else goes wrong.
//
// Beside this file:
//   set-world.ts                          the set and its fleet
//   small-set-scenario.ts                 the same at little cost
//   set-invariants.ts, careless-kinds.ts  what holds after every write, and kinds that break it

import { createOperator } from "../../../src/controllers/loop/create-operator.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import { customResourceDefinition } from "../../../src/kinds/schema/crd.ts";
import { variantSetCrd } from "../../../src/kinds/variant-set/api/crd.ts";
import { createVariantSetKind } from "../../../src/kinds/variant-set/variant-set-kind.ts";
import { metaOf, numberAt, objectAt } from "../../api-server/api-object.ts";
import { startControllers } from "../../controllers/start-controllers.ts";
import { type Nodes, startNodes } from "../../nodes/start-nodes.ts";
import type { State } from "../../simulator/commit.ts";
import {
  act,
  anyKey,
  compaction,
  cutOff,
  dies,
  hangs,
  otherWriter,
  podMonkey,
} from "../../simulator/faults/world-faults.ts";
import { deletesCarryUid } from "../../simulator/invariants/deletes-carry-uid.ts";
import { observedGenerationRises } from "../../simulator/invariants/observed-generation.ts";
import { LEASES, onlyHolderSends } from "../../simulator/invariants/only-holder-sends.ts";
import { nodeFaults } from "../../simulator/native/node-faults.ts";
import { linkFaults } from "../../simulator/network/link.ts";
import type { Start } from "../../simulator/ports.ts";
import { replicaFaults } from "../../simulator/replicas.ts";
import type { Scenario, WorldFault } from "../../simulator/scenario.ts";
import {
  countsAddUp,
  labelsPointToWorkloads,
  oneBudget,
  oneCellPerNode,
  onlyOurLabels,
  prunedByProof,
  selectorsStay,
} from "./set-invariants.ts";
import {
  aSet,
  createPlaces,
  DAEMON_SETS,
  daemonSets,
  definitions,
  fleet,
  kernels,
  NODE_LABEL,
  nodesResource,
  type Place,
  ROLE,
  SET_KEY,
  SETS,
  tagged,
  variantSets,
  variants,
} from "./set-world.ts";

const lease = { namespace: "default", name: "farrier" };
/** Short terms: a history of half a minute should see more than one leader. */
const leadership = { leaseDurationMs: 6_000, fenceMarginMs: 2_000, retryMs: 1_500, requestTimeoutMs: 1_200 };
const roles = ["operator", "other-operator"];
const noise = new Set([LEASES, "events", "nodes"]);

/** Starts an operator that looks after VariantSets; alone, it asks nobody whether it leads. A test may bring a careless kind. */
export function operate(isOneOfTwo: boolean, createKind: () => Kind = createVariantSetKind): Start {
  return (ports) => {
    const options = { kinds: [createKind()], program: "farrier" };
    const leading = isOneOfTwo ? { lease, limits: { leadership } } : {};
    void createOperator(ports, { ...options, ...leading }).run(new AbortController().signal);
  };
}

/** What holds of the set whatever runs below it. */
export function commonRules(who: readonly string[]): Pick<Scenario, "invariants" | "requestRules" | "unsettled"> {
  const placesOf = createPlaces();
  const leads = who.length > 1 ? [onlyHolderSends(who, `${lease.namespace}/${lease.name}`)] : [];
  return {
    invariants: () => [
      ...[oneCellPerNode(placesOf), labelsPointToWorkloads(), onlyOurLabels, prunedByProof(placesOf)],
      ...[selectorsStay, countsAddUp, oneBudget(placesOf), observedGenerationRises],
    ],
    requestRules: [deletesCarryUid(...who), ...leads],
    unsettled: (state) => unsettled(state, placesOf(state)),
  };
}

/** The scenario. What its set-up starts is used by its faults: one history at a time. */
export function setScenario(): Scenario {
  const machines = fleet();
  let nodes: Nodes | undefined;
  return {
    name: "variant-set",
    about: "two replicas of the operator look after a VariantSet on four simulated kubelets",
    ...{ ...commonRules(roles), faultsMs: 30_000, settleMs: 600_000, quietMs: 30_000 },
    faults: [
      ...roles.flatMap((role) => linkFaults(role, 1, { crashes: true })),
      ...["controllers", "nodes"].flatMap((role) => linkFaults(role, 0.3, { crashes: false })),
      ...replicaFaults,
    ],
    worldFaults: [
      ...roles.flatMap((role) => [cutOff, dies, hangs].map((fault) => fault(role))),
      ...["controllers", "nodes"].map(dies),
      ...nodeFaults(() => nodes, kernels),
      ...[compaction, podMonkey, otherWriter(variantSets, SETS), otherWriter(daemonSets, DAEMON_SETS)],
      ...userFaults,
    ],
    isNoise: ({ table }) => noise.has(table),
    setUp: async (world) => {
      const user = world.client("user");
      await user.create(definitions, Object(customResourceDefinition(variantSetCrd)));
      await user.create(variantSets, aSet());
      world.host("controllers", (ports) => void startControllers(ports));
      world.host("nodes", (ports) => {
        nodes = startNodes({ ...ports, fleet: machines });
      });
      for (const role of roles) world.host(role, operate(true));
    },
  };
}

/** An edit of the set by its user. */
function edit(name: string, rate: number, spec: (seed: number) => object): WorldFault {
  return {
    ...{ name, rate },
    strike: (world, fault) => {
      const body = { spec: Object(spec(world.server.revision() + fault.pick(2))) };
      act(world, world.client("user").patch(variantSets, SET_KEY, { type: "merge", body }));
      return JSON.stringify(body);
    },
  };
}

const newImage = edit("new-image", 0.06, (seed) => tagged(`${seed}`));
const renamedVariant = edit("renamed-variant", 0.02, (seed) => ({
  variants: variants(seed % 2 === 0 ? "new" : "newer", "1"),
}));
/** The DaemonSet keeps its name, and its pods stay. */
const renamedInPlace = edit("renamed-in-place", 0.04, (seed) => ({
  variants: variants("new", "1", ["six", "latest", "modern"][seed % 3]),
}));
const pausing = edit("pausing", 0.03, (seed) => ({ updateStrategy: { paused: seed % 3 === 0 } }));

/** A node comes into scope or leaves it. */
const scopeFlips: WorldFault = {
  ...{ name: "scope-flips", rate: 0.05 },
  strike: (world, fault) => {
    const key = anyKey(world, "nodes", fault);
    if (key === undefined) return undefined;
    const body = { metadata: { labels: { [ROLE]: fault.pick(2) === 0 ? "storage" : null } } };
    act(world, world.client("user").patch(nodesResource, key, { type: "merge", body }));
    return `${key} ${JSON.stringify(body.metadata.labels)}`;
  },
};

/** Somebody takes our label from a node. */
const strippedLabel: WorldFault = {
  ...{ name: "stripped-label", rate: 0.03 },
  strike: (world, fault) => {
    const key = anyKey(world, "nodes", fault);
    if (key === undefined) return undefined;
    const body = { metadata: { labels: { [NODE_LABEL]: null } } };
    act(world, world.client("rival").patch(nodesResource, key, { type: "merge", body }));
    return key;
  },
};

/** Somebody deletes a DaemonSet of ours. */
const deletedWorkload: WorldFault = {
  ...{ name: "deleted-workload", rate: 0.02 },
  strike: (world, fault) => {
    const key = anyKey(world, DAEMON_SETS, fault);
    if (key === undefined) return undefined;
    act(world, world.client("user").remove(daemonSets, key));
    return key;
  },
};

/** What people do to the set, its nodes and its DaemonSets. */
export const userFaults: readonly WorldFault[] = [
  ...[newImage, renamedVariant, renamedInPlace, pausing, scopeFlips, strippedLabel, deletedWorkload],
];

/** Every node has what the pure rules give it, and nothing else; the status says so, and no DaemonSet is left that nobody needs. */
function unsettled(state: State, places: readonly Place[]): string | undefined {
  const set = state.object(SETS, SET_KEY) ?? {};
  const status = objectAt(set, "status");
  if (status.observedGeneration !== numberAt(metaOf(set), "generation")) return "the newest spec has not been seen";
  const isPaused = objectAt(objectAt(set, "spec"), "updateStrategy").paused === true;
  for (const place of places) {
    const why = isPaused ? undefined : unsettledNode(place);
    if (why !== undefined) return why;
  }
  const wanted = new Set(
    places.flatMap(({ resolved, boundTo }) => [resolved.cell?.key, boundTo].filter((key) => key !== undefined)),
  );
  const left = [...state.objects(DAEMON_SETS)].map((one) =>
    String(objectAt(metaOf(one), "labels")["farrier.dev/variant"]),
  );
  const surplus = left.filter((key) => !wanted.has(key));
  return surplus.length === 0 || isPaused ? undefined : `DaemonSets of ${surplus.join(", ")} are left`;
}

function unsettledNode({ name, resolved, boundTo, pods }: Place): string | undefined {
  const { wish, cell, outcome } = resolved;
  if (wish.kind === "untouched") return undefined;
  const key = wish.kind === "same" ? boundTo : wish.kind === "workload" ? wish.key : undefined;
  if (boundTo !== key) return `${name} is bound to ${boundTo}, not to ${key}: ${outcome.reason}`;
  if (key === undefined) return pods.length === 0 ? undefined : `${name} has pods and should not`;
  const [pod, ...others] = pods;
  if (pod === undefined || others.length > 0) return `${name} has ${pods.length} pods`;
  if (pod.key !== key || !pod.isServing) return `${name} has a pod of ${pod.key} that serves: ${pod.isServing}`;
  const image = cell?.images.get("agent");
  return image === undefined || pod.image === image ? undefined : `${name} runs ${pod.image}, not ${image}`;
}

// What must hold after every write of the operator while it looks after Modules, whatever goes wrong.
import { metaOf, objectAt, textAt } from "../../../sim/api-server/api-object.ts";
import type { Commit, Invariant, State } from "../../../sim/simulator/commit.ts";
import { controllerOf } from "../../../sim/simulator/invariants/at-most-one.ts";
import { canonicalJson } from "../../../src/core/canonical-json.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { FIT, KERNEL_VERSION, moduleOfBinding, moduleOfReady } from "../../../src/kinds/module/module-labels.ts";
import { oneBudget } from "./module-budget.ts";
import { MODULES } from "./simulated-module.ts";

export const DAEMON_SETS = "daemonsets.apps";

/** All of them, for one history; `roles` are the operator's processes. */
export function moduleInvariants(roles: readonly string[]): readonly Invariant[] {
  const isOurs = ({ by }: Commit) => roles.some((role) => by.startsWith(`${role}.`));
  return [
    oneBudget(isOurs, 1),
    {
      name: "OnlyOwnLabels",
      check: (commit) => (commit.table === "nodes" && isOurs(commit) ? foreignChange(commit) : undefined),
    },
    {
      name: "LabelHasDaemonSet",
      check: (commit, state) => (commit.table === "nodes" && isOurs(commit) ? danglingLabel(commit, state) : undefined),
    },
    {
      name: "OneDaemonSetPerKernel",
      check: (commit, state) => (commit.table === DAEMON_SETS ? twinOf(commit, state) : undefined),
    },
    {
      name: "OneDriverPerNode",
      check: (commit, state) => (commit.table === "pods" ? secondDriver(commit, state) : undefined),
    },
    {
      name: "PrunedByProof",
      check: (commit, state) =>
        commit.table === DAEMON_SETS && isOurs(commit) ? rashDelete(commit, state) : undefined,
    },
    {
      name: "SelectorsStay",
      check: (commit) => (commit.table === DAEMON_SETS ? changedSelector(commit) : undefined),
    },
    {
      name: "OnlyOwnChildren",
      check: (commit, state) => (isOurs(commit) ? foreignChild(commit, state) : undefined),
    },
  ];
}

/** S17: labels that the operator may write are those of its Modules and of kernels; nothing else of a node is its business. */
function foreignChange({ before = {}, after }: Commit): string | undefined {
  if (after === undefined) return "the operator deleted a node";
  if (Object.keys(before).length === 0) return "the operator made a node";
  const [was, is] = [before, after].map((node) => objectAt(metaOf(node), "labels"));
  const keys = new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})]);
  const changed = [...keys].filter((key) => was?.[key] !== is?.[key]);
  const foreign = changed.find((key) => key !== KERNEL_VERSION && !moduleOfBinding(key) && !moduleOfReady(key));
  return foreign === undefined ? undefined : `it changed label ${foreign} of ${textAt(metaOf(after), "name")}`;
}

/** No node is bound to a DaemonSet that is not there. */
function danglingLabel({ before = {}, after = {} }: Commit, state: State): string | undefined {
  const [was, is] = [before, after].map((node) => objectAt(metaOf(node), "labels"));
  for (const [key, value] of Object.entries(is ?? {})) {
    if (moduleOfBinding(key) === undefined || was?.[key] === value) continue;
    const exists = [...state.objects(DAEMON_SETS)].some((set) => objectAt(metaOf(set), "labels")[FIT] === value);
    if (!exists) return `${textAt(metaOf(after), "name")} is bound to ${String(value)}, which is not there`;
  }
  return undefined;
}

function twinOf({ after }: Commit, state: State): string | undefined {
  if (after === undefined) return undefined;
  const identity = (set: JsonObject) => `${controllerOf(metaOf(set))} ${textAt(objectAt(metaOf(set), "labels"), FIT)}`;
  const twins = [...state.objects(DAEMON_SETS)].filter((set) => identity(set) === identity(after));
  return twins.length > 1
    ? `${twins.map((set) => textAt(metaOf(set), "name")).join(" and ")} are for the same`
    : undefined;
}

/** Pods of two kernels never stand on one node, not even one that is about to end beside one that starts. */
function secondDriver({ after }: Commit, state: State): string | undefined {
  const node = after === undefined ? "" : textAt(objectAt(after, "spec"), "nodeName");
  if (node === "") return undefined;
  const fits = new Set(
    [...state.objects("pods")]
      .filter((pod) => textAt(objectAt(pod, "spec"), "nodeName") === node && !hasEnded(pod))
      .map((pod) => textAt(objectAt(metaOf(pod), "labels"), FIT))
      .filter((fit) => fit !== ""),
  );
  return fits.size > 1 ? `${node} has drivers for ${[...fits].join(" and ")}` : undefined;
}

function hasEnded(pod: JsonObject): boolean {
  const phase = textAt(objectAt(pod, "status"), "phase");
  return phase === "Failed" || phase === "Succeeded";
}

/** What we delete is bound to no node. */
function rashDelete({ before, after, key }: Commit, state: State): string | undefined {
  const isDeleted = after === undefined || metaOf(after).deletionTimestamp !== undefined;
  if (before === undefined || !isDeleted || metaOf(before).deletionTimestamp !== undefined) return undefined;
  const fit = textAt(objectAt(metaOf(before), "labels"), FIT);
  const bound = [...state.objects("nodes")].filter((node) =>
    Object.entries(objectAt(metaOf(node), "labels")).some(
      ([label, value]) => value === fit && moduleOfBinding(label) !== undefined,
    ),
  );
  return bound.length === 0 ? undefined : `${key} was deleted while ${bound.length} nodes are bound to it`;
}

function changedSelector({ before, after, key }: Commit): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  const selector = (set: JsonObject) => canonicalJson(objectAt(objectAt(set, "spec"), "selector"));
  return selector(before) === selector(after) ? undefined : `the selector of ${key} changed`;
}

/** S3: DaemonSets and pods that the operator writes to belong to a Module. */
function foreignChild({ table, before, after, key }: Commit, state: State): string | undefined {
  const object = after ?? before ?? {};
  if (table === DAEMON_SETS) return isModule(controllerOf(metaOf(object)), state) ? undefined : `${key} is nobody's`;
  if (table !== "pods" || object === undefined) return undefined;
  const owner = controllerOf(metaOf(object));
  const sets = [...state.objects(DAEMON_SETS)].filter((set) => metaOf(set).uid === owner);
  // A DaemonSet may have gone since the pod was seen.
  const isOwned = sets.length === 0 || sets.some((set) => isModule(controllerOf(metaOf(set)), state));
  return isOwned ? undefined : `pod ${key} is not of a Module`;
}

function isModule(uid: string, state: State): boolean {
  return [...state.objects(MODULES)].some((module) => metaOf(module).uid === uid);
}

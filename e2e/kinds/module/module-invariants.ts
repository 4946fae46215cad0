// What must hold after every write of the operator while it looks after Modules, whatever goes wrong.
import { metaOf, objectAt, textAt } from "../../../sim/api-server/api-object.ts";
import type { Commit, Invariant, State } from "../../../sim/simulator/commit.ts";
import { controllerOf } from "../../../sim/simulator/invariants/at-most-one.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { FIT, KERNEL_VERSION, moduleOfBinding, moduleOfReady } from "../../../src/kinds/module/module-labels.ts";
import { MODULES } from "./simulated-module.ts";

const SETS = "daemonsets.apps";

/** All of them; `roles` are the operator's processes. */
export function moduleInvariants(roles: readonly string[]): readonly Invariant[] {
  const isOurs = ({ by }: Commit) => roles.some((role) => by.startsWith(`${role}.`));
  return [
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
      check: (commit, state) => (commit.table === SETS ? twinOf(commit, state) : undefined),
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
    const exists = [...state.objects(SETS)].some((set) => objectAt(metaOf(set), "labels")[FIT] === value);
    if (!exists) return `${textAt(metaOf(after), "name")} is bound to ${String(value)}, which is not there`;
  }
  return undefined;
}

function twinOf({ after }: Commit, state: State): string | undefined {
  if (after === undefined) return undefined;
  const identity = (set: JsonObject) => `${controllerOf(metaOf(set))} ${textAt(objectAt(metaOf(set), "labels"), FIT)}`;
  const twins = [...state.objects(SETS)].filter((set) => identity(set) === identity(after));
  return twins.length > 1
    ? `${twins.map((set) => textAt(metaOf(set), "name")).join(" and ")} are for the same`
    : undefined;
}

/** S3: DaemonSets and pods that the operator writes to belong to a Module. */
function foreignChild({ table, before, after, key }: Commit, state: State): string | undefined {
  const object = after ?? before ?? {};
  if (table === SETS) return isModule(controllerOf(metaOf(object)), state) ? undefined : `${key} is nobody's`;
  if (table !== "pods" || object === undefined) return undefined;
  const owner = controllerOf(metaOf(object));
  const sets = [...state.objects(SETS)].filter((set) => metaOf(set).uid === owner);
  // A DaemonSet may have gone since the pod was seen.
  const isOwned = sets.length === 0 || sets.some((set) => isModule(controllerOf(metaOf(set)), state));
  return isOwned ? undefined : `pod ${key} is not of a Module`;
}

function isModule(uid: string, state: State): boolean {
  return [...state.objects(MODULES)].some((module) => metaOf(module).uid === uid);
}

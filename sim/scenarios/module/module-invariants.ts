// What must hold after every write while the operator looks after Modules, whatever goes wrong: the invariants of the failure
// catalogue by their names there. S13 and S17 are told by the end of a history, too: it settles, and is quiet.

import type { JsonObject } from "../../../src/core/json/json.ts";
import { FIT, moduleOfBinding } from "../../../src/kinds/module/module-labels.ts";
import { listAt, metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import type { Commit, Invariant, State } from "../../simulator/commit.ts";
import { controllerOf } from "../../simulator/invariants/at-most-one.ts";
import { SETS } from "../small-daemon-sets.ts";
import { foreignChange } from "./foreign-fields.ts";
import { kernelMatch } from "./kernel-match.ts";
import { oneBudget } from "./module-budget.ts";
import { onePartition } from "./module-partition.ts";
import { isEnding, nameOf, nodeOf } from "./module-wishes.ts";
import { MODULES } from "./simulated-module.ts";

/** Whoever makes the same DaemonSet more often than this goes in circles. */
const REMADE_MAX = 3;

/**
 * All of them, for one history: some remember. `roles` are the operator's processes. Kubernetes' own controller may make twins of one
 * DaemonSet from an old picture; where it does, only drivers for different kernels count as two.
 */
export function moduleInvariants(
  roles: readonly string[],
  nowMs: () => number,
  { nativeTwins }: { readonly nativeTwins: boolean },
): readonly Invariant[] {
  const isOurs = ({ by }: Commit) => roles.some((role) => by.startsWith(`${role}.`));
  const ours = (name: string, check: Invariant["check"]): Invariant => ({
    name,
    check: (commit, state) => (isOurs(commit) ? check(commit, state) : undefined),
  });
  return [
    { name: "S1 AtMostOne", check: (commit, state) => secondDriver(commit, state, nativeTwins) },
    oneBudget(isOurs, 1),
    ours("S3 Owner", foreignChild),
    kernelMatch(isOurs, nowMs),
    ...onePartition(isOurs),
    ours("S7 Foreign", foreignChange),
    noCircles(isOurs),
    ours("S16 Finalize", addedFinalizer),
    ours("PrunedByProof", rashDelete),
  ];
}

/** Drivers of one Module never stand on one node together, not even one that is about to end beside one for another kernel. */
function secondDriver({ table, after }: Commit, state: State, nativeTwins: boolean): string | undefined {
  const node = table !== "pods" || after === undefined ? "" : nodeOf(after);
  if (node === "" || after === undefined || fitOf(after) === "") return undefined;
  const module = moduleOf(after, state);
  const there = [...state.objects("pods")].filter(
    (pod) => nodeOf(pod) === node && fitOf(pod) !== "" && !hasEnded(pod) && moduleOf(pod, state) === module,
  );
  const fits = new Set(there.map(fitOf));
  if (fits.size > 1) return `${node} has drivers for ${[...fits].join(" and ")}`;
  const staying = there.filter((pod) => !isEnding(pod));
  return staying.length > 1 && !nativeTwins ? `${node} has ${staying.map(nameOf).join(" and ")}` : undefined;
}

/** The Module whose DaemonSet controls a pod; its own UID when that DaemonSet is gone, so that it stands alone. */
function moduleOf(pod: JsonObject, state: State): string {
  const owner = controllerOf(metaOf(pod));
  const set = [...state.objects(SETS)].find((each) => metaOf(each).uid === owner);
  return set === undefined ? textAt(metaOf(pod), "uid") : controllerOf(metaOf(set));
}

/** DaemonSets, Jobs and pods that the operator writes to belong to a Module. */
function foreignChild({ table, before, after, key }: Commit, state: State): string | undefined {
  const object = before ?? after ?? {};
  const owner = controllerOf(metaOf(object));
  if (table === SETS || table === "jobs.batch") {
    const isMine = isModule(owner, state) || wasModule(object);
    return isMine ? undefined : `${key} is controlled by "${owner}", which is no Module`;
  }
  if (table !== "pods") return undefined;
  const sets = [...state.objects(SETS)].filter((set) => metaOf(set).uid === owner);
  // A DaemonSet may have gone since the pod was seen.
  const isOwned = owner !== "" && (sets.length === 0 || sets.some((set) => wasModule(set)));
  return isOwned ? undefined : `pod ${key} is not of a Module`;
}

/** A late write may meet what is left of a Module that is gone. */
function wasModule(object: JsonObject): boolean {
  return listAt(metaOf(object), "ownerReferences").some(
    (owner) => typeof owner === "object" && owner !== null && "kind" in owner && owner.kind === "Module",
  );
}

function isModule(uid: string, state: State): boolean {
  return [...state.objects(MODULES)].some((module) => metaOf(module).uid === uid);
}

/** S13, the part that an end cannot tell: nothing is made and deleted in a circle. */
function noCircles(isOurs: (commit: Commit) => boolean): Invariant {
  const made = new Map<string, number>();
  return {
    name: "S13 Quiet",
    check(commit, state) {
      const { table, before, after, key } = commit;
      if (table !== SETS || before !== undefined || after === undefined || !isOurs(commit)) return undefined;
      // For a Module that is gone the collector and an old cache may disagree, until that cache has caught up.
      if (!isModule(controllerOf(metaOf(after)), state)) return undefined;
      const times = (made.get(key) ?? 0) + 1;
      made.set(key, times);
      return times > REMADE_MAX ? `${key} was made ${times} times` : undefined;
    },
  };
}

/** We hold up no deletion. A finalizer that comes with a delete in the foreground is the server's. */
function addedFinalizer({ before, after, key }: Commit): string | undefined {
  if (after === undefined || isEnding(after)) return undefined;
  const had = new Set(listAt(metaOf(before ?? {}), "finalizers"));
  const added = listAt(metaOf(after), "finalizers").find((finalizer) => !had.has(finalizer));
  return added === undefined ? undefined : `${key} got finalizer ${String(added)}`;
}

/** What we delete is bound to no node. */
function rashDelete({ table, before, after, key }: Commit, state: State): string | undefined {
  const isDeleted = after === undefined || isEnding(after);
  if (table !== SETS || before === undefined || !isDeleted || isEnding(before)) return undefined;
  const fit = fitOf(before);
  const bound = [...state.objects("nodes")].filter((node) =>
    Object.entries(objectAt(metaOf(node), "labels")).some(
      ([label, value]) => value === fit && moduleOfBinding(label) !== undefined,
    ),
  );
  return bound.length === 0 ? undefined : `${key} was deleted while ${bound.length} nodes are bound to it`;
}

function fitOf(object: JsonObject): string {
  return textAt(objectAt(metaOf(object), "labels"), FIT);
}

function hasEnded(pod: JsonObject): boolean {
  const phase = textAt(objectAt(pod, "status"), "phase");
  return phase === "Failed" || phase === "Succeeded";
}

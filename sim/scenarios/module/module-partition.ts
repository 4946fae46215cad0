// S6: the DaemonSets of one Module divide its nodes among them: one per fit, each for nodes that are bound to it, and their selectors never
// change.

import { canonicalJson } from "../../../src/core/json/canonical-json.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { FIT, moduleOfBinding } from "../../../src/kinds/module/module-labels.ts";
import { metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import type { Commit, Invariant, State } from "../../simulator/commit.ts";
import { controllerOf } from "../../simulator/invariants/at-most-one.ts";
import { SETS } from "../small-daemon-sets.ts";
import { nameOf } from "./module-wishes.ts";

/** The two halves of it. */
export function onePartition(isOurs: (commit: Commit) => boolean): readonly Invariant[] {
  const onSets = (check: Invariant["check"]): Invariant["check"] => {
    return (commit, state) => (commit.table === SETS && isOurs(commit) ? check(commit, state) : undefined);
  };
  return [
    { name: "S6 Partition", check: onSets(overlap) },
    { name: "S6 SelectorsStay", check: onSets(changedSelector) },
  ];
}

function overlap({ after }: Commit, state: State): string | undefined {
  if (after === undefined || fitOf(after) === "") return undefined;
  const place = placeOf(after);
  if (place === undefined) return `${nameOf(after)} goes to nodes that are not bound to it`;
  const twins = [...state.objects(SETS)].filter(
    (set) => controllerOf(metaOf(set)) === controllerOf(metaOf(after)) && placeOf(set) === place,
  );
  return twins.length > 1 ? `${twins.map(nameOf).join(" and ")} go to the same nodes` : undefined;
}

/** The one label of nodes that a driver's pods go by; undefined when it is not the DaemonSet's own. */
function placeOf(set: JsonObject): string | undefined {
  const podSpec = objectAt(objectAt(objectAt(set, "spec"), "template"), "spec");
  const bindings = Object.entries(objectAt(podSpec, "nodeSelector")).filter(
    ([key]) => moduleOfBinding(key) !== undefined,
  );
  const [[key, value] = []] = bindings;
  return bindings.length === 1 && value === fitOf(set) ? `${key}=${value}` : undefined;
}

function changedSelector({ before, after, key }: Commit): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  const selector = (set: JsonObject) => canonicalJson(objectAt(objectAt(set, "spec"), "selector"));
  return selector(before) === selector(after) ? undefined : `the selector of ${key} changed`;
}

function fitOf(set: JsonObject): string {
  return textAt(objectAt(metaOf(set), "labels"), FIT);
}

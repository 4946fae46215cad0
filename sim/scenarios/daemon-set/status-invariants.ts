// What a status promises of itself, whatever it was decided from: its counts fit together, and a condition that says the same keeps its time.

import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, metaOf, numberAt, objectAt } from "../../api-server/api-object.ts";
import type { Invariant } from "../../simulator/commit.ts";

/** S8: of sets in a table, on a fleet of so many nodes. */
export function statusIsTrue(table: string, nodes: number): Invariant {
  return {
    name: "S8 StatusTruth",
    check(commit) {
      if (commit.table !== table || commit.after === undefined) return undefined;
      const isSame = commit.before !== undefined && metaOf(commit.before).uid === metaOf(commit.after).uid;
      const before = isSame ? objectAt(commit.before ?? {}, "status") : {};
      const after = objectAt(commit.after, "status");
      return wrongCounts(after, nodes) ?? wrongTimes(before, after);
    },
  };
}

function wrongCounts(status: JsonObject, nodes: number): string | undefined {
  const desired = numberAt(status, "desiredNumberScheduled") ?? 0;
  const available = numberAt(status, "numberAvailable") ?? 0;
  const parts = ["currentNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable"];
  const tooMany = parts.find((key) => (numberAt(status, key) ?? 0) > desired);
  if (tooMany !== undefined) return `${tooMany} is more than the ${desired} that are desired`;
  if (desired > nodes) return `${desired} are desired on ${nodes} nodes`;
  const unavailable = numberAt(status, "numberUnavailable") ?? desired - available;
  return unavailable === desired - available
    ? undefined
    : `${unavailable} are unavailable, of ${desired} less ${available}`;
}

function wrongTimes(before: JsonObject, after: JsonObject): string | undefined {
  const old = new Map(conditionsIn(before).map((one) => [one.type, one]));
  const moved = conditionsIn(after).find((one) => {
    const was = old.get(one.type);
    return was !== undefined && was.status === one.status && was.lastTransitionTime !== one.lastTransitionTime;
  });
  return moved && `condition ${String(moved.type)} is as it was, and has another time`;
}

function conditionsIn(status: JsonObject): readonly JsonObject[] {
  return listAt(status, "conditions").filter(isJsonObject);
}

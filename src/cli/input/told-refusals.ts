// Which nodes did not take their labels, and which DaemonSets were refused, as the statuses of objects tell: only the operator
// has tried, and nothing else on a cluster shows it.
//
// Caveat: a status names a few nodes of each cause; the others look as if they were about to move.

import { objectIdentity } from "../../core/decision/object-identity.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import type { Refusal, Snapshot } from "../../core/decision/snapshot.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";

/** Causes that only a write can find out. */
const REFUSALS: readonly Reason[] = ["LabelContested", "Forbidden", "InvalidSpec", "ApiTrouble"];

/** Reads the refusals from the problems that objects have in their statuses. */
export function toldRefusals(objects: readonly JsonObject[]): NonNullable<Snapshot["refusal"]> {
  const refusals = new Map<string, Refusal>();
  for (const object of objects) {
    const { uid } = objectIdentity(object);
    const { problems, variants } = isJsonObject(object.status) ? object.status : {};
    for (const problem of objectsIn(problems)) {
      const refusal = refusalIn(problem);
      if (refusal === undefined) continue;
      for (const node of textsIn(problem.examples)) refusals.set(`${uid}/Node/${node}`, refusal);
      const entries = objectsIn(variants).filter(({ name }) => name === problem.variant);
      for (const name of textsIn(entries.map(({ daemonSet = "" }) => daemonSet)))
        refusals.set(`${uid}/DaemonSet/${name}`, refusal);
    }
  }
  return (ownerUid, kind, name) => refusals.get(`${ownerUid}/${kind}/${name}`);
}

function refusalIn({ reason: word, message: because }: JsonObject): Refusal | undefined {
  const reason = REFUSALS.find((one) => one === word);
  return reason === undefined || typeof because !== "string" ? undefined : { reason, because };
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return isJsonList(list) ? list.filter(isJsonObject) : [];
}

function textsIn(list: Json | undefined): readonly string[] {
  return isJsonList(list) ? list.filter((one) => typeof one === "string") : [];
}

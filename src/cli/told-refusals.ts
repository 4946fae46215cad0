// Which nodes did not take their labels, as the statuses of objects tell: only the operator has tried, and nothing else on a cluster shows it.
//
// Caveat: a status names a few nodes of each cause; the others look as if they were about to move.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { objectIdentity } from "../core/object-identity.ts";
import type { Reason } from "../core/reasons.ts";
import type { Refusal, Snapshot } from "../core/snapshot.ts";

/** Causes that only a write can find out. */
const REFUSALS: readonly Reason[] = ["LabelContested", "Forbidden", "InvalidSpec", "ApiTrouble"];

/** Reads the refusals from the problems that objects have in their statuses. */
export function toldRefusals(objects: readonly JsonObject[]): NonNullable<Snapshot["refusal"]> {
  const refusals = new Map<string, Refusal>();
  for (const object of objects) {
    const { uid } = objectIdentity(object);
    const { problems = null } = isJsonObject(object.status) ? object.status : {};
    for (const problem of isJsonList(problems) ? problems : []) {
      const { refusal, nodes } = refusalIn(problem);
      if (refusal !== undefined) for (const node of nodes) refusals.set(`${uid}/${node}`, refusal);
    }
  }
  return (ownerUid, node) => refusals.get(`${ownerUid}/${node}`);
}

function refusalIn(problem: Json): { readonly refusal?: Refusal; readonly nodes: readonly string[] } {
  if (!isJsonObject(problem)) return { nodes: [] };
  const { reason: word, message: because, examples = null } = problem;
  const reason = REFUSALS.find((one) => one === word);
  if (reason === undefined || typeof because !== "string" || !isJsonList(examples)) return { nodes: [] };
  return { refusal: { reason, because }, nodes: examples.filter((node) => typeof node === "string") };
}

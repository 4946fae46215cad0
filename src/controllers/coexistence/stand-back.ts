// Leaving a kind alone while another operator serves it: nothing is decided, nothing is written, and whoever looks at an object is told once.
import type { ObjectName } from "../../kinds/kind.ts";
import { namedKey } from "../../kube/resource.ts";
import type { ReconcileParts } from "../loop/reconcile.ts";
import { onBehalfOf } from "../perform/on-behalf.ts";
import type { Rivals } from "./rivals.ts";

/** Objects that are remembered to have been told; beyond that one may be told again. */
const TOLD_MAX = 10_000;

export type StandBackParts = Pick<ReconcileParts, "kind" | "find" | "events" | "program"> & {
  readonly rivals: Pick<Rivals, "standing">;
};

/** A function that says whether an object is left alone now, and tells so by an event for each cause once. */
export function createStandBack(parts: StandBackParts): (name: ObjectName) => boolean {
  const { kind, find, events, program, rivals } = parts;
  let cause: string | undefined;
  const told = new Set<string>();
  return (name) => {
    const standing = rivals.standing(kind);
    if (standing?.because !== cause || told.size >= TOLD_MAX) told.clear();
    cause = standing?.because;
    if (standing === undefined) return false;
    const key = namedKey(name.name, name.namespace);
    const object = find(name);
    if (!standing.isCertain || object === undefined || told.has(key)) return true;
    told.add(key);
    const { ref } = onBehalfOf(kind, name, { object, program });
    const about = { ...ref, uid: object.uid };
    events.record({ about, type: "Warning", reason: "OtherControllerActive", message: standing.because });
    return true;
  };
}

// How far an object's rollout is, as its status says it.
//
// Beside this file:
//   rollout-object.ts   finds the object, and writes to it
//   rollout-history.ts  its revisions
//   waiting-pods.ts     the pods that a rollout waits for

import { countIn } from "../../core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { listOf } from "../../kinds/schema/json-parts.ts";
import { type KnownObject, objectText } from "../input/named-object.ts";
import { conditionSaid, fittedCounts, isUnseen, statusOf } from "../input/object-condition.ts";
import { namesAndMore, plural } from "../output/print.ts";
import { type WaitingPods, waitingPods } from "./waiting-pods.ts";

export type RolloutStatus = {
  readonly object: string;
  readonly nodes: number;
  readonly updated: number;
  readonly fitted: number;
  readonly isDone: boolean;
  readonly isPaused: boolean;
  readonly reason: string;
  readonly message: string;
  /** Pods that are not ready, by what keeps them. */
  readonly waiting: readonly WaitingPods[];
};

/** The status; done means that the operator says so of the spec that is stored. */
export function rolloutStatus(known: KnownObject, objects: readonly JsonObject[]): RolloutStatus {
  const { stored } = known;
  const { nodes = 0, fitted = 0 } = fittedCounts(stored) ?? {};
  const rolled = conditionSaid(stored, "RolledOut") ?? conditionSaid(stored, "Ready");
  const said = isUnseen(stored) || rolled === undefined;
  const unseen = `the operator has not seen generation ${stored.generation} yet`;
  return {
    ...{ object: objectText(known), nodes, fitted, updated: updatedCount(known, fitted), isPaused: isPaused(known) },
    isDone: !said && rolled.status === "True",
    reason: said ? "NotObserved" : rolled.reason,
    message: said ? unseen : rolled.message,
    waiting: waitingPods(stored.uid, objects),
  };
}

/** One line, why it is not done, and whom it waits for. */
export function printRollout(status: RolloutStatus): string {
  const { object, nodes, updated, fitted, isDone, isPaused: paused, reason, message } = status;
  const sign = isDone ? "✔" : paused ? "‖" : "◌";
  const head = `${sign} ${object}   ${updated}/${nodes} updated   ${fitted}/${nodes} fitted${paused ? "   paused" : ""}`;
  if (isDone) return `${head}\n`;
  const lines = [head, `    ${reason}${message === "" ? "" : `: ${message}`}`, ...status.waiting.map(waitingLine)];
  return `${lines.join("\n")}\n`;
}

function waitingLine({ reason, image, count, nodes }: WaitingPods): string {
  const of = image === "" ? "" : ` of ${image}`;
  return `    waits for ${plural(count, "pod")}: ${reason}${of} (${namesAndMore(nodes, count)})`;
}

/** Sets the pause where the kind keeps it; a successor of the name has another UID, and the server refuses. */
export function pausePatch({ kind, stored }: KnownObject, paused: boolean): Readonly<Record<string, unknown>> {
  const { uid } = stored;
  const isAdvanced = kind.kind === "DaemonSet";
  return { metadata: { uid }, spec: { updateStrategy: isAdvanced ? { rollingUpdate: { paused } } : { paused } } };
}

/** Whether the spec says that no node is to be updated. */
export function isPaused({ stored }: KnownObject): boolean {
  const { spec } = stored.object;
  const strategy = isJsonObject(spec) && isJsonObject(spec.updateStrategy) ? spec.updateStrategy : {};
  const rolling = isJsonObject(strategy.rollingUpdate) ? strategy.rollingUpdate : {};
  return strategy.paused === true || rolling.paused === true;
}

function updatedCount({ stored }: KnownObject, fitted: number): number {
  const { updatedNumberScheduled, variants } = statusOf(stored.object);
  if (updatedNumberScheduled !== undefined) return countIn(updatedNumberScheduled);
  // A Module counts a node as fitted only with the driver that it should have.
  const each = listOf(variants).map((variant) => (isJsonObject(variant) ? countIn(variant.updated) : 0));
  return each.length === 0 ? fitted : each.reduce((sum, count) => sum + count, 0);
}

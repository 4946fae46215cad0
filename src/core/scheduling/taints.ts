// Taints keep pods off a node unless a toleration lets them stay: the two read at the door, and matched.
// Which effects count is the caller's choice; a DaemonSet looks at NoSchedule and NoExecute only.

import { isJsonObject } from "../json/json.ts";
import { type Int64, isBeyond, parseCanonicalInt64 } from "../values/int64.ts";

export type Taint = { readonly key: string; readonly value: string; readonly effect: string };

/** A toleration read once; an empty key or effect stands for any. */
export type Toleration =
  | { readonly op: "Exists"; readonly key: string; readonly effect: string }
  | { readonly op: "Equal"; readonly key: string; readonly effect: string; readonly value: string }
  | { readonly op: "Gt" | "Lt"; readonly key: string; readonly effect: string; readonly bound: Int64 };

export type TolerationOptions = {
  /** Whether `Gt` and `Lt` compare numbers (a cluster's feature gate from 1.35 on); otherwise they tolerate nothing. */
  readonly comparisonOperators: boolean;
};

/** Reads the taints of a node; what is no taint is left out, because the API server would not have stored it. */
export function parseTaints(taints: unknown): readonly Taint[] {
  return listOf(taints).flatMap((taint) => {
    if (!isJsonObject(taint)) return [];
    return [{ key: textOr(taint.key), value: textOr(taint.value), effect: textOr(taint.effect) }];
  });
}

/** Reads tolerations of a pod; those that can never tolerate anything (unknown operator, no number) are left out. */
export function parseTolerations(tolerations: unknown, options: TolerationOptions): readonly Toleration[] {
  return listOf(tolerations).flatMap((toleration) => {
    const read = parseToleration(toleration, options);
    return read === undefined ? [] : [read];
  });
}

/** Says whether the toleration lets a pod live with the taint. */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== "" && toleration.effect !== taint.effect) return false;
  if (toleration.key !== "" && toleration.key !== taint.key) return false;
  switch (toleration.op) {
    case "Exists":
      return true;
    case "Equal":
      return toleration.value === taint.value;
    case "Gt":
    case "Lt":
      return isBeyond(toleration.op, parseCanonicalInt64(taint.value), toleration.bound);
  }
}

/** The first taint with one of these effects (none given: any effect) that no toleration tolerates. */
export function findUntoleratedTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects?: readonly string[],
): Taint | undefined {
  for (const taint of taints) {
    if (effects !== undefined && !effects.includes(taint.effect)) continue;
    if (!isTolerated(taint, tolerations)) return taint;
  }
  return undefined;
}

/** By these the node lifecycle controller keeps new pods off a node that is NotReady or unreachable. */
const LOST_NODE_TAINTS: readonly string[] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** Whether nothing but the node lifecycle controller's taints keeps new pods away: the node is lost for now, not out of scope. */
export function isLostToTaints(taints: readonly Taint[], tolerations: readonly Toleration[]): boolean {
  let isLost = false;
  for (const taint of taints) {
    if (taint.effect !== "NoSchedule" && taint.effect !== "NoExecute") continue;
    if (isTolerated(taint, tolerations)) continue;
    if (taint.effect !== "NoSchedule" || !LOST_NODE_TAINTS.includes(taint.key)) return false;
    isLost = true;
  }
  return isLost;
}

/** The taint as kubectl spells it: `key=value:Effect`. */
export function taintText(taint: Taint): string {
  return `${taint.key}${taint.value === "" ? "" : `=${taint.value}`}:${taint.effect}`;
}

function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  for (const toleration of tolerations) {
    if (toleratesTaint(toleration, taint)) return true;
  }
  return false;
}

function parseToleration(toleration: unknown, options: TolerationOptions): Toleration | undefined {
  if (!isJsonObject(toleration)) return undefined;
  const key = toleration.key ?? "";
  const effect = toleration.effect ?? "";
  const value = toleration.value ?? "";
  // An unreadable key must not turn into the empty one, which would tolerate more than its author meant.
  if (typeof key !== "string" || typeof effect !== "string" || typeof value !== "string") return undefined;
  switch (toleration.operator ?? "") {
    case "":
    case "Equal":
      return { op: "Equal", key, effect, value };
    case "Exists":
      return { op: "Exists", key, effect };
    case "Gt":
      return options.comparisonOperators ? comparison("Gt", key, effect, value) : undefined;
    case "Lt":
      return options.comparisonOperators ? comparison("Lt", key, effect, value) : undefined;
    default:
      return undefined;
  }
}

function comparison(op: "Gt" | "Lt", key: string, effect: string, value: string): Toleration | undefined {
  const bound = parseCanonicalInt64(value);
  return bound === undefined ? undefined : { op, key, effect, bound };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}

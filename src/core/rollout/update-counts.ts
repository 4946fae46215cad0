// How many nodes a rolling update may take at a time: maxUnavailable and maxSurge, scaled to the nodes that should run a pod.

import { noteProblem, type Parsed, type Problem } from "../decision/problem.ts";
import { hundredPercentFault, nonNegativeFault, parseIntOrPercent, scaled } from "../values/int-or-percent.ts";

/** As written in the strategy; null is the same as left out. */
export type UpdateLimits = { readonly maxUnavailable?: unknown; readonly maxSurge?: unknown };

export type UpdateCounts = { readonly maxUnavailable: number; readonly maxSurge: number };

/** Scales both limits, rounding up; if both come out as zero, one node may be unavailable, or nothing would ever move. */
export function updateCounts(limits: UpdateLimits, desiredNodes: number, path: string): Parsed<UpdateCounts> {
  const maxUnavailable = countOf(limits.maxUnavailable, desiredNodes, `${path}.maxUnavailable`);
  if (!maxUnavailable.ok) return maxUnavailable;
  const maxSurge = countOf(limits.maxSurge, desiredNodes, `${path}.maxSurge`);
  if (!maxSurge.ok) return maxSurge;
  const isStuck = desiredNodes > 0 && maxUnavailable.value === 0 && maxSurge.value === 0;
  return { ok: true, value: { maxUnavailable: isStuck ? 1 : maxUnavailable.value, maxSurge: maxSurge.value } };
}

/** How many of the nodes an update reaches while a partition holds some of them back. */
export function nodesToUpdate(nodes: number, partition: number): number {
  return Math.max(0, nodes - partition);
}

/** Lists what admission would refuse: bad values, more than 100%, both limits at zero, or both above it. */
export function validateUpdateLimits(limits: UpdateLimits, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  // The API server fills in these defaults before it validates.
  const maxUnavailable = limits.maxUnavailable ?? 1;
  const maxSurge = limits.maxSurge ?? 0;
  for (const [field, value] of [
    ["maxUnavailable", maxUnavailable],
    ["maxSurge", maxSurge],
  ] as const) {
    const fault = nonNegativeFault(value) ?? hundredPercentFault(value);
    if (fault !== undefined) noteProblem(problems, `${path}.${field}`, fault);
  }
  if (problems.length > 0) return problems;
  if (isZero(maxUnavailable) && isZero(maxSurge))
    noteProblem(problems, `${path}.maxUnavailable`, "must not be 0 when maxSurge is 0");
  if (!isZero(maxUnavailable) && !isZero(maxSurge))
    noteProblem(problems, `${path}.maxSurge`, "must be 0 when maxUnavailable is not");
  return problems;
}

function countOf(value: unknown, total: number, path: string): Parsed<number> {
  if (value === undefined || value === null) return { ok: true, value: 0 };
  const parsed = parseIntOrPercent(value, path);
  return parsed.ok ? { ok: true, value: scaled(parsed.value, total, "up") } : parsed;
}

function isZero(value: unknown): boolean {
  const parsed = parseIntOrPercent(value, "");
  return parsed.ok && scaled(parsed.value, 100, "up") === 0;
}

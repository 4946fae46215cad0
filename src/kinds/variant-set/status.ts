// The status of a set: every node counted under its one outcome, one entry per DaemonSet, and what keeps nodes from being fitted, by
// cause with a few examples.
import { canonicalJson } from "../../core/canonical-json.ts";
import { buildConditions, type Claim, timestamp } from "../../core/conditions.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import type { StoredObject } from "../../core/snapshot.ts";
import type { ObjectRef, Step } from "../../core/step.ts";
import { listOf } from "../json-parts.ts";
import { EXAMPLE_NODES_MAX, PROBLEM_GROUPS_MAX } from "../status-schema.ts";
import type { Decided } from "./decide.ts";
import type { CellDecision } from "./decide-cells.ts";
import { type NodeOutcome, type OutcomeKind, outcomeOfNode, waitsOf } from "./node-outcome.ts";
import { DAEMON_SETS_MAX } from "./schema-status.ts";
import { claimsOf } from "./status-conditions.ts";

export type NodeCounts = Readonly<Record<OutcomeKind, number>> & { readonly inScope: number };
/** Nodes that have the same trouble. */
export type Trouble = { readonly outcome: NodeOutcome; readonly nodes: number; readonly examples: readonly string[] };

/** The step that stores the status, if it is not stored already. */
export function statusStep(decided: Decided): readonly Step[] {
  const { observed, cells, nowMs } = decided;
  const { stored } = observed;
  const { counts, troubles } = countNodes(decided);
  const variants = [...cells.values()].filter(({ seen }) => seen.cell !== undefined || seen.workload !== undefined);
  // A name that two cells want is listed for the one that has it: the API server takes each name once.
  const taken = new Set(variants.flatMap(({ seen }) => seen.workload?.name ?? []));
  const listed = variants.filter(({ seen }) => seen.workload !== undefined || !taken.has(seen.cell?.name ?? ""));
  const status = {
    variantCount: variants.filter(({ seen }) => seen.cell !== undefined).length,
    nodes: counts,
    variants: listed.slice(0, DAEMON_SETS_MAX).map((cell) => variantStatus(cell, decided)),
    problems: troubles.slice(0, PROBLEM_GROUPS_MAX).map(({ outcome, nodes, examples }) => {
      return { reason: outcome.reason, message: outcome.because, nodes, examples };
    }),
  };
  return reportOf(stored, status, claimsOf(decided, counts, troubles), nowMs);
}

/** The status of a set that breaks a rule: what is there stays, and the message names the first problems. */
export function invalidStep(stored: StoredObject, problems: readonly Problem[], nowMs: number): readonly Step[] {
  const message = problems
    .slice(0, PROBLEM_GROUPS_MAX)
    .map(({ path, message: text }) => `${path}: ${text}`)
    .join("; ");
  const said = { reason: "InvalidSpec" as const, message };
  const claims: readonly Claim[] = [
    { type: "Ready", status: "False", ...said },
    { type: "Reconciling", status: "False", ...said },
    { type: "Stalled", status: "True", ...said },
  ];
  return reportOf(stored, storedStatus(stored), claims, nowMs);
}

function reportOf(stored: StoredObject, fields: JsonObject, claims: readonly Claim[], nowMs: number): readonly Step[] {
  const { generation } = stored;
  const before = storedStatus(stored);
  const conditions = [...buildConditions({ previous: before.conditions, claims, generation, nowMs })];
  const status = { ...fields, observedGeneration: generation, conditions };
  if (canonicalJson(status) === canonicalJson(before)) return [];
  return [{ do: "status", target: refOf(stored), status, why: "it changed" }];
}

function countNodes(decided: Decided): { readonly counts: NodeCounts; readonly troubles: readonly Trouble[] } {
  const { fleet, fitting } = decided;
  const waits = waitsOf(fitting);
  const counts = { inScope: 0, fitted: fleet.fitted, held: 0, unknown: 0, none: 0, excluded: 0 };
  const troubles = new Map<string, { outcome: NodeOutcome; nodes: number; examples: string[] }>();
  const note = (outcome: NodeOutcome, name: string) => {
    counts[outcome.is] += 1;
    if (outcome.is === "fitted" || outcome.reason === "NotSelected" || outcome.reason === "NodeLeaving") return;
    const there = troubles.get(outcome.reason) ?? { outcome, nodes: 0, examples: [] };
    there.nodes += 1;
    if (there.examples.length < EXAMPLE_NODES_MAX) there.examples.push(name);
    troubles.set(outcome.reason, there);
  };
  for (const [resolved, nodes] of fleet.idle)
    for (const { name } of nodes) note(outcomeOfNode(resolved, undefined), name);
  for (const { resolved, facts } of fleet.restless) note(outcomeOfNode(resolved, waits.get(facts.name)), facts.name);
  const inScope = counts.fitted + counts.held + counts.unknown + counts.none;
  const sorted = [...troubles.values()].sort((a, b) => (a.outcome.reason < b.outcome.reason ? -1 : 1));
  return { counts: { ...counts, inScope }, troubles: sorted };
}

const IMAGE_STATES = { present: "Present", missing: "Missing", unasked: "Unknown", unreachable: "Unknown" } as const;

function variantStatus({ seen, imageState }: CellDecision, { fleet, observed, nowMs }: Decided): JsonObject {
  const { nodes = 0, bound = 0, ready = 0, updated = 0 } = fleet.counts.get(seen.key) ?? {};
  const name = seen.cell?.variant.name ?? seen.key;
  const daemonSet = seen.cell?.name ?? seen.workload?.name ?? "";
  const [image] = seen.cell?.images.values() ?? [];
  const deployed = seen.workload !== undefined && bound > 0;
  return {
    ...{ name, daemonSet, nodes, desired: bound, ready, updated, deployed },
    since: sinceOf(observed.stored, daemonSet, deployed) ?? timestamp(nowMs),
    ...(image === undefined ? {} : { image }),
    ...(imageState === undefined ? {} : { imageState: IMAGE_STATES[imageState] }),
  };
}

/** Since when it is deployed, or is not, as the stored status tells. */
function sinceOf(stored: StoredObject, daemonSet: string, deployed: boolean): string | undefined {
  const before = listOf(storedStatus(stored).variants).find(
    (entry) => isJsonObject(entry) && entry.daemonSet === daemonSet && entry.deployed === deployed,
  );
  return isJsonObject(before) && typeof before.since === "string" ? before.since : undefined;
}

function storedStatus({ object }: StoredObject): JsonObject {
  return isJsonObject(object.status) ? object.status : {};
}

/** The set as steps name it. */
export function refOf({ namespace, name }: StoredObject): ObjectRef {
  return { apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet", namespace, name };
}

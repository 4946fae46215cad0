// The status of a set: counts of nodes, one entry per DaemonSet, what keeps nodes from being fitted, and the conditions.

import { buildConditions, type Claim, timestamp } from "../../core/decision/conditions.ts";
import { textIn } from "../../core/decision/object-identity.ts";
import type { Problem } from "../../core/decision/problem.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import type { ObjectRef, Step } from "../../core/decision/step.ts";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { quoted } from "../../core/values/shown.ts";
import { listOf } from "../schema/json-parts.ts";
import { PROBLEM_GROUPS_MAX } from "../schema/status-schema.ts";
import { DAEMON_SETS_MAX } from "./api/schema-status.ts";
import { countNodes } from "./count-nodes.ts";
import type { Decided } from "./decide.ts";
import type { CellDecision } from "./decide-cells.ts";
import { KEY_LABEL } from "./render.ts";
import { claimsOf } from "./status-conditions.ts";

/** The step that stores the status, if it is not stored already. */
export function statusStep(decided: Decided): readonly Step[] {
  const { observed, cells, nowMs } = decided;
  const { stored } = observed;
  const { counts, troubles } = countNodes(decided);
  const variants = [...cells.values()].filter(({ seen }) => seen.cell !== undefined || seen.workload !== undefined);
  const listed = onePerName(variants);
  const status = {
    variantCount: variants.filter(({ seen }) => seen.cell !== undefined).length,
    nodes: counts,
    variants: listed.slice(0, DAEMON_SETS_MAX).map((cell) => variantStatus(cell, decided)),
    problems: troubles.slice(0, PROBLEM_GROUPS_MAX).map(({ outcome, variant, nodes, examples }) => {
      const { reason, because: message } = outcome;
      return { ...(variant === undefined ? {} : { variant }), reason, message, nodes, examples };
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
  return reportOf(stored, storedStatus(stored), stalledClaims("InvalidSpec", message), nowMs);
}

/** Finalizers that a message names. */
const FINALIZERS_SHOWN_MAX = 5;
/** With these Kubernetes itself takes away, or lets go of, what the set owns: they pass. */
const PASSING_FINALIZERS: readonly string[] = ["foregroundDeletion", "orphan"];

/** The status of a set that is being deleted and that somebody holds: what is there stays until it is gone. */
export function leavingStep(stored: StoredObject, nowMs: number): readonly Step[] {
  const { metadata } = stored.object;
  const finalizers = listOf(isJsonObject(metadata) ? metadata.finalizers : undefined).map(textIn);
  if (finalizers.length === 0) return [];
  const names = finalizers.slice(0, FINALIZERS_SHOWN_MAX).map(quoted).join(", ");
  const more = finalizers.length > FINALIZERS_SHOWN_MAX ? ` and ${finalizers.length - FINALIZERS_SHOWN_MAX} more` : "";
  const message = `the set is being deleted, and held by: ${names}${more}; its DaemonSets and labels go when it does`;
  const reason = "BeingDeleted";
  const claims = finalizers.every((name) => PASSING_FINALIZERS.includes(name))
    ? busyClaims(reason, message)
    : stalledClaims(reason, message);
  return reportOf(stored, storedStatus(stored), claims, nowMs);
}

function busyClaims(reason: Reason, message: string): readonly Claim[] {
  return [
    { type: "Ready", status: "False", reason, message },
    { type: "Reconciling", status: "True", reason, message },
    { type: "Stalled", status: "False", reason, message },
  ];
}

/** Nothing is done for the set, and nothing will be before somebody acts. */
function stalledClaims(reason: Reason, message: string): readonly Claim[] {
  return [
    { type: "Ready", status: "False", reason, message },
    { type: "Reconciling", status: "False", reason, message },
    { type: "Stalled", status: "True", reason, message },
  ];
}

function reportOf(stored: StoredObject, fields: JsonObject, claims: readonly Claim[], nowMs: number): readonly Step[] {
  const { generation } = stored;
  const before = storedStatus(stored);
  const conditions = [...buildConditions({ previous: before.conditions, claims, generation, nowMs })];
  const status = { ...fields, observedGeneration: generation, conditions };
  if (canonicalJson(status) === canonicalJson(before)) return [];
  return [{ do: "status", target: refOf(stored), status, why: "it changed" }];
}

/** A name that several cells want is listed for the one that has it or may have it: the API server takes each name once. */
function onePerName(variants: readonly CellDecision[]): readonly CellDecision[] {
  const rank = ({ seen }: CellDecision) => (seen.workload !== undefined ? 2 : Number(seen.clash === undefined));
  const holders = new Map(
    variants.toSorted((a, b) => rank(a) - rank(b)).map((decision) => [daemonSetOf(decision), decision]),
  );
  return variants.filter((decision) => holders.get(daemonSetOf(decision)) === decision);
}

function daemonSetOf({ seen }: CellDecision): string {
  return seen.cell?.name ?? seen.workload?.name ?? "";
}

const IMAGE_STATES = { present: "Present", missing: "Missing", unasked: "Unknown", unreachable: "Unknown" } as const;

function variantStatus(decision: CellDecision, { fleet, observed, nowMs }: Decided): JsonObject {
  const { seen, imageState } = decision;
  const { nodes = 0, bound = 0, ready = 0, updated = 0 } = fleet.counts.get(seen.key) ?? {};
  // What is left of a variant is known by its label; so is a copy, beside its original.
  const name = seen.cell?.variant.name ?? seen.workload?.labels[KEY_LABEL] ?? seen.key;
  const daemonSet = daemonSetOf(decision);
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

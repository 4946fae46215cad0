// What `plan` tells of one object, as a value: what is made, changed and taken away, whom it disturbs, and who stays without.

import { objectIdentity, textIn } from "../../core/decision/object-identity.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import { type ObjectRef, refText, type Step, targetOf } from "../../core/decision/step.ts";
import { taskState } from "../../core/decision/task.ts";
import { CONTENT_HASH_CHARS } from "../../core/hash/content-hash.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { type Forecast, type ForecastInput, forecast } from "../../kinds/forecast/forecast.ts";
import { listOf, objectAt } from "../../kinds/schema/json-parts.ts";
import { type VariantGroup, variantGroups } from "./variant-groups.ts";

/** Examples of nodes that a line of the report names. */
export const NODES_SHOWN_MAX = 10;

export type PlanReport = {
  readonly object: ObjectRef;
  readonly changes: readonly PlannedChange[];
  readonly pods: {
    readonly gained: number;
    readonly replaced: number;
    readonly changedInPlace: number;
    readonly lost: number;
    readonly untouched: number;
    /** At once, of the nodes that have a pod before and after. */
    readonly unavailableMax: number;
    /** The nodes whose pods are replaced or changed, in their order; the first of them. */
    readonly order: readonly string[];
  };
  /** The same by variant, where one object makes pods of several. */
  readonly variants: readonly VariantGroup[];
  /** Nodes that ask for something and get nothing, by the reason. */
  readonly unfit: readonly NodeGroup[];
  /** Nodes that are still held back in the end. */
  readonly held: readonly NodeGroup[];
  readonly isSettled: boolean;
};

export type PlannedChange = {
  readonly verb: "create" | "change" | "delete" | "build" | "label";
  /** For what an object makes that is itself not there yet, the name ends with `…`: the rest follows from a UID that nobody knows. */
  readonly target: ObjectRef;
  readonly why: string;
  /** Of a DaemonSet: how many nodes run it in the end, and what. */
  readonly runs?: { readonly nodes: number; readonly images: readonly string[] };
};

export type NodeGroup = {
  readonly reason: Reason;
  readonly because: string;
  readonly count: number;
  readonly nodes: readonly string[];
};

const HASH_AT_END = new RegExp(`-[a-z0-9]{${CONTENT_HASH_CHARS}}$`);
/** Reasons for which nobody expects a pod on a node. */
const NOT_OURS: readonly Reason[] = ["NotSelected", "NodeLeaving"];

/** Makes the report of storing an object; who stays without is told of the nodes that are meant. */
export function reportPlan(input: ForecastInput, isMeant: (node: string) => boolean = () => true): PlanReport {
  const { kind, nowMs } = input;
  const told = forecast(input);
  const existing = new Map([...input.objects].flatMap((each) => refIn(each)));
  const observation = kind.observe(told.end, told.object);
  const served = nodesWithPods(told);
  const dark = told.end.nodes.flatMap((node) => {
    if (served.has(node.name) || !isMeant(node.name)) return [];
    const explanation = observation.explain(node.name, nowMs);
    if (explanation === undefined || explanation.gets !== "" || NOT_OURS.includes(explanation.reason)) return [];
    return [{ node: node.name, reason: explanation.reason, because: explanation.because }];
  });
  // Who stays without a pod for the very reason that holds it is told of once.
  const darkened = new Set(dark.map(({ node, reason }) => `${node} ${reason}`));
  const { namespace, name, uid } = objectIdentity(input.object);
  const changes = changesOf(told, existing);
  return {
    object: { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, namespace, name },
    changes: uid === "" ? changes.map(withoutHash) : changes,
    pods: {
      ...{ gained: told.gained.length, replaced: told.replaced.length, changedInPlace: told.changed.length },
      ...{ lost: told.lost.length, untouched: told.untouched, unavailableMax: told.unavailableMax },
      order: [...told.replaced, ...told.changed].slice(0, NODES_SHOWN_MAX),
    },
    variants: variantGroups(told, observation, nowMs),
    unfit: grouped(dark),
    held: grouped(told.held.filter(({ node, reason }) => !darkened.has(`${node} ${reason}`))),
    isSettled: told.isSettled,
  };
}

function nodesWithPods({ end, object }: Forecast): ReadonlySet<string> {
  const owners = [object.uid, ...end.workloadsOf(object.uid).map(({ uid }) => uid)];
  return new Set(owners.flatMap((uid) => end.podsOf(uid).map(({ node }) => node)));
}

type Existing = ReadonlyMap<string, JsonObject>;

/** Every object once, by its first write, or by its deletion if it was there before; pods are told by number. */
function changesOf(told: Forecast, existing: Existing): readonly PlannedChange[] {
  const seen = new Map<string, PlannedChange>();
  for (const { step } of told.writes) {
    const target = targetOf(step);
    const id = refText(target);
    if (target.kind === "Pod" || target.kind === "ControllerRevision" || isOver(existing.get(id))) continue;
    const before = seen.get(id);
    if (before !== undefined && !(step.do === "delete" && before.verb === "change")) continue;
    seen.set(id, { verb: verbOf(step, existing), target, why: step.why, ...runsOf(target, told) });
  }
  return [...seen.values()];
}

function withoutHash({ target, ...change }: PlannedChange): PlannedChange {
  const isMade = change.verb === "create" || change.verb === "build";
  return { ...change, target: isMade ? { ...target, name: target.name.replace(HASH_AT_END, "-…") } : target };
}

/** Builds that have ended are tidied away some time; nobody plans for that. */
function isOver(object: JsonObject | undefined): boolean {
  if (object?.kind !== "Job") return false;
  const { is } = taskState({ ...objectIdentity(object), object });
  return is === "succeeded" || is === "failed";
}

function runsOf({ kind, namespace, name }: ObjectRef, { end, object }: Forecast): Pick<PlannedChange, "runs"> {
  const workload = end.workloadsOf(object.uid).find((each) => each.name === name && each.namespace === namespace);
  if (kind !== "DaemonSet" || workload === undefined) return {};
  const containers = listOf(objectAt(objectAt(workload.spec, "template"), "spec").containers);
  const images = containers.flatMap((container) => (isJsonObject(container) ? [textIn(container.image)] : []));
  return { runs: { nodes: end.podsOf(workload.uid).length, images } };
}

function verbOf(step: Step, existing: Existing): PlannedChange["verb"] {
  const target = targetOf(step);
  if (step.do === "delete") return "delete";
  if (target.kind === "Node") return "label";
  if (target.kind === "Job") return "build";
  return existing.has(refText(target)) ? "change" : "create";
}

function refIn(object: JsonObject): readonly (readonly [string, JsonObject])[] {
  if (typeof object.kind !== "string" || typeof object.apiVersion !== "string") return [];
  const { namespace, name } = objectIdentity(object);
  return [[refText({ apiVersion: object.apiVersion, kind: object.kind, namespace, name }), object]];
}

type Held = { readonly node: string; readonly reason: Reason; readonly because: string };

/** Nodes with the same trouble together: a sentence that names its node says the same of the next one. */
function grouped(nodes: readonly Held[]): readonly NodeGroup[] {
  const told = nodes.map((each) => ({ ...each, because: each.because.replaceAll(`node ${each.node}`, "the node") }));
  const groups = Map.groupBy(told, ({ reason, because }) => `${reason} ${because}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const names = group.map(({ node }) => node).slice(0, NODES_SHOWN_MAX);
    return [{ reason: first.reason, because: first.because, count: group.length, nodes: names }];
  });
}

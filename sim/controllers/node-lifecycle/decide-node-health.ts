// What the control plane says about a node beside its kubelet: that it has gone silent, and which taints follow from its
// conditions. Zones and the limited rate of evictions in large outages are not modelled.
import { timestamp } from "../../../src/core/decision/conditions.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { textAt } from "../../api-server/api-object.ts";
import type { NodeView } from "../node-view.ts";

const reported = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

type Rule = { readonly type: string; readonly status: string; readonly key: string };

const NOT_READY = "node.kubernetes.io/not-ready";
const UNREACHABLE = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

const rules: readonly Rule[] = [
  { type: "Ready", status: "False", key: NOT_READY },
  { type: "Ready", status: "Unknown", key: UNREACHABLE },
  { type: "MemoryPressure", status: "True", key: "node.kubernetes.io/memory-pressure" },
  { type: "DiskPressure", status: "True", key: "node.kubernetes.io/disk-pressure" },
  { type: "NetworkUnavailable", status: "True", key: "node.kubernetes.io/network-unavailable" },
  { type: "PIDPressure", status: "True", key: "node.kubernetes.io/pid-pressure" },
];
const ours = new Set([...rules.map(({ key }) => key), UNSCHEDULABLE]);
const evicting = new Set([NOT_READY, UNREACHABLE]);

/** The conditions of a node that nobody hears of, all of them; undefined when they say so already. */
export function silentConditions({ conditions }: NodeView, nowMs: number): readonly JsonObject[] | undefined {
  const since = { status: "Unknown", lastTransitionTime: timestamp(nowMs) };
  const stopped = { reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." };
  const never = { reason: "NodeStatusNeverUpdated", message: "Kubelet never posted node status." };
  const isDoubtful = ({ type, status }: JsonObject) => reported.includes(String(type)) && status !== "Unknown";
  const missing = reported.filter((wanted) => !conditions.some(({ type }) => type === wanted));
  if (missing.length === 0 && !conditions.some(isDoubtful)) return undefined;
  return [
    ...conditions.map((each) => (isDoubtful(each) ? { ...each, ...since, ...stopped } : each)),
    ...missing.map((type) => ({ type, ...since, ...never })),
  ];
}

/** The whole list of taints that the node should have; undefined when it has it. What others put there stays. */
export function decideTaints(node: NodeView, nowMs: number): readonly JsonObject[] | undefined {
  const wanted = wantedTaints(node);
  const isWanted = (taint: JsonObject) =>
    wanted.some(({ key, effect }) => taint.key === key && taint.effect === effect);
  const kept = node.storedTaints.filter((taint) => !isOurs(taint) || isWanted(taint));
  const isThere = ({ key, effect }: Wanted) => kept.some((taint) => taint.key === key && taint.effect === effect);
  const missing = wanted.filter((taint) => !isThere(taint));
  if (missing.length === 0 && kept.length === node.storedTaints.length) return undefined;
  return [...kept, ...missing.map(({ key, effect }) => ({ key, effect, timeAdded: timestamp(nowMs) }))];
}

type Wanted = { readonly key: string; readonly effect: string };

function wantedTaints({ conditions, isUnschedulable }: NodeView): readonly Wanted[] {
  const statusOf = (type: string) => textAt(conditions.find((each) => each.type === type) ?? {}, "status");
  const keys = rules.filter(({ type, status }) => statusOf(type) === status).map(({ key }) => key);
  return [
    ...[...keys, ...(isUnschedulable ? [UNSCHEDULABLE] : [])].map((key) => ({ key, effect: "NoSchedule" })),
    ...keys.filter((key) => evicting.has(key)).map((key) => ({ key, effect: "NoExecute" })),
  ];
}

/** Nobody else may take such taints off or keep them on: they follow from the node's own state. */
function isOurs(taint: JsonObject): boolean {
  const [key, effect] = [textAt(taint, "key"), textAt(taint, "effect")];
  return effect === "NoSchedule" ? ours.has(key) : effect === "NoExecute" && evicting.has(key);
}

// The tolerations every daemon pod gets on top of its template's: a daemon must survive the very conditions
// that drain a node of ordinary pods. Rendering puts them into pods; eligibility counts on them.

import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";

const everyDaemon: readonly JsonObject[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];
/** A daemon in the host's network may be the one that makes the network available. */
const hostNetworkDaemon: readonly JsonObject[] = [
  ...everyDaemon,
  { key: "node.kubernetes.io/network-unavailable", operator: "Exists", effect: "NoSchedule" },
];

/** The template's tolerations with the daemon defaults put in place or appended, in Kubernetes' order. */
export function withDaemonTolerations(tolerations: readonly Json[], hostNetwork: boolean): readonly Json[] {
  const defaults = hostNetwork ? hostNetworkDaemon : everyDaemon;
  const kept = tolerations.map((given) => defaults.find((preset) => isSameToleration(given, preset)) ?? given);
  const missing = defaults.filter((preset) => !kept.includes(preset));
  return [...kept, ...missing];
}

/** The same in everything but tolerationSeconds, which the default overrides: daemons are never evicted by time. */
function isSameToleration(given: Json, preset: JsonObject): boolean {
  if (!isJsonObject(given)) return false;
  return (
    given.key === preset.key &&
    given.operator === preset.operator &&
    given.effect === preset.effect &&
    (given.value ?? "") === ""
  );
}

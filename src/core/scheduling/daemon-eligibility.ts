// Whether a node should run a daemon pod, and whether one that already runs there may stay.
// The template is compiled once per object; every node is then asked by the compiled form, without allocating.
//
// Start here: this file answers for a whole pod template. It asks:
//   taints.ts, daemon-tolerations.ts  taints, and what every daemon tolerates
//   node-affinity.ts                  nodeSelector and required node affinity
//   toleration-validation.ts          whether the API server admits a toleration

import type { Problem } from "../decision/problem.ts";
import type { Verdict } from "../decision/verdict.ts";
import { isJsonObject, type Json } from "../json/json.ts";
import { shown } from "../values/shown.ts";
import { withDaemonTolerations } from "./daemon-tolerations.ts";
import {
  compileNodeAffinity,
  explainNodeAffinity,
  matchNodeAffinity,
  type NodeAffinity,
  type NodeIdentity,
} from "./node-affinity.ts";
import {
  findUntoleratedTaint,
  isLostToTaints,
  parseTolerations,
  type Taint,
  type Toleration,
  type TolerationOptions,
  taintText,
} from "./taints.ts";

export type DaemonEligibility = {
  /** The one node the template names, or empty. */
  readonly nodeName: string;
  readonly affinity: NodeAffinity;
  readonly tolerations: readonly Toleration[];
  readonly problems: readonly Problem[];
};

export type TaintedNode = NodeIdentity & { readonly taints: readonly Taint[] };

export type Eligibility = {
  /** A pod should be created if there is none. */
  readonly shouldRun: boolean;
  /** A pod that is there need not be removed. */
  readonly shouldContinueRunning: boolean;
  /** A pod should run there once the node is Ready again: only the node lifecycle controller's taints keep it away. */
  readonly isNodeLost: boolean;
};

const runs: Eligibility = Object.freeze({ shouldRun: true, shouldContinueRunning: true, isNodeLost: false });
const staysIfThere: Eligibility = Object.freeze({ shouldRun: false, shouldContinueRunning: true, isNodeLost: false });
const staysOnLostNode: Eligibility = Object.freeze({ shouldRun: false, shouldContinueRunning: true, isNodeLost: true });
const leaves: Eligibility = Object.freeze({ shouldRun: false, shouldContinueRunning: false, isNodeLost: false });

const blockingEffects: readonly string[] = ["NoSchedule", "NoExecute"];
const evictingEffects: readonly string[] = ["NoExecute"];

/** Compiles the spec of a pod template; faults make nodes ineligible and are listed, never thrown. */
export function compileDaemonEligibility(
  podSpec: unknown,
  options: TolerationOptions,
  path = "spec",
): DaemonEligibility {
  const affinity = compileNodeAffinity(podSpec, path);
  const spec = isJsonObject(podSpec) ? podSpec : {};
  const written: readonly Json[] = Array.isArray(spec.tolerations) ? spec.tolerations : [];
  return {
    nodeName: typeof spec.nodeName === "string" ? spec.nodeName : "",
    affinity,
    tolerations: parseTolerations(withDaemonTolerations(written, spec.hostNetwork === true), options),
    problems: affinity.problems,
  };
}

/** Decides for one node. Conditions, resources and `spec.unschedulable` play no part; their taints do. */
export function matchDaemonEligibility(eligibility: DaemonEligibility, node: TaintedNode): Eligibility {
  const { nodeName, affinity, tolerations } = eligibility;
  if (nodeName !== "" && nodeName !== node.name) return leaves;
  if (!matchNodeAffinity(affinity, node)) return leaves;
  if (findUntoleratedTaint(node.taints, tolerations, blockingEffects) === undefined) return runs;
  const evicting = findUntoleratedTaint(node.taints, tolerations, evictingEffects);
  if (evicting !== undefined) return leaves;
  return isLostToTaints(node.taints, tolerations) ? staysOnLostNode : staysIfThere;
}

/** Decides the same way and gives the rules looked at; the last verdict is the reason of a no. */
export function explainDaemonEligibility(
  eligibility: DaemonEligibility,
  node: TaintedNode,
): { readonly eligibility: Eligibility; readonly trail: readonly Verdict[] } {
  const answer = matchDaemonEligibility(eligibility, node);
  const { nodeName, affinity, tolerations } = eligibility;
  const trail: Verdict[] = [];
  if (nodeName !== "") {
    const matched = nodeName === node.name;
    const because = `the template is bound to node ${shown(nodeName)}${matched ? "" : `, not ${shown(node.name)}`}`;
    trail.push({ rule: "nodeName", matched, because });
    if (!matched) return { eligibility: answer, trail };
  }
  trail.push(...explainNodeAffinity(affinity, node));
  if (!matchNodeAffinity(affinity, node)) return { eligibility: answer, trail };
  trail.push(explainTaints(node, tolerations));
  return { eligibility: answer, trail };
}

function explainTaints(node: TaintedNode, tolerations: readonly Toleration[]): Verdict {
  const rule = "tolerations";
  const evicting = findUntoleratedTaint(node.taints, tolerations, evictingEffects);
  const blocking = evicting ?? findUntoleratedTaint(node.taints, tolerations, blockingEffects);
  if (blocking !== undefined) {
    const because = `no toleration covers taint ${shown(taintText(blocking))} of node ${shown(node.name)}`;
    return { rule, matched: false, because };
  }
  const name = shown(node.name);
  const because = node.taints.length === 0 ? `node ${name} has no taints` : `all taints of node ${name} are tolerated`;
  return { rule, matched: true, because };
}

// A resolver asks each question once: nodes that agree in all that a Module's rules read share one outcome, and a node whose
// facts did not change is not even compared. It lives as long as one version of the Module does.
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { taintText } from "../../core/scheduling/taints.ts";
import type { Module } from "./api/spec.ts";
import { wantedVersionLabel } from "./module-labels.ts";
import { type Outcome, podTolerations, resolveNode } from "./resolve.ts";

/** Distinct kinds of nodes that are remembered; a fleet has far fewer. */
export const CLASSES_MAX = 4096;

export type Resolve = (node: NodeFacts) => Outcome;

/** Returns a `resolveNode` for one Module that remembers; equal nodes get the very same outcome. */
export function createResolver(module: Module): Resolve {
  const tolerations = podTolerations(module);
  const labelKeys = labelsRead(module);
  const byClass = new Map<string, Outcome>();
  const byFacts = new WeakMap<NodeFacts, Outcome>();
  return (node) => {
    const known = byFacts.get(node);
    if (known !== undefined) return known;
    const nodeClass = classOf(node, labelKeys);
    const outcome = byClass.get(nodeClass) ?? resolveNode(module, tolerations, node);
    if (byClass.size >= CLASSES_MAX) byClass.clear();
    byClass.set(nodeClass, outcome);
    byFacts.set(node, outcome);
    return outcome;
  };
}

/** The labels of nodes that a Module's rules read. */
export function labelsRead(module: Module): readonly string[] {
  const { selector } = module;
  const selected = selector.kind === "nothing" ? [] : selector.requirements.map(({ key }) => key);
  return [...new Set([...selected, wantedVersionLabel(module)])];
}

/** Everything that `resolveNode` reads of a node, as one text. */
function classOf(node: NodeFacts, labelKeys: readonly string[]): string {
  const { kernel, architecture, os, taints, isLeaving, labels } = node;
  const shownLabels = labelKeys.map((key) => (Object.hasOwn(labels, key) ? labels[key] : null));
  return JSON.stringify([kernel.raw, architecture, os.raw, isLeaving, taints.map(taintText), ...shownLabels]);
}

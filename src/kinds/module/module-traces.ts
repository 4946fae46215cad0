// What a Module leaves on nodes when it goes: its labels, which no owner reference takes away. Everything else is garbage collected.

import { emptyPlan, orderPlan, type Plan } from "../../core/decision/plan.ts";
import type { Snapshot } from "../../core/decision/snapshot.ts";
import { labelStep } from "../../core/node/node-label.ts";
import type { ObjectName, Traces } from "../kind.ts";
import { bindingLabel, labelIn, moduleOfBinding, moduleOfReady } from "./module-labels.ts";

/** Finds Modules by the labels that they wrote, and takes those of gone ones away. */
export const moduleTraces: Traces = {
  leftOn: ({ labels }) => {
    const names: ObjectName[] = [];
    for (const key in labels) {
      const name = moduleOfBinding(key) ?? moduleOfReady(key);
      if (name !== undefined) names.push(name);
    }
    return names;
  },
  clear: (snapshot, gone) => clearedPlan(snapshot, gone),
};

/** A node that is bound has whatever else the Module wrote; one that is not has nothing of ours, whoever else wrote there. */
function clearedPlan(snapshot: Snapshot, gone: ObjectName): Plan {
  const key = bindingLabel(gone);
  const steps = snapshot.nodes.flatMap((node) => {
    if (labelIn(node.labels, key) === undefined) return [];
    const why = `Module ${gone.namespace}/${gone.name}, which ${node.name} is labelled for, is gone`;
    return labelStep({ node, labels: {}, keys: [key], why }) ?? [];
  });
  return steps.length === 0 ? emptyPlan : orderPlan({ steps, held: [] });
}

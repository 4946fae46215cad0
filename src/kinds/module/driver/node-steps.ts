// The labels that a Module writes to a node, and the order in which it takes a node: the driver's readiness goes first and the device
// plugin with it, then the binding, and with that the driver.

import type { Hold } from "../../../core/decision/plan.ts";
import type { Step } from "../../../core/decision/step.ts";
import type { Labels } from "../../../core/labels/label-requirement.ts";
import { labelStep } from "../../../core/node/node-label.ts";
import { type DaemonPod, podRef } from "../../../core/pod/daemon-pod.ts";
import type { Fitting } from "../../../core/rollout/fitting.ts";
import {
  bindingLabel,
  KERNEL_VERSION,
  kernelLabelValue,
  labelIn,
  PRESENT,
  readyLabel,
  versionReadyLabel,
} from "../module-labels.ts";
import { type Observed, servesOn } from "../observe.ts";
import type { ModuleNode } from "./berths.ts";

export type NodeSteps = {
  readonly steps: readonly Step[];
  /** Nodes that are taken once their device plugin has gone. */
  readonly held: readonly Hold[];
};

/** The steps that follow from fitting: labels, and pods to delete. */
export function nodeSteps(
  observed: Observed,
  nodes: readonly ModuleNode[],
  fitting: Fitting<DaemonPod>,
  { makers, nowMs }: { readonly makers: ReadonlyMap<string, string>; readonly nowMs: number },
): NodeSteps {
  const binds = new Map(fitting.binds.map((bind) => [bind.node, bind]));
  const unbinds = new Map(fitting.unbinds.map((unbind) => [unbind.node, unbind]));
  const deletes = Map.groupBy(fitting.deletes, ({ node }) => node);
  const steps: Step[] = [];
  const held: Hold[] = [];
  for (const node of nodes) {
    const { name } = node.facts;
    const isTaken = unbinds.has(name) || deletes.has(name);
    const bind = binds.get(name);
    if (isTaken && mustWaitForPlugin(observed, node)) {
      held.push({ node: name, reason: "HandOver", because: "its device plugin must be gone before its driver goes" });
      push(steps, observed, node, { bound: node.bound, isReady: false, why: `the device plugin leaves ${name} first` });
      continue;
    }
    for (const { pod, why } of deletes.get(name) ?? []) steps.push(deletion(pod, why));
    const bound = unbinds.has(name) ? undefined : (bind?.key ?? node.bound);
    const isReady = !isTaken && bound !== undefined && isServedBy(node, bound, nowMs);
    const maker = bind === undefined ? undefined : makers.get(bind.key);
    const why = unbinds.get(name)?.why ?? bind?.why ?? `the driver of ${name} is ${isReady ? "" : "not "}ready`;
    // A node that is bound begins to pull an image, while one whose driver serves has all the time in the world.
    const isPatient = isReady && bound === node.bound;
    push(steps, observed, node, { bound, isReady, isPatient, why, ...(maker === undefined ? {} : { after: [maker] }) });
  }
  return { steps, held };
}

/**
 * A plugin on a node that nobody hears of cannot be waited for, and nothing there can be made worse. One that is all that is left of its
 * Module stays when the driver goes.
 */
function mustWaitForPlugin({ known, plugins, pluginPods }: Observed, { facts }: ModuleNode): boolean {
  if (facts.ready !== true || plugins.length === 0 || known.module.driver === undefined) return false;
  return pluginPods.has(facts.name) || labelIn(facts.labels, readyLabel(known.module)) !== undefined;
}

function isServedBy({ facts, pods }: ModuleNode, key: string, nowMs: number): boolean {
  return pods.some((pod) => pod.set.key === key && servesOn(facts, pod, nowMs));
}

type Wished = {
  readonly bound: string | undefined;
  readonly isReady: boolean;
  readonly isPatient?: boolean;
  readonly why: string;
  readonly after?: readonly string[];
};

function push(steps: Step[], observed: Observed, node: ModuleNode, wished: Wished): void {
  const { module } = observed.known;
  // The kernel's label is not among the keys: other Modules may hold it when we let go of it.
  const keys = [bindingLabel(module), readyLabel(module), versionReadyLabel(module)];
  const labels = labelsOf(observed, node, wished);
  const step = labelStep({ ...wished, node: node.facts, labels, keys });
  if (step !== undefined) steps.push(step);
}

/** All that the Module has to say on the node. */
function labelsOf(
  { known, drivers, fits }: Observed,
  { facts }: ModuleNode,
  { bound, isReady }: Pick<Wished, "bound" | "isReady">,
): Labels {
  if (bound === undefined) return {};
  const { module } = known;
  const version = drivers.get(bound)?.version ?? fits.get(bound)?.fit.version;
  return {
    [bindingLabel(module)]: bound,
    ...kernelLabel(facts.labels, facts.kernel.raw),
    ...(isReady ? { [readyLabel(module)]: PRESENT } : {}),
    ...(isReady && version !== undefined ? { [versionReadyLabel(module)]: version } : {}),
  };
}

/** Written together with other Modules, and never against them: an old value stays until those who wrote it have let go. */
function kernelLabel(labels: Labels, kernel: string): Labels {
  const value = kernelLabelValue(kernel);
  const present = labelIn(labels, KERNEL_VERSION) ?? value;
  return present === value && kernel !== "" ? { [KERNEL_VERSION]: value } : {};
}

function deletion(pod: DaemonPod, why: string): Step {
  return { do: "delete", target: podRef(pod), uid: pod.uid, propagation: "Background", why };
}

// How the nodes stand to a Module's driver, in the terms of fitting: what each wishes, what it is bound to, and which pods of the
// driver are on it.

import type { NodeFacts } from "../../../core/node/node-facts.ts";
import { availableFromMs, type DaemonPod } from "../../../core/pod/daemon-pod.ts";
import type { Berth, BerthPod, Wish } from "../../../core/rollout/berth.ts";
import { hasUnseenPods } from "../../../core/rollout/workload.ts";
import { labelIn, readyLabel } from "../module-labels.ts";
import type { DriverPod, DriverSet, Observed } from "../observe.ts";
import type { Outcome } from "../resolve.ts";

const NOTHING: Wish = Object.freeze({ kind: "nothing" });
const RID: Wish = Object.freeze({ kind: "rid" });
const SAME: Wish = Object.freeze({ kind: "same" });
const UNTOUCHED: Wish = Object.freeze({ kind: "untouched" });

/** One node that the Module has to do with. */
export type ModuleNode = {
  readonly facts: NodeFacts;
  readonly outcome: Outcome;
  readonly bound: string | undefined;
  readonly pods: readonly DriverPod[];
};

/** The node in the terms of fitting. */
export function berthOf(observed: Observed, node: ModuleNode): Berth<DaemonPod> {
  const { facts, bound, pods } = node;
  const driver = bound === undefined ? undefined : observed.drivers.get(bound);
  return {
    node: facts.name,
    wish: wishOf(node, driver),
    wishSinceMs: observed.snapshot.factsSinceMs(facts.name, observed.known.labelKeys),
    boundTo: bound,
    pods: pods.map((pod) => berthPod(observed, facts, pod)),
    areSomeUnseen: driver !== undefined && hasUnseenPods(driver.workload, driver.pods.length),
    isNodeReady: facts.ready === true,
    refusal: observed.snapshot.refusal?.(observed.stored.uid, "Node", facts.name),
  };
}

/** What should happen to the node's binding. */
function wishOf({ facts, outcome, bound }: ModuleNode, driver: DriverSet | undefined): Wish {
  const { gets, reason } = outcome;
  if (reason === "NodeLeaving") return UNTOUCHED;
  // It has rebooted: the driver that it is bound to cannot be loaded, and goes before anything else is asked.
  if (driver !== undefined && facts.kernel.raw !== "" && driver.kernel !== facts.kernel.raw) {
    return gets.kind === "fit" && gets.canStart ? RID : NOTHING;
  }
  switch (gets.kind) {
    case "nothing":
      return NOTHING;
    case "same":
      return SAME;
    case "fit":
      if (gets.canStart) return { kind: "workload", key: gets.fit.key };
      // Its pod may stay, but would not come back: it is left as it is.
      return bound === gets.fit.key ? UNTOUCHED : NOTHING;
  }
}

/**
 * A pod serves when it is ready, and the node says so where a device plugin depends on it. A node that was told otherwise is on its
 * way to be taken, and is free to be.
 */
function berthPod(
  { known, plugins }: Observed,
  { labels }: NodeFacts,
  { set, pod, isCurrent }: DriverPod,
): BerthPod<DaemonPod> {
  const isDeclared = plugins.length === 0 || labelIn(labels, readyLabel(known.module)) !== undefined;
  return {
    ...{ pod, key: set.key, isCurrent, isLeaving: pod.isLeaving },
    availableFromMs: isDeclared ? availableFromMs(pod, 0) : undefined,
  };
}

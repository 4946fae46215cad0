// Kinds with one mistake each, made of the real one: for every invariant of a set one that breaks it. The simulator must find each of
// them, or the invariant might as well not be there.

import type { Snapshot, StoredObject } from "../../../src/core/decision/snapshot.ts";
import type { Step } from "../../../src/core/decision/step.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import { createVariantSetKind } from "../../../src/kinds/variant-set/variant-set-kind.ts";

type Mistake = {
  readonly sees?: (snapshot: Snapshot, stored: StoredObject) => Snapshot;
  readonly reads?: (stored: StoredObject) => StoredObject;
  readonly does?: (steps: readonly Step[], snapshot: Snapshot, stored: StoredObject) => readonly Step[];
};

function careless({ sees = (seen) => seen, reads = (stored) => stored, does = (steps) => steps }: Mistake): () => Kind {
  return () => {
    const kind = createVariantSetKind();
    return {
      ...kind,
      observe: (snapshot, stored) => {
        const observation = kind.observe(sees(snapshot, stored), reads(stored));
        const decide = (nowMs: number) => {
          const decision = observation.decide(nowMs);
          const steps = does(decision.plan.steps, snapshot, stored);
          return { ...decision, plan: { ...decision.plan, steps } };
        };
        return { ...observation, decide };
      },
    };
  };
}

const isNode = (step: Step) => step.do === "apply" && step.object.kind === "Node";
const withSpec = (stored: StoredObject, more: JsonObject): StoredObject => {
  const { object } = stored;
  return { ...stored, object: { ...object, spec: { ...Object(object.spec), ...more } } };
};

/** I4: takes a pod that is told to end for one that has ended. */
export const forgetsLeavingPods = careless({
  sees: (snapshot) => withPods(snapshot, (uid) => snapshot.podsOf(uid).filter(({ isLeaving }) => !isLeaving)),
});

/** I8: counts the budget per DaemonSet, or not at all. */
export const spendsFreely = careless({
  reads: (stored) => withSpec(stored, { updateStrategy: { maxUnavailable: 9 } }),
});

/** I7: takes every DaemonSet for unused that has lost a node. */
export const prunesAtOnce = careless({
  does: (steps, snapshot, stored) => {
    const [workload] = snapshot
      .workloadsOf(stored.uid)
      .filter(({ isLeaving, status }) => !isLeaving && status.desired > 0);
    const isCalm = !steps.some(({ do: does }) => does === "apply");
    if (workload === undefined || !isCalm) return steps;
    const { namespace, name, uid } = workload;
    const target = { apiVersion: "apps/v1", kind: "DaemonSet", namespace, name };
    return [...steps, { do: "delete", target, uid, propagation: "Background", why: "it looks unused" }];
  },
});

/** ISSUE-1 of the proposal: labels nodes before there is a DaemonSet for them. */
export const labelsFirst = careless({
  does: (steps) => {
    const labels = steps.filter(isNode).map((step): Step => ({ ...step, after: [] }));
    const others = steps.filter(({ do: does }) => does === "status");
    return labels.length === 0 ? steps : [...labels, ...others];
  },
});

/** I9: writes to a node what is not its own. */
export const writesMore = careless({
  does: (steps) =>
    steps.map((step) => {
      if (step.do !== "apply" || step.object.kind !== "Node") return step;
      const { metadata } = step.object;
      const labels = { ...Object(metadata.labels), "example.com/seen": "yes" };
      return { ...step, object: { ...step.object, metadata: { ...metadata, labels } } };
    }),
});

/** I14: counts a node twice. */
export const countsTwice = careless({
  does: (steps) =>
    steps.map((step) => {
      if (step.do !== "status") return step;
      const nodes = Object(step.status.nodes);
      return { ...step, status: { ...step.status, nodes: { ...nodes, fitted: Number(nodes.fitted) + 1 } } };
    }),
});

/** D4: never prunes. */
export const neverPrunes = careless({
  does: (steps) => steps.filter((step) => !(step.do === "delete" && step.target.kind === "DaemonSet")),
});

/** The snapshot with other pods. */
function withPods(snapshot: Snapshot, podsOf: Snapshot["podsOf"]): Snapshot {
  return new Proxy(snapshot, {
    get: (target, name) => {
      if (name === "podsOf") return podsOf;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

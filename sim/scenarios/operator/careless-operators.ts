// Operators with one mistake each, made of the real one: they believe what a fault takes away. The simulator must find every one of
// them, or the fault might as well not be there.

import { createOperator, type OperatorOptions } from "../../../src/controllers/loop/create-operator.ts";
import type { OperatorPorts } from "../../../src/controllers/loop/operator-ports.ts";
import type { Snapshot, StoredObject } from "../../../src/core/decision/snapshot.ts";
import type { Step } from "../../../src/core/decision/step.ts";
import type { NodeFacts } from "../../../src/core/node/node-facts.ts";
import { viewOf, withoutNodes } from "../../../src/kinds/forecast/testing/paper-mishaps.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import type { Clock } from "../../../src/kube/clock.ts";
import type { Start } from "../../simulator/ports.ts";
import { toyKind } from "./toy-kind.ts";

/** The lease over which the replicas of the scenario agree. */
export const lease = { namespace: "default", name: "toymaker" };

/** The operator as it is, with other ports or options. */
export function operating(
  ports: OperatorPorts,
  options: Partial<OperatorOptions> = {},
): ReturnType<typeof createOperator> {
  const operator = createOperator(ports, { kinds: [toyKind], program: "toymaker", lease, ...options });
  void operator.run(new AbortController().signal);
  return operator;
}

/** A timer that comes so late was not late: the process was stopped. */
const NOTICED_MS = 5_000;

/** Never lists again: what a watch has lost is lost. */
export const neverListsAgain: Start = (ports) => {
  operating(ports, { limits: { cache: { relistMs: Number.MAX_SAFE_INTEGER } } });
};

/** Loses interest in an object so many milliseconds after its last change, whatever state it is in. */
export function losesInterest(afterMs: number): Start {
  return (ports) => {
    const since = new Map<string, number>();
    const isInteresting = ({ uid, generation }: StoredObject) => {
      const what = `${uid} ${generation}`;
      const nowMs = ports.clock.monotonicMs();
      const sinceMs = since.get(what) ?? nowMs;
      since.set(what, sinceMs);
      return nowMs - sinceMs < afterMs;
    };
    deciding(isInteresting)(ports);
  };
}

/** Stops with an error when a timer is not punctual. */
export const countsOnTimers: Start = (ports) => {
  const { clock } = ports;
  const punctual: Clock = {
    ...clock,
    after: (delayMs, work) => {
      const dueMs = clock.monotonicMs() + delayMs;
      return clock.after(delayMs, () => {
        const errorMs = clock.monotonicMs() - dueMs;
        if (errorMs < -0.5 || errorMs > 100) throw new Error(`a timer was wrong by ${errorMs} ms`);
        work();
      });
    },
  };
  operating({ ...ports, clock: punctual });
};

/** As in a machine that was suspended: its time goes on where it stood, that of day as well, and its timers with it. */
export const sleepsThrough: Start = (ports) => {
  const { clock } = ports;
  let lostMs = 0;
  const monotonicMs = () => clock.monotonicMs() - lostMs;
  const after: Clock["after"] = (delayMs, work) => {
    const dueMs = monotonicMs() + delayMs;
    const fire = () => {
      const lateMs = monotonicMs() - dueMs;
      if (lateMs > NOTICED_MS) lostMs += lateMs;
      if (monotonicMs() >= dueMs) work();
      else cancel = clock.after(dueMs - monotonicMs(), fire);
    };
    let cancel = clock.after(delayMs, fire);
    return () => cancel();
  };
  const wallMs = () => clock.wallMs() - lostMs;
  operating({ ...ports, clock: { wallMs, monotonicMs, after } });
};

/** The operator with a toy kind that decides otherwise. */
export function withKind(change: (kind: Kind) => Kind): Start {
  return (ports) => void operating(ports, { kinds: [change(toyKind)] });
}

/** Looks at nodes only when something else wakes it. */
export const ignoresNodes = withKind((kind) => ({ ...kind, concerns: () => false }));

/** Takes a pod that is there for one that runs. */
export const trustsPods = seeing((snapshot) => ({
  ...viewOf(snapshot),
  podsOf: (uid) => snapshot.podsOf(uid).map((pod) => ({ ...pod, phase: "Running" as const })),
}));

/** Writes a node off for good when it has once been seen in such a state. */
export function writesOff(isLost: (node: NodeFacts) => boolean): Start {
  return (ports) => {
    const lost = new Set<string>();
    seeing((snapshot) => {
      for (const node of snapshot.nodes) if (isLost(node)) lost.add(node.name);
      return withoutNodes(snapshot, lost);
    })(ports);
  };
}

/** Counts on every node that it has ever seen. */
export const neverForgetsNodes: Start = (ports) => {
  const known = new Map<string, NodeFacts>();
  seeing((snapshot) => {
    for (const node of snapshot.nodes) known.set(node.name, node);
    return { ...viewOf(snapshot), nodes: [...known.values()] };
  })(ports);
};

/** Makes its workload once for each image, and believes that it stays as it was made. */
export const makesOnce: Start = (ports) => {
  const made = new Set<string>();
  const isNew = ({ uid }: StoredObject, step: Step) => {
    if (step.do !== "apply" || step.object.kind !== "DaemonSet") return true;
    const what = `${uid} ${JSON.stringify(step.object)}`;
    const isFirst = !made.has(what);
    made.add(what);
    return isFirst;
  };
  deciding(isNew)(ports);
};

/** Reports what has changed in its own mind, and believes that nobody else writes the status. */
export const trustsItsStatus: Start = (ports) => {
  const told = new Map<string, string>();
  const isNews = ({ uid }: StoredObject, step: Step) => {
    if (step.do !== "status") return true;
    const { observedGeneration = 0, nodes = 0, ready = 0 } = step.status;
    const now = `${observedGeneration} ${nodes} ${ready}`;
    const isNew = told.get(uid) !== now;
    told.set(uid, now);
    return isNew;
  };
  deciding(isNews)(ports);
};

/** Knows objects by their names: one that was made anew is the old one to it. */
export const knowsNames: Start = (ports) => {
  const uids = new Map<string, string>();
  const kind: Kind = {
    ...toyKind,
    observe: (snapshot, object) => {
      const key = `${object.namespace}/${object.name}`;
      const uid = uids.get(key) ?? object.uid;
      uids.set(key, uid);
      return toyKind.observe(snapshot, { ...object, uid });
    },
  };
  operating(ports, { kinds: [kind] });
};

function seeing(see: (snapshot: Snapshot) => Snapshot): Start {
  return withKind((kind) => ({ ...kind, observe: (snapshot, object) => kind.observe(see(snapshot), object) }));
}

/** Leaves out the steps that it does not do. */
function deciding(does: (object: StoredObject, step: Step) => boolean): Start {
  return withKind((kind) => ({
    ...kind,
    observe: (snapshot, object) => {
      const observation = kind.observe(snapshot, object);
      return {
        ...observation,
        decide: (nowMs) => {
          const decision = observation.decide(nowMs);
          const steps = decision.plan.steps
            .filter((step) => does(object, step))
            .map((step) => ({ ...step, after: [] }));
          return { ...decision, plan: { ...decision.plan, steps } };
        },
      };
    },
  }));
}

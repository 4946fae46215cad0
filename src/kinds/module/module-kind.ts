// The kind Module as a value: what the reconcile loop, the command line, the webhooks and the simulator are handed.
//
// Read the folder in the order of the pipeline:
//   api/parse.ts, api/validate.ts: the door, for both spellings
//   observe.ts, survey.ts: what of the cluster concerns a Module
//   resolve.ts, resolver.ts, match-mapping.ts: the image for each node's kernel
//   build/plan-builds.ts: makes images that the registry lacks
//   render.ts, driver/bring-drivers.ts: DaemonSets for drivers and device plugins
//   decide.ts: one plan of all that
//   explain.ts, explain-fields.ts, status.ts, kernel-status.ts: what people hear
//   module-claims.ts, module-events.ts: conditions and events
//   module-labels.ts, module-traces.ts, module-memory.ts: labels, their clean-up, kept results

import { emptyPlan, orderPlan } from "../../core/decision/plan.ts";
import type { Problem } from "../../core/decision/problem.ts";
import type { ConfigKey, Snapshot, StoredObject } from "../../core/decision/snapshot.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import type { Decision, Kind, Observation, Rival } from "../kind.ts";
import { explainInvalid } from "../schema/explain-invalid.ts";
import { validateModule } from "./api/validate.ts";
import { DOCKERFILE_KEY } from "./build/build-given.ts";
import { decideModule, type PlanBuilds } from "./decide.ts";
import { explainNode } from "./explain.ts";
import { bindingLabel, KERNEL_VERSION, labelIn, readyLabel, versionReadyLabel } from "./module-labels.ts";
import { createModuleMemory, type KnownModule, type ModuleMemory } from "./module-memory.ts";
import { moduleTraces } from "./module-traces.ts";
import { observeModule } from "./observe.ts";
import { invalidStatusStep } from "./status.ts";

export type ModuleOptions = {
  /** How images that are missing come to be. */
  readonly planBuilds: PlanBuilds;
};

/** KMM's manager serves the kind where its own installation puts it; two of us would bind every node twice. */
const KMM: Rival = Object.freeze({
  name: "KMM",
  lease: { namespace: "kmm-operator-system", name: "kmm.sigs.x-k8s.io" },
  webhooks: { mutating: [], validating: ["kmm-operator-validating-webhook-configuration"] },
});

const nothingToDo: Decision = Object.freeze({ plan: emptyPlan, asks: [] });

/** Makes the kind; what it remembers of Modules lives as long as the value does. */
export function createModuleKind({ planBuilds }: ModuleOptions): Kind {
  const memory = createModuleMemory();
  return {
    ...{ group: "kmm.sigs.x-k8s.io", version: "v1beta1", kind: "Module", plural: "modules" },
    reads: ["daemonsets", "pods", "controllerrevisions", "jobs", "images"],
    rival: KMM,
    admit: validateModule,
    observe: (snapshot, stored) => {
      // What goes is taken away by owner references, and nothing may be made where a namespace goes.
      if (stored.isLeaving || snapshot.isTerminating(stored.namespace)) return idle;
      const known = memory.recall(stored);
      if (!known.ok) return unreadable(snapshot, stored, known.problems);
      // What is remembered is brought up to date in the same breath in which it is read.
      const observed = () => observeModule(known.value, stored, snapshot, memory);
      return {
        decide: (nowMs) => decideModule(observed(), planBuilds, nowMs),
        explain: (node, nowMs) => explainNode(observed(), planBuilds, node, nowMs),
      };
    },
    textsOf: (stored) => dockerfilesOf(memory, stored),
    concerns: (stored, was, now) => concerns(memory, stored, was, now),
    traces: moduleTraces,
  };
}

/** The ConfigMaps that hold the Dockerfiles of a Module. */
function dockerfilesOf(memory: ModuleMemory, stored: StoredObject): readonly ConfigKey[] {
  const known = memory.recall(stored);
  const mappings = known.ok ? (known.value.module.driver?.mappings ?? []) : [];
  const names = new Set(mappings.flatMap(({ build }) => build?.dockerfileConfigMap ?? []));
  return [...names].map((name) => ({ name, key: DOCKERFILE_KEY }));
}

const idle: Observation = Object.freeze({ decide: () => nothingToDo, explain: () => undefined });

/** A stored object that breaks a rule is left as it is, and says so. */
function unreadable(snapshot: Snapshot, stored: StoredObject, problems: readonly Problem[]): Observation {
  const decide = (nowMs: number): Decision => {
    const status = invalidStatusStep(stored, problems, nowMs);
    return { plan: orderPlan({ steps: status === undefined ? [] : [status], held: [] }), asks: [] };
  };
  return { decide, explain: explainInvalid(snapshot, problems) };
}

function concerns(
  memory: ModuleMemory,
  stored: StoredObject,
  was: NodeFacts | undefined,
  now: NodeFacts | undefined,
): boolean {
  const known = memory.recall(stored);
  if (!known.ok) return false;
  const [before, after] = [was, now].map((node) => (node === undefined ? undefined : relevance(known.value, node)));
  if (before?.isTouched !== true && after?.isTouched !== true) return false;
  return before?.text !== after?.text || before?.outcome !== after?.outcome;
}

/** What decisions read of a node besides the rules: who it is, whether it is ready, and what we wrote to it. */
function relevance({ module, resolve }: KnownModule, node: NodeFacts) {
  const { labels } = node;
  const outcome = resolve(node);
  const own = [bindingLabel(module), readyLabel(module), versionReadyLabel(module)].map((key) => labelIn(labels, key));
  const isTouched = outcome.isInScope || own.some((value) => value !== undefined);
  const text = JSON.stringify([node.uid, node.ready === true, labelIn(labels, KERNEL_VERSION), own, node.isLeaving]);
  return { outcome, isTouched, text };
}

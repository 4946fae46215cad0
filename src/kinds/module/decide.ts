// What is done for a Module now: builds for images that are missing, DaemonSets for kernels that have one, nodes bound to them within one
// budget, device plugins where drivers are ready, and an end to what nobody needs.

import { type Hold, joinPlans, type Plan } from "../../core/decision/plan.ts";
import { fitNodes } from "../../core/rollout/fitting.ts";
import type { Decision } from "../kind.ts";
import type { BuildInput, BuildPlan, ImageNeed } from "./build/image-need.ts";
import { berthOf, type ModuleNode } from "./driver/berths.ts";
import { bringDrivers } from "./driver/bring-drivers.ts";
import { bringPlugins, earlier } from "./driver/bring-plugins.ts";
import { nodeSteps } from "./driver/node-steps.ts";
import { behindPredecessors, collectedByMs } from "./driver/predecessors.ts";
import { pruneDrivers } from "./driver/prune-drivers.ts";
import { doneEvents, warningEvents } from "./module-events.ts";
import type { Observed } from "./observe.ts";
import { type StatusParts, statusStep } from "./status.ts";
import { surveyNodes } from "./survey.ts";

export type PlanBuilds = (input: BuildInput) => BuildPlan;

/** Everything that was worked out on the way to a plan; explanations read it too. */
export type Worked = StatusParts & { readonly plan: Plan };

/** Decides for a Module that can be read. */
export function decideModule(observed: Observed, planBuilds: PlanBuilds, nowMs: number): Decision {
  const worked = workOut(observed, planBuilds, nowMs);
  const status = statusStep(observed, worked, nowMs);
  const steps = [...worked.plan.steps, ...(status === undefined ? [] : [...warningEvents(observed, status), status])];
  return { plan: { ...worked.plan, steps }, asks: worked.builds.asks };
}

/** The plan without the report of it. */
export function workOut(observed: Observed, planBuilds: PlanBuilds, nowMs: number): Worked {
  const { known, stored, snapshot } = observed;
  const builds = planBuilds({ module: known.module, stored, wanted: needsOf(observed), snapshot, nowMs });
  const drivers = behindPredecessors(observed.predecessors, bringDrivers(observed, builds));
  const plugins = bringPlugins(observed, nowMs);
  const survey = surveyNodes(observed, nowMs);
  const pruned = pruneDrivers(observed, survey, nowMs);
  const fitting = fitNodes(
    inTurn(survey.restless).map((node) => berthOf(observed, node)),
    { workloads: drivers.family, nodeCount: survey.wanting, strategy: known.module.updateStrategy },
    nowMs,
  );
  const nodes = nodeSteps(observed, survey.restless, fitting, { makers: drivers.makers, nowMs });
  const held = [...fitting.held, ...fitting.starting, ...nodes.held, ...fitting.refused];
  const looks = [plugins, pruned, fitting, builds].map((part) => part.lookAgainAtMs);
  const lookAgainAtMs = [...looks, collectedByMs(observed.predecessors, nowMs)].reduce(earlier);
  const steps = [...builds.steps, ...drivers.steps, ...plugins.steps, ...pruned.steps, ...nodes.steps];
  const told = [...steps, ...doneEvents(observed, [...drivers.done, ...plugins.done], steps)];
  const plan = joinPlans([
    { steps: told, held: heldOnce(held), ...(lookAgainAtMs === undefined ? {} : { lookAgainAtMs }) },
  ]);
  return { plan, builds, drivers, plugins, survey, fitting, held: plan.held };
}

/** The distinct images that nodes need, in a fixed order. */
export function needsOf({ fits }: Observed): readonly ImageNeed[] {
  const needs = [...fits.values()].flatMap(({ fit: { kernel, mapping, image }, arches }) =>
    [...arches].map(([arch, nodes]) => ({ kernel, mapping, image, arch, nodes })),
  );
  const text = ({ kernel, image, arch }: ImageNeed) => JSON.stringify([kernel, image, arch]);
  return needs.sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

/** Nodes are taken kernel by kernel, and by name within each. */
function inTurn(nodes: readonly ModuleNode[]): readonly ModuleNode[] {
  const turn = ({ facts }: ModuleNode) => facts.kernel.raw;
  return nodes.toSorted((a, b) => (turn(a) === turn(b) ? 0 : turn(a) < turn(b) ? -1 : 1));
}

/** A node that is told twice why it waits is told the last of it. */
function heldOnce(held: readonly Hold[]): readonly Hold[] {
  return [...new Map(held.map((hold) => [hold.node, hold])).values()];
}

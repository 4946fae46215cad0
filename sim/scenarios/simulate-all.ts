// All scenarios of `npm run sim`, those of the simulator and those with the operator in them. The list lies here because the simulator
// may not know what runs in it. A new scenario is a line in it.
//
// Scenarios lie in operator/, module/, variant-set/ and daemon-set/: each with its world, its
// faults and its invariants. Shared by the kinds:
//   small-daemon-sets.ts, small-kubelets.ts  Kubernetes at little cost, for many seeds
//   fenced-writes.ts                         the invariant on writes that all kinds keep
//   simulate.ts                              the entry of `npm run sim`

import { type Listed, listScenarios } from "../simulator/scenarios.ts";
import { runCommand } from "../simulator/search/run-command.ts";
import { daemonSetScenario } from "./daemon-set/daemon-set-scenario.ts";
import { moduleScenario } from "./module/module-scenario.ts";
import { smallModuleScenario } from "./module/small-module-scenario.ts";
import { operatorScenario } from "./operator/operator-scenario.ts";
import { smallOperatorScenario } from "./operator/small-operator-scenario.ts";
import { webhookScenario } from "./operator/webhook-scenario.ts";
import { setScenario } from "./variant-set/set-scenario.ts";

const shapes = ["replicas", "plugin", "builds"] as const;
const modes = ["rolling", "surging", "in-place"] as const;
const withOperator: readonly Listed[] = [
  smallOperatorScenario(),
  operatorScenario(),
  webhookScenario(),
  moduleScenario(),
  ...shapes.map((shape) => smallModuleScenario(shape)),
  setScenario(),
  ...modes.map((mode) => daemonSetScenario(mode)),
].map((scenario) => ({ scenario, holds: true }));

/** Does what the arguments ask for and answers with the exit code; `entry` is the module that was started. */
export function simulateAll(args: readonly string[], entry: string): Promise<number> {
  return runCommand(args, [...withOperator, ...listScenarios()], entry);
}

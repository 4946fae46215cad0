// All scenarios of `npm run sim`, those of the simulator and those with the operator in them. The list lies here because the simulator
// may not know what runs in it. A new scenario is a line in it.
import { runCommand } from "../sim/simulator/run-command.ts";
import { type Listed, listScenarios } from "../sim/simulator/scenarios.ts";
import { operatorScenario } from "./controllers/operator-scenario.ts";
import { webhookScenario } from "./controllers/webhook-scenario.ts";
import { daemonSetScenario } from "./kinds/daemon-set/daemon-set-scenario.ts";
import { moduleScenario } from "./kinds/module/module-scenario.ts";
import { smallModuleScenario } from "./kinds/module/small-module-scenario.ts";
import { setScenario } from "./kinds/variant-set/set-scenario.ts";
import { smallOperatorScenario } from "./small-operator-scenario.ts";

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

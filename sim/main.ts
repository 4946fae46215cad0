// The entry of the simulator for the scenarios of this room. Those with the operator are run by e2e/simulate.ts, which knows these too.
import process from "node:process";
import { runCommand } from "./simulator/run-command.ts";
import { listScenarios } from "./simulator/scenarios.ts";

process.exitCode = await runCommand(process.argv.slice(2), listScenarios(), import.meta.url);

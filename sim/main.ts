// The entry of the simulator for the scenarios of this room. Those with the operator are run by sim/scenarios/simulate.ts, which knows these too.
import process from "node:process";
import { listScenarios } from "./simulator/scenarios.ts";
import { runCommand } from "./simulator/search/run-command.ts";

process.exitCode = await runCommand(process.argv.slice(2), listScenarios(), import.meta.url);

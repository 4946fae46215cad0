// `npm run fix`: formats and applies the safe fixes of the linter, then rewrites the generated files.
import { writeOutputs } from "./gen/outputs.ts";
import { runCommand } from "./test/command.ts";

const code = await runCommand("biome", ["check", "--write", "."]);
for (const path of writeOutputs()) console.log(`wrote ${path}`);
process.exitCode = code;

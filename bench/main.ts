// The entry of `npm run bench`.
import { argv } from "node:process";
import { benchmarks } from "./benchmarks.ts";
import { runCommand } from "./runner.ts";

process.exitCode = await runCommand(argv.slice(2), benchmarks, {
  print: (text) => console.log(text),
  say: (text) => console.error(text),
});

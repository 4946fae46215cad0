// The reference page of the command line, from the help that the program prints itself.
import type { Command } from "commander";
import { PROGRAM, VERSION } from "../../src/assembly/program-run.ts";
import { plain } from "../../src/cli/print.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { addRun } from "../../src/cli/run-command.ts";
import { createKinds } from "../../src/kinds/all-kinds.ts";
import type { Output } from "./outputs.ts";

/** As wide as the page is read, whatever the terminal that generates it. */
const WIDTH = 120;

/** `docs/reference/cli.md`: the help of every command, each below its name. */
export function generateCliPage(): Output {
  const parts = commandsOf(programOfThePage()).map(({ name, help }) => `## ${name}\n\n\`\`\`text\n${help}\n\`\`\`\n`);
  const content = `# The command line

\`npm run -s farrier -- COMMAND\` from a clone, \`farrier COMMAND\` from the image, \`kubectl farrier COMMAND\` where the program is called
\`kubectl-farrier\`. Exit codes are those of \`kubectl diff\`: 0 for nothing to do, 1 for differences, 2 for trouble. This page is generated
by \`npm run gen\` from what \`--help\` prints.

${parts.join("\n")}`;
  return { path: "docs/reference/cli.md", content };
}

/** The program with nothing behind its commands: only its help is asked for. */
function programOfThePage(): Command {
  const nothing = async () => "";
  const ports = {
    ...{ out: () => undefined, err: () => undefined, readFile: nothing, readInput: nothing, paint: plain },
    ...{ listFiles: async () => [], wallMs: () => 0 },
    connect: () => Promise.reject(new Error("a page asks no cluster")),
  };
  const addCommands = (program: Command) =>
    addRun(program, { called: PROGRAM, run: async () => 0, done: () => undefined });
  const options = { version: VERSION, called: PROGRAM, kinds: createKinds(), addCommands };
  return buildProgram(options, ports, () => undefined).configureHelp({ helpWidth: WIDTH });
}

type Page = { readonly name: string; readonly help: string };

function commandsOf(command: Command, before = ""): readonly Page[] {
  const name = `${before}${command.name()}`;
  let help = "";
  command.configureHelp({ helpWidth: WIDTH }).configureOutput({
    writeOut: (text) => {
      help += text;
    },
    getOutHelpWidth: () => WIDTH,
  });
  command.outputHelp();
  return [{ name, help: help.trimEnd() }, ...command.commands.flatMap((inner) => commandsOf(inner, `${name} `))];
}

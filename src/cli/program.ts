// The command line: which commands there are, what they are asked with, and what their help says.
//
// One file per verb lies beside this one. What verbs share:
//   cli-ports.ts, command-setting.ts, command-error.ts  ports, options and failures
//   input/source.ts, input/named-object.ts              the cluster, manifests, names of objects
//   output/print.ts, output/format.ts                   reports, and how they are printed
//   settings/run-settings.ts                            what `run` reads
//   doctor/doctor-checks.ts, rollout/rollout-status.ts  what these two verbs need
import { Command, CommanderError } from "commander";
import type { Kind } from "../kinds/kind.ts";
import type { CliPorts } from "./cli-ports.ts";
import { CommandError, EXIT, type Exit } from "./command-error.ts";
import { type CommandSetting, examples, withSource } from "./command-setting.ts";
import { addDoctor } from "./doctor-command.ts";
import { explain } from "./explain-command.ts";
import { plan } from "./plan-command.ts";
import { addRender } from "./render-command.ts";
import { addRollout } from "./rollout-command.ts";
import { snapshot } from "./snapshot-command.ts";
import { addStatus } from "./status-command.ts";

export type ProgramOptions = {
  readonly version: string;
  /** How a person called it: `farrier`, or `kubectl farrier`. */
  readonly called: string;
  readonly kinds: readonly Kind[];
  /** Adds commands that need more of the machine than these ports. */
  readonly addCommands?: (program: Command, done: (exit: Exit) => void) => void;
};

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Runs one command line (without the program's own name); resolves with its exit code and never rejects. */
export async function runCommandLine(args: readonly string[], options: ProgramOptions, ports: CliPorts): Promise<Exit> {
  let exit: Exit = EXIT.nothing;
  const program = buildProgram(options, ports, (code) => {
    exit = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.nothing : EXIT.trouble;
    ports.err(messageOf(error));
    return EXIT.trouble;
  }
}

/** The program with all its commands; `done` hears the exit code of the one that runs. */
export function buildProgram(
  { version, called, kinds, addCommands }: ProgramOptions,
  ports: CliPorts,
  done: (exit: Exit) => void,
): Command {
  const program = new Command(called)
    .description(
      "Fits every node with the variant of a driver or daemon that suits it: what a change would do, and why each node got what it got.",
    )
    .version(version)
    .addHelpText("after", examples(called, ["plan -f gpu.yaml", "explain node w-17", "status", "doctor --pre"]))
    .exitOverride()
    .showHelpAfterError("(add --help for the options)")
    .configureOutput({ writeOut: ports.out, writeErr: (text) => ports.err(text.trimEnd()) });
  const setting: CommandSetting = { called, kinds, ports, done };
  addPlan(program, setting);
  addExplain(program, setting);
  addRender(program, setting);
  addStatus(program, setting);
  addRollout(program, setting);
  addDoctor(program, setting);
  addSnapshot(program, setting);
  addCommands?.(program, done);
  return program;
}

function addPlan(program: Command, { called, kinds, ports, done }: CommandSetting): void {
  withSource(program.command("plan"))
    .description(
      "Says what a change would do to the fleet. Writes nothing. Exits with 0 if nothing would change, 1 if something would, 2 on trouble.",
    )
    .option(
      "-f, --filename <file>",
      "manifests to plan for: a file, a folder, or - for standard input; repeatable",
      collect,
    )
    .option("--kernel <release>", "what if nodes ran this kernel")
    .option("--nodes <selector>", "which nodes would run it, as in kubectl -l; all if it is not given")
    .option("--label <node and changes...>", "what if a node had other labels: --label node/w-17 disk=large tier-")
    .addHelpText(
      "after",
      examples(called, [
        "plan -f gpu.yaml",
        "plan --kernel 6.12.0-8.el10.x86_64 --nodes pool=gpu",
        "plan --label node/w-17 disk=large",
        "plan -f gpu.yaml --from snapshot.json -o json",
      ]),
    )
    .action(async ({ filename = [], ...given }) => done(await plan({ ...given, files: filename }, kinds, ports)));
}

function addExplain(program: Command, { called, kinds, ports, done }: CommandSetting): void {
  withSource(program.command("explain"))
    .description("Says why a node got what it got from every object, or how one pod came to be as it is.")
    .argument("<node|pod>", "what to explain")
    .argument("<name>", "its name; namespace/name for a pod")
    .option("--fields", "say where each field comes from that the template does not set")
    .addHelpText(
      "after",
      examples(called, [
        "explain node w-17",
        "explain pod storage/agent-x7k2p --fields",
        "explain node w-17 --from snapshot.json",
      ]),
    )
    .action(async (type: string, name: string, given) => {
      if (type !== "node" && type !== "pod")
        throw new CommandError(`"${type}" cannot be explained; ask for a node or a pod`);
      done(await explain({ type, name }, given, kinds, ports));
    });
}

function addSnapshot(program: Command, { called, kinds, ports, done }: CommandSetting): void {
  withSource(program.command("snapshot"))
    .description("Prints everything that decisions are made from, without Secrets, for --from of the other commands.")
    .addHelpText("after", examples(called, ["snapshot > snapshot.json"]))
    .action(async (given) => done(await snapshot(given, kinds, ports)));
}

/** The message, and what lies behind it as far as it says more. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause instanceof Error && !error.message.includes(error.cause.message) ? `: ${error.cause.message}` : "";
  return `${error.message}${cause}`;
}

// `farrier run` as the command line knows it: its options are the settings. What it does is handed in, because it needs a whole machine.
import type { Command } from "commander";
import type { Connecting } from "./cli-ports.ts";
import type { Exit } from "./command-error.ts";
import { examples } from "./command-setting.ts";
import { SETTINGS } from "./settings/run-settings.ts";
import { flagOf, variableOf } from "./settings/setting-names.ts";

export type RunFlags = Connecting & { readonly config?: string } & Readonly<Record<string, string | undefined>>;

export type RunCommand = {
  readonly called: string;
  readonly run: (flags: RunFlags) => Promise<Exit>;
  readonly done: (exit: Exit) => void;
};

/** Adds the command to the program. */
export function addRun(program: Command, { called, run, done }: RunCommand): void {
  const command = program
    .command("run")
    .description("Runs the operator until it is told to stop (SIGTERM, Ctrl-C).")
    .option("--kubeconfig <file>", "the kubeconfig to use; inside a cluster the pod's own identity is used")
    .option("--context <name>", "the context of the kubeconfig to use")
    .option("--config <file>", "a YAML file with settings; flags and FARRIER_… variables count before it");
  for (const { key, value, help, fallback } of SETTINGS) {
    command.option(`${flagOf(key)} <${value}>`, `${help} (default: ${fallback === "" ? "none" : fallback})`);
  }
  command
    .addHelpText("after", variablesHelp())
    .addHelpText("after", examples(called, ["run --leader-elect false", "run --kinds DaemonSet --webhook service"]))
    .action(async (flags: RunFlags) => done(await run(flags)));
}

function variablesHelp(): string {
  return `
Environment:
  Every setting has a variable: ${variableOf("logLevel")} for --log-level, ${variableOf("webhookPort")} for --webhook-port.
  FARRIER_WEBHOOK_PORT and FARRIER_HTTP_PORT are deprecated: kubelets set such names for Services.`;
}

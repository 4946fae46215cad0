// What every command is put into: the program that it joins, its ports, and the options and examples that commands share.
import { type Command, Option } from "commander";
import type { Kind } from "../kinds/kind.ts";
import type { CliPorts } from "./cli-ports.ts";
import type { Exit } from "./command-error.ts";
import { FORMATS } from "./output/format.ts";

export type CommandSetting = {
  /** How a person called the program: `farrier`, or `kubectl farrier`. */
  readonly called: string;
  readonly kinds: readonly Kind[];
  readonly ports: CliPorts;
  readonly done: (exit: Exit) => void;
};

/** Adds the options that say where the cluster is. */
export function withServer(command: Command): Command {
  return command
    .option("--kubeconfig <file>", "the kubeconfig to use")
    .option("--context <name>", "the context of the kubeconfig to use");
}

/** Adds the options of a command that reads a cluster, or a snapshot in its place, and prints. */
export function withSource(command: Command): Command {
  command.option(
    "--from <file or folder>",
    "read the cluster from a snapshot or from manifests (- is standard input), not from an API server",
  );
  return withFormat(withServer(command));
}

/** Adds the option of formats. */
export function withFormat(command: Command): Command {
  return command.addOption(new Option("-o, --output <format>", "how to print").choices(FORMATS).default("text"));
}

/** Adds the option that tells objects of one name apart. */
export function withNamespace(command: Command): Command {
  return command.option("-n, --namespace <name>", "only objects of this namespace");
}

/** The examples at the end of a command's help. */
export function examples(called: string, lines: readonly string[]): string {
  return ["", "Examples:", ...lines.map((line) => `  ${called} ${line}`)].join("\n");
}

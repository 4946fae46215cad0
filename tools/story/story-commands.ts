// The commands of the story: the real command line of farrier, over the demo's cluster and the story's terminal.
import type { CliPorts } from "../../src/cli/cli-ports.ts";
import { colourful, plain } from "../../src/cli/output/print.ts";
import { runCommandLine } from "../../src/cli/program.ts";
import { createKinds } from "../../src/kinds/all-kinds.ts";
import type { Client } from "../../src/kube/client/client.ts";
import type { Clock } from "../../src/kube/clock.ts";

export type CommandPorts = {
  readonly client: Client;
  /** The address of the API server, as headings name it. */
  readonly server: string;
  readonly readFile: (path: string) => Promise<string>;
  readonly show: (text: string) => void;
  readonly clock: Clock;
  readonly isColourful: boolean;
};

/** Runs one command line and shows its answer; resolves with its exit code. */
export function storyCommands(ports: CommandPorts): (args: readonly string[]) => Promise<number> {
  const { client, server, readFile, show, clock, isColourful } = ports;
  const cli: CliPorts = {
    out: show,
    err: (line) => show(`${line}\n`),
    readFile,
    listFiles: async (file) => [file],
    readInput: async () => "",
    connect: async () => ({ client, server, origin: server, namespace: "default", close: () => undefined }),
    wallMs: () => clock.wallMs(),
    paint: isColourful ? colourful : plain,
  };
  const options = { version: "demo", called: "farrier", kinds: createKinds() };
  return (args) => runCommandLine(args, options, cli);
}

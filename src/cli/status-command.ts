// `farrier status`: how the objects stand, what needs attention, and the fleet by kernel.
import type { Command } from "commander";
import { PaperCluster } from "../kinds/forecast/paper-cluster.ts";
import { CommandError, EXIT, type Exit } from "./command-error.ts";
import { type CommandSetting, examples, withNamespace, withSource } from "./command-setting.ts";
import { knownObjects, parseWish, wished } from "./input/named-object.ts";
import { readSource, type SourceOptions } from "./input/source.ts";
import { type Format, formatted } from "./output/format.ts";
import { printStatus } from "./output/print-status.ts";
import { reportStatus } from "./output/status-report.ts";

type StatusOptions = SourceOptions & { readonly output: Format; readonly namespace?: string | undefined };

/** Adds the command to the program. */
export function addStatus(program: Command, setting: CommandSetting): void {
  withNamespace(withSource(program.command("status")))
    .description("Says how the objects stand, what needs attention, and how many nodes of each kernel are served.")
    .argument("[object]", "one object: name, kind/name or kind/namespace/name; all if it is not given")
    .option("-A, --all-namespaces", "objects of all namespaces, as without -n")
    .addHelpText(
      "after",
      examples(setting.called, [
        "status",
        "status -n storage",
        "status daemonset/agent",
        "status --from snapshot.json -o json",
      ]),
    )
    .action(async (text: string | undefined, given) => setting.done(await status(text, given, setting)));
}

async function status(text: string | undefined, options: StatusOptions, setting: CommandSetting): Promise<Exit> {
  const { kinds, ports, called } = setting;
  const wish = parseWish(text, options.namespace, kinds);
  const { objects, origin } = await readSource(options, kinds, ports);
  const chosen = wished(knownObjects(objects, kinds), wish);
  if (text !== undefined && chosen.length === 0)
    throw new CommandError(`"${text}" is not in ${origin}; ${called} status lists what is`);
  const snapshot = new PaperCluster(objects, { image: () => ({ is: "unasked" }), isOurLabel: () => false });
  const report = reportStatus(snapshot, chosen);
  ports.out(
    formatted(options.output, { kind: "Status", ...report }, () => printStatus(origin, report, called, ports.paint)),
  );
  return EXIT.nothing;
}

// `farrier doctor`: whether cluster, operator and objects are well, check by check, with a verdict in the last line.
import type { Command } from "commander";
import type { Connecting } from "./cli-ports.ts";
import { EXIT, type Exit } from "./command-error.ts";
import { type CommandSetting, examples, withSource } from "./command-setting.ts";
import * as checks from "./doctor/doctor-checks.ts";
import { checkDefinitions } from "./doctor/doctor-definitions.ts";
import { type DoctorFacts, readDoctorFacts, snapshotFacts } from "./doctor/doctor-facts.ts";
import { readFiles } from "./input/source.ts";
import { type Format, formatted } from "./output/format.ts";
import { type Colour, type Paint, plural } from "./output/print.ts";

type DoctorOptions = Connecting & {
  readonly from?: string;
  readonly output: Format;
  readonly pre?: boolean;
  readonly lease: string;
};

type Group = { readonly group: string; readonly findings: readonly checks.Finding[] };

const SIGNS: Readonly<Record<checks.Finding["level"], readonly [string, Colour]>> = {
  fine: ["√", "green"],
  warning: ["‼", "yellow"],
  error: ["×", "red"],
};

/** Adds the command to the program. */
export function addDoctor(program: Command, setting: CommandSetting): void {
  withSource(program.command("doctor"))
    .description(
      "Checks the cluster, the operator and the objects. Exits with 0 if all is well or there are only warnings, 1 on errors, 2 if it cannot check.",
    )
    .option("--pre", "only what must hold before an installation")
    .option("--lease <namespace/name>", "the operator's Lease", "farrier-system/farrier")
    .addHelpText("after", examples(setting.called, ["doctor", "doctor --pre", "doctor --from snapshot.json -o json"]))
    .action(async (given: DoctorOptions) => setting.done(await doctor(given, setting)));
}

async function doctor(options: DoctorOptions, setting: CommandSetting): Promise<Exit> {
  const { ports } = setting;
  const { origin, facts } = await factsFor(options, setting);
  const groups = examine(facts, options, setting);
  const findings = groups.flatMap((group) => group.findings);
  const count = (level: checks.Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const result = { kind: "Diagnosis", errors: count("error"), warnings: count("warning"), groups };
  const verdict = `Result: ${plural(result.errors, "error")}, ${plural(result.warnings, "warning")}.`;
  ports.out(formatted(options.output, result, () => printed(origin, groups, verdict, ports.paint)));
  return result.errors > 0 ? EXIT.differences : EXIT.nothing;
}

type Asked = { readonly origin: string; readonly facts: DoctorFacts };

async function factsFor(options: DoctorOptions, { kinds, ports }: CommandSetting): Promise<Asked> {
  const { from } = options;
  if (from !== undefined) return { origin: from, facts: snapshotFacts(await readFiles([from], ports)) };
  const { client, server, close } = await ports.connect(options);
  try {
    return { origin: server, facts: await readDoctorFacts(client, kinds) };
  } finally {
    close();
  }
}

function examine(
  facts: DoctorFacts,
  options: DoctorOptions,
  { kinds, ports, called }: CommandSetting,
): readonly Group[] {
  const nowMs = ports.wallMs();
  const isBefore = options.pre === true;
  const cluster: Group = {
    group: "cluster",
    findings: [
      ...checks.checkVersion(facts),
      ...checks.checkReadings(facts),
      ...checks.checkNodes(facts),
      ...checks.checkRights(facts, isBefore),
      ...checks.checkOthers(facts, nowMs),
    ],
  };
  const objects: Group = { group: "objects", findings: checks.checkObjects(facts, kinds, called) };
  if (isBefore) return [cluster];
  if (options.from !== undefined) return [cluster, objects];
  const [namespace = "", name = ""] = options.lease.split("/");
  const operator: Group = {
    group: "operator",
    findings: [
      ...checkDefinitions(facts, kinds),
      ...checks.checkLease(facts, { namespace, name }, nowMs),
      ...checks.checkWebhooks(facts),
    ],
  };
  return [cluster, operator, objects];
}

function printed(origin: string, groups: readonly Group[], verdict: string, paint: Paint): string {
  const lines = groups.flatMap(({ group, findings }) => [
    paint("bold", group),
    ...findings.flatMap(({ level, text, remedy }) => {
      const [sign, colour] = SIGNS[level];
      return [`  ${paint(colour, sign)} ${text}`, ...(remedy === "" ? [] : [`      ${remedy}`])];
    }),
  ]);
  return `${[origin, ...lines, verdict].join("\n")}\n`;
}

// `farrier rollout`: how far an update is, what was before it, and back to that; pause and resume.
import { type Command, InvalidArgumentError } from "commander";
import { isJsonObject } from "../core/json/json.ts";
import { rollbackStep } from "../kinds/daemon-set/revision/history.ts";
import type { JsonPatchStep } from "../kube/client/client.ts";
import { CommandError, EXIT, type Exit } from "./command-error.ts";
import { type CommandSetting, examples, withFormat, withNamespace, withServer, withSource } from "./command-setting.ts";
import { ASSUMED_PRESENT } from "./input/image-answers.ts";
import { objectText } from "./input/named-object.ts";
import { type Format, formatted } from "./output/format.ts";
import { reportPlan } from "./output/plan-report.ts";
import { changesAnything, printPlan } from "./output/print-plan.ts";
import { historyEntries, printHistory, restoredObject, revisionToRestore } from "./rollout/rollout-history.ts";
import { patchObject, type RolloutOptions, type RolloutTarget, rolloutTarget } from "./rollout/rollout-object.ts";
import { isPaused, pausePatch, printRollout, rolloutStatus } from "./rollout/rollout-status.ts";

type ReadOptions = RolloutOptions & { readonly output: Format };
type WriteOptions = ReadOptions & { readonly dryRun?: boolean };
type UndoOptions = WriteOptions & { readonly toRevision?: number; readonly yes?: boolean };

/** Adds the command and its parts to the program. */
export function addRollout(program: Command, setting: CommandSetting): void {
  const { called, done } = setting;
  const rollout = program
    .command("rollout")
    .description("Shows and steers the update of one object.")
    .addHelpText(
      "after",
      examples(called, [
        "rollout status daemonset/agent",
        "rollout history agent",
        "rollout undo agent",
        "rollout pause module/gpu",
      ]),
    );
  const part = (name: string, told: string, lines: readonly string[]) =>
    withNamespace(rollout.command(name).description(told))
      .argument("<object>", "name, kind/name or kind/namespace/name")
      .addHelpText(
        "after",
        examples(
          called,
          lines.map((line) => `rollout ${name} ${line}`),
        ),
      );
  withSource(
    part("status", "Says how far it is. Exits with 0 if it is done, 1 if not, 2 on trouble.", ["daemonset/agent"]),
  ).action(async (text: string, given) => done(await status(text, given, setting)));
  withSource(part("history", "Lists the revisions that are kept.", ["daemonset/storage/agent"])).action(
    async (text: string, given) => done(await history(text, given, setting)),
  );
  withDryRun(
    withSource(
      part("undo", "Goes back to an earlier template and patches, after showing what that does.", [
        "agent",
        "agent --to-revision 3 --yes",
        "agent --from snapshot.json",
      ]),
    ),
  )
    .option(
      "--to-revision <number>",
      "the revision to go back to; the one before the newest if it is not given",
      numberOf,
    )
    .option("-y, --yes", "do not ask")
    .action(async (text: string, given) => done(await undo(text, given, setting)));
  for (const name of ["pause", "resume"] as const) {
    const told = name === "pause" ? "Moves no node any more until it is resumed." : "Lets nodes move again.";
    withDryRun(withFormat(withServer(part(name, told, ["variantset/storage/csi"])))).action(
      async (text: string, given) => done(await setPaused(text, name === "pause", given, setting)),
    );
  }
}

function withDryRun(command: Command): Command {
  return command.option("--dry-run", "let the server judge it, and store nothing");
}

function numberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("give the number that rollout history shows.");
  return Number(text);
}

async function status(text: string, options: ReadOptions, setting: CommandSetting): Promise<Exit> {
  const target = await rolloutTarget(text, options, setting);
  const found = rolloutStatus(target, target.objects);
  setting.ports.out(formatted(options.output, { kind: "RolloutStatus", ...found }, () => printRollout(found)));
  return found.isDone ? EXIT.nothing : EXIT.differences;
}

async function history(text: string, options: ReadOptions, setting: CommandSetting): Promise<Exit> {
  const { ports } = setting;
  const target = await rolloutTarget(text, options, setting);
  refuseWithoutHistory(target, "history");
  const entries = historyEntries(target);
  const revisions = entries.map(({ revision: _, ...told }) => told);
  const result = { kind: "RolloutHistory", object: objectText(target), revisions };
  ports.out(formatted(options.output, result, () => printHistory(target, entries, ports.wallMs())));
  return EXIT.nothing;
}

async function undo(text: string, options: UndoOptions, setting: CommandSetting): Promise<Exit> {
  const { ports } = setting;
  const target = await rolloutTarget(text, options, setting);
  refuseWithoutHistory(target, "undo");
  const revision = revisionToRestore(target, historyEntries(target), options.toRevision);
  const body = rollbackStep(target.stored, revision)?.patch;
  if (!isJsonPatch(body))
    throw new CommandError(`there is no way back to revision ${revision.number}: it holds no template`);
  const object = restoredObject(target, revision);
  // What was stored once has its images: no registry is asked.
  const image = () => ASSUMED_PRESENT;
  const report = reportPlan({ kind: target.kind, objects: target.objects, object, image, nowMs: ports.wallMs() });
  if (options.output === "text") {
    const heading = `${objectText(target)} back to revision ${revision.number} (${revision.hash})`;
    ports.out(printPlan({ heading, reports: [report], isAboutNodes: false }, ports.paint));
    if (!changesAnything(report)) ports.out("No pod would change.\n");
  }
  const tell = (did: "planned" | "tried" | "done", said: string) => {
    const { number, hash } = revision;
    const result = { kind: "RolloutUndo", object: objectText(target), revision: number, hash, did, plan: report };
    ports.out(formatted(options.output, result, () => said));
  };
  if (options.from !== undefined) {
    tell("planned", "Nothing is written to a snapshot.\n");
    return changesAnything(report) ? EXIT.differences : EXIT.nothing;
  }
  const isDryRun = options.dryRun === true;
  if (options.yes !== true && !isDryRun && !(await isAgreed(options, setting))) return EXIT.differences;
  await patchObject(target, { type: "json", body }, { ...options, isDryRun }, setting);
  const back = `${objectText(target)} rolled back to revision ${revision.number}`;
  tell(isDryRun ? "tried" : "done", `${back}${isDryRun ? " (dry run)" : ""}\n`);
  return EXIT.nothing;
}

function isJsonPatch(value: unknown): value is readonly JsonPatchStep[] {
  return Array.isArray(value) && value.every((step) => isJsonObject(step) && typeof step.path === "string");
}

async function isAgreed({ output }: UndoOptions, { ports }: CommandSetting): Promise<boolean> {
  if (output !== "text")
    throw new CommandError(`nobody is asked with -o ${output}; add --yes to do it, or --dry-run to try it`);
  if (ports.askPerson === undefined)
    throw new CommandError("nobody is there to ask whether to go on; add --yes to do it, or --dry-run to try it");
  const answer = await ports.askPerson("Proceed? [y/N] ");
  const isYes = /^y(es)?$/i.test(answer.trim());
  if (!isYes) ports.err("Nothing was changed.");
  return isYes;
}

async function setPaused(text: string, paused: boolean, options: WriteOptions, setting: CommandSetting): Promise<Exit> {
  const target = await rolloutTarget(text, options, setting);
  const isDryRun = options.dryRun === true;
  const isChange = isPaused(target) !== paused;
  if (isChange) {
    await patchObject(target, { type: "merge", body: pausePatch(target, paused) }, { ...options, isDryRun }, setting);
  }
  const changed = `${paused ? "paused" : "resumed"}${isDryRun ? " (dry run)" : ""}`;
  const same = paused ? "is paused already" : "is not paused";
  const result = { kind: "RolloutPause", object: objectText(target), isPaused: paused, isChange, isDryRun };
  const said = () => `${objectText(target)} ${isChange ? changed : same}\n`;
  setting.ports.out(formatted(options.output, result, said));
  return EXIT.nothing;
}

/** Only the advanced DaemonSet keeps what it said before. */
function refuseWithoutHistory(target: RolloutTarget, verb: string): void {
  const { kind } = target.kind;
  if (kind === "DaemonSet") return;
  throw new CommandError(
    `rollout ${verb} cannot be had for ${objectText(target)}: a ${kind} keeps no revisions; apply its earlier manifest again, after plan -f FILE has shown what that does`,
  );
}

// A plan report as text, for a person who decides whether to go on.

import type { NodeGroup, PlannedChange, PlanReport } from "./plan-report.ts";
import { andMore, emptyLines, mark, namesAndMore, type Paint, plural } from "./print.ts";
import type { VariantGroup } from "./variant-groups.ts";

const LEGEND = "  + create   ~ change   - delete   ! build first   x no fit   … held back";
/** Changes of one object that are listed; more are counted. */
const CHANGES_SHOWN_MAX = 50;

export type PlanText = {
  readonly heading: string;
  readonly reports: readonly PlanReport[];
  /** Whether the nodes are what changes: then the objects that do not care are only named. */
  readonly isAboutNodes: boolean;
};

/** The whole text; ends with a line end. */
export function printPlan({ heading, reports, isAboutNodes }: PlanText, paint: Paint): string {
  const told = reports.filter((report) => !isAboutNodes || changesAnything(report));
  const still = reports.filter((report) => !told.includes(report)).map(nameOf);
  return [
    heading,
    LEGEND,
    ...told.flatMap((report) => ["", ...reportLines(report, paint)]),
    ...(still.length === 0 ? [] : ["", `Nothing changes for ${still.join(", ")}.`]),
    "",
  ].join("\n");
}

function nameOf({ object }: PlanReport): string {
  return `${object.kind} ${object.namespace}/${object.name}`;
}

/** Whether anything would change: what the exit code tells. */
export function changesAnything({ changes, pods }: PlanReport): boolean {
  return changes.length > 0 || pods.gained + pods.replaced + pods.changedInPlace + pods.lost > 0;
}

/** A selector that meets no node is a slip more often than a wish. */
function isForNobody({ changes, pods, unfit, held }: PlanReport): boolean {
  const { gained, replaced, changedInPlace, lost, untouched } = pods;
  return changes.length + unfit.length + held.length + gained + replaced + changedInPlace + lost + untouched === 0;
}

function reportLines(report: PlanReport, paint: Paint): readonly string[] {
  const { changes, pods } = report;
  const listed = changes.filter(({ verb }) => verb !== "label");
  const labelled = changes.filter(({ verb }) => verb === "label").length;
  const shown = listed.slice(0, CHANGES_SHOWN_MAX);
  return [
    paint("bold", nameOf(report)),
    ...shown.map((change) => changeLine(change, paint)),
    ...andMore(listed.length - shown.length).map((text) => `    ${text}`),
    ...(labelled > 0 ? [`  ${mark("change", paint)} labels of ${plural(labelled, "node")}`] : []),
    ...report.variants.map((group) => variantLine(group, paint)),
    ...report.unfit.flatMap((group) => groupLines("unfit", group, paint)),
    ...report.held.flatMap((group) => groupLines("held", group, paint)),
    ...(isForNobody(report) ? ["    no node of the cluster is meant by it"] : []),
    ...emptyLines(changesAnything(report) ? 1 : 0),
    disruption(pods),
    summary(report),
    ...(report.isSettled ? [] : ["The forecast was cut before its end: this goes on for longer than it looks ahead."]),
  ];
}

function changeLine({ verb, target, why, runs }: PlannedChange, paint: Paint): string {
  const told = runs === undefined ? why : `${plural(runs.nodes, "node")}   ${runs.images.join(", ")}`;
  return `  ${mark(verb, paint)} ${target.kind} ${target.name}   ${told}`;
}

function variantLine({ name, gained, replaced, changedInPlace, untouched }: VariantGroup, paint: Paint): string {
  const parts: readonly (readonly [number, string])[] = [
    [gained, "more"],
    [replaced, "replaced"],
    [changedInPlace, "changed in place"],
    [untouched, "untouched"],
  ];
  const told = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  const isDisturbed = replaced + changedInPlace > 0;
  const isNew = !isDisturbed && gained > 0;
  const sign = isDisturbed ? mark("change", paint) : isNew ? mark("create", paint) : " ";
  return `  ${sign} ${name}   pods: ${told.join(", ")}`;
}

function groupLines(
  kind: "unfit" | "held",
  { reason, because, count, nodes }: NodeGroup,
  paint: Paint,
): readonly string[] {
  return [
    `  ${mark(kind, paint)} ${plural(count, "node")}   ${reason}: ${because}`,
    `      ${namesAndMore(nodes, count)}`,
  ];
}

function disruption({ replaced, changedInPlace, lost, unavailableMax, order }: PlanReport["pods"]): string {
  const inPlace = changedInPlace === 0 ? "" : `, ${changedInPlace} changed in place`;
  const gone = lost === 0 ? "" : `, ${lost} taken away`;
  const first = order.length === 0 ? "" : ` First: ${order.slice(0, 3).join(", ")}.`;
  const peak = `${plural(unavailableMax, "node")} unavailable at the peak`;
  return `Disruption: ${plural(replaced, "pod")} replaced${inPlace}${gone}, ${peak}.${first}`;
}

function summary({ changes, pods, unfit }: PlanReport): string {
  const count = (verb: PlannedChange["verb"]) => changes.filter((change) => change.verb === verb).length;
  const builds = count("build") === 0 ? "" : `, ${count("build")} to build`;
  const dark = unfit.reduce((sum, group) => sum + group.count, 0);
  const stay = Math.max(0, dark - pods.lost);
  const lose =
    pods.lost === 0 ? "" : ` ${plural(pods.lost, "node")} ${pods.lost === 1 ? "loses its" : "lose their"} pod.`;
  const left = stay === 0 ? "" : ` ${plural(stay, "node")} ${stay === 1 ? "stays" : "stay"} without a pod.`;
  const objects = `${count("create")} to create, ${count("change")} to change, ${count("delete")} to delete${builds}`;
  return `Plan: ${objects}; ${plural(pods.gained, "pod")} more, ${pods.untouched} untouched.${lose}${left}`;
}

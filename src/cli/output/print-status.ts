// A status report as text: objects, what needs attention, the fleet by kernel.
import type { FleetCell, KernelRow } from "./fleet-matrix.ts";
import { andMore, type Paint, plural, table } from "./print.ts";
import type { Attention, ObjectRow, StatusReport } from "./status-report.ts";

/** Columns and rows of the matrix that are shown; more are counted. */
const OBJECTS_SHOWN_MAX = 8;
const KERNELS_SHOWN_MAX = 40;
const ATTENTION_SHOWN_MAX = 20;
const TITLES = ["NAMESPACE", "KIND", "NAME", "NODES", "FITTED", "READY", "REASON"];

/** The whole text; ends with a line end. */
export function printStatus(origin: string, report: StatusReport, called: string, paint: Paint): string {
  const { nodes, objects, attention, kernels } = report;
  const heading = `${origin}   ${plural(nodes, "node")}   ${plural(kernels.length, "kernel")}   ${plural(objects.length, "object")}`;
  const none = `There is no object of ours; plan for one with ${called} plan -f FILE.`;
  return [
    ...[paint("bold", heading), "", ...(objects.length === 0 ? [none] : table([TITLES, ...objects.map(cellsOf)])), ""],
    ...attentionLines(attention, called, paint),
    ...matrixLines(objects, kernels),
    "",
  ].join("\n");
}

function cellsOf({ namespace, kind, name, nodes, fitted, ready, reason }: ObjectRow): readonly string[] {
  return [namespace, kind, name, shown(nodes), shown(fitted), ready, reason === "" ? "–" : reason];
}

function shown(count: number | undefined): string {
  return count === undefined ? "–" : `${count}`;
}

function attentionLines(attention: readonly Attention[], called: string, paint: Paint): readonly string[] {
  if (attention.length === 0) return [];
  const lines = attention.slice(0, ATTENTION_SHOWN_MAX).flatMap(({ object, reason, message, nodes, ask }) => {
    const where = nodes === 0 ? "" : ` on ${plural(nodes, "node")}`;
    const line = `  ${paint("red", "✖")} ${object}   ${reason}${where}: ${message}`;
    return ask === "" ? [line] : [line, `      ${called} ${ask}`];
  });
  return [
    paint("bold", "Attention"),
    ...lines,
    ...andMore(attention.length - ATTENTION_SHOWN_MAX).map((text) => `  ${text}`),
    "",
  ];
}

function matrixLines(objects: readonly ObjectRow[], kernels: readonly KernelRow[]): readonly string[] {
  const rows = kernels.slice(0, KERNELS_SHOWN_MAX).map(({ kernel, nodes, cells }) => {
    const reasons = new Set(cells.flatMap(({ reason }) => (reason === "" ? [] : [reason])));
    return [kernel, `${nodes}`, ...cells.slice(0, OBJECTS_SHOWN_MAX).map(cellText), [...reasons].join(", ")];
  });
  const titles = objects.slice(0, OBJECTS_SHOWN_MAX).map((object) => titleOf(object, objects));
  const hidden = Math.max(0, objects.length - OBJECTS_SHOWN_MAX);
  const more = kernels.length - rows.length;
  return [
    ...table([["KERNEL", "NODES", ...titles, ""], ...rows]),
    ...(more > 0 ? [`and ${plural(more, "kernel")} more; -o json has all`] : []),
    ...(hidden > 0 ? [`${plural(hidden, "object")} more; name one, or give -n, to see it here`] : []),
  ];
}

/** The name, with as much before it as tells it from the others. */
function titleOf({ kind, namespace, name }: ObjectRow, all: readonly ObjectRow[]): string {
  const namesakes = all.filter((other) => other.name === name);
  if (namesakes.length === 1) return name;
  return namesakes.filter((other) => other.namespace === namespace).length === 1
    ? `${namespace}/${name}`
    : `${kind.toLowerCase()}/${namespace}/${name}`;
}

function cellText({ serving, wanted, reason }: FleetCell): string {
  if (wanted === 0) return "–";
  const sign = serving === wanted ? "✔" : reason === "" ? "◌" : "✖";
  return `${serving}/${wanted} ${sign}`;
}

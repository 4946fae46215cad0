// Figures as people read them: one row each, and below what the columns mean.
import { barText } from "./bar.ts";
import type { Figure, MeasuredFigure } from "./figure.ts";

const headings = ["figure", "value", "yardstick", "ratio", "bar", "held", "spread"] as const;

/** The table of a benchmark's figures; a skipped one keeps its row and says why. */
export function figureTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => (figure.kind === "measured" ? measuredRow(figure) : [figure.name]));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row.length > 1 || column === 0 ? (row[column] ?? "").length : 0))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  const body = figures.map((figure, index) => {
    const cells = rows[index] ?? [];
    return figure.kind === "measured"
      ? line(cells)
      : `${line(cells).padEnd(widths[0] ?? 0)}  skipped: ${figure.reason}`;
  });
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [
    line(headings),
    rule,
    ...body,
    "",
    "ratio = value / yardstick, median over rounds; spread = its middle half",
  ].join("\n");
}

function measuredRow(figure: MeasuredFigure): readonly string[] {
  const { value, unit, yardstick, ratio, bar, held, spread } = figure;
  return [
    figure.name,
    `${short(value)} ${unit}`,
    `${short(yardstick.value)} ${unit} ${yardstick.name}`,
    short(ratio),
    bar === undefined ? "" : barText(bar),
    held === undefined ? "" : held ? "yes" : "NO",
    `${short(spread.low)} to ${short(spread.high)}`,
  ];
}

/** Three significant digits: more would be noise. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
